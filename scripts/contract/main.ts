/**
 * `npm run contract -- check DIR` compares the service's contract in a folder with the present one, and
 * `npm run contract -- adopt DIR` takes it. See docs/contract.md.
 */
import { parseArgs } from "node:util";
import type { ScalarKind } from "../../contract/types.js";
import { adopt } from "./adopt.js";
import { check } from "./check.js";
import { type Decisions, splitName } from "./plan.js";

const USAGE = `npm run contract -- check DIR
npm run contract -- adopt DIR [--model COLLECTION=snapshot|event]… [--name Message.field=sdk_name]… [--likely]
                              [--drop RULE]… [--scalar NAME=string|number|boolean|date]…`;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      model: { type: "string", multiple: true, default: [] },
      name: { type: "string", multiple: true, default: [] },
      drop: { type: "string", multiple: true, default: [] },
      scalar: { type: "string", multiple: true, default: [] },
      likely: { type: "boolean", default: false },
    },
  });
  const [command, folder] = positionals;
  if (folder === undefined || (command !== "check" && command !== "adopt")) {
    write(USAGE);
    return 2;
  }
  const models: Record<string, "snapshot" | "event"> = {};
  for (const [name, model] of values.model.map(splitName)) {
    if (model !== "snapshot" && model !== "event") throw new Error(`--model ${name}: snapshot or event?`);
    models[name] = model;
  }
  const scalars: Record<string, ScalarKind> = {};
  for (const [name, kind] of values.scalar.map(splitName)) {
    if (!isScalarKind(kind)) throw new Error(`--scalar ${name}: string, number, boolean or date?`);
    scalars[name] = kind;
  }
  const { drop, likely } = values;
  const decisions: Decisions = {
    names: Object.fromEntries(values.name.map(splitName)),
    models,
    scalars,
    drop,
    likely,
  };
  return command === "check" ? check(folder, decisions, write) : await adopt(folder, decisions, write);
}

function isScalarKind(kind: string): kind is ScalarKind {
  return ["string", "number", "boolean", "date"].includes(kind);
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
