import { exec } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { ConfigurationError } from "../../core/errors/index.js";
import { UsageError } from "../command-module.js";

/** Where the key comes from, and how to get it. */
export interface CliCredential {
  /** For `doctor`: never the key. */
  readonly source: string;
  /** Undefined if `authorization` of the configuration is used. */
  readonly apiKey: (() => Promise<string>) | undefined;
}

const COMMAND_TIMEOUT_MS = 30_000;
/** A command may ask a person or a vault: not before each attempt. */
const KEPT_MS = 60_000;

/** The key in a file, read again for each attempt, so that it can be replaced; `-` is stdin, read once. */
export async function keyFromFile(path: string): Promise<CliCredential> {
  if (path === "-") {
    if (process.stdin.isTTY === true) throw new UsageError("--api-key-file - needs a pipe on stdin.");
    const key = (await text(process.stdin)).trim();
    return { source: "--api-key-file -", apiKey: async () => key };
  }
  const apiKey = async () => (await readFile(path, "utf8")).trim();
  await apiKey().catch((cause: unknown) => {
    throw new ConfigurationError(`--api-key-file ${path} cannot be read.`, { cause });
  });
  return { source: `--api-key-file ${path}`, apiKey };
}

export function keyFromSettings(source: string, key: string): CliCredential {
  return { source, apiKey: async () => key };
}

/** The key that a shell command prints. Errors show neither the command nor its output. */
export function keyFromCommand(command: string): CliCredential {
  let kept: { readonly until: number; readonly key: Promise<string> } | undefined;
  return {
    source: "credentialCommand",
    apiKey: () => {
      const now = performance.now();
      if (kept === undefined || kept.until < now) {
        const key = runCommand(command);
        kept = { until: now + KEPT_MS, key };
        key.catch(() => {
          kept = undefined;
        });
      }
      return kept.key;
    },
  };
}

async function runCommand(command: string): Promise<string> {
  const { stdout } = await promisify(exec)(command, { timeout: COMMAND_TIMEOUT_MS }).catch(
    (error: unknown) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : "a signal";
      throw new ConfigurationError(`credentialCommand failed with ${code}. Run it by hand to see why.`);
    },
  );
  return stdout.trim();
}
