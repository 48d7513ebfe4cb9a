import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { TOOLS } from "./packed-package.js";

interface Place {
  readonly file: string;
  readonly start: { readonly line: number; readonly offset: number };
}

interface Answer {
  readonly command?: string;
  readonly body?: readonly Place[];
}

/**
 * Asks TypeScript's language server, as editors do, to find the definitions of names from their last use. Returns the
 * name and the file of each definition.
 */
export async function definitions(
  file: string,
  code: readonly string[],
  names: readonly string[],
): Promise<readonly (readonly [name: string, file: string])[]> {
  const server = spawn(process.execPath, [TOOLS.tsserver, "--disableAutomaticTypingAcquisition"]);
  const asked = names.map((name) => {
    const line = code.findLastIndex((text) => text.includes(name));
    return ["definition", { file, line: line + 1, offset: (code[line] ?? "").lastIndexOf(name) + 1 }];
  });
  for (const [command, args] of [["open", { file }], ...asked])
    server.stdin.write(`${JSON.stringify({ seq: 0, type: "request", command, arguments: args })}\n`);
  const found: (readonly [string, string])[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    const { command, body }: Answer = line.startsWith("{") ? JSON.parse(line) : {};
    if (command === "definition") found.push(nameAt(body?.[0]));
    if (found.length === names.length) break;
  }
  server.kill();
  return found;
}

function nameAt(place: Place | undefined): readonly [name: string, file: string] {
  if (place === undefined) return ["nothing", ""];
  const line = readFileSync(place.file, "utf8").split("\n")[place.start.line - 1] ?? "";
  return [/\w*/.exec(line.slice(place.start.offset - 1))?.[0] ?? "", place.file];
}
