import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
// Deployed apps set this; without it, some clients check more.
const env = { ...process.env, NODE_ENV: "production" };

/** Path of a compiled script, such as `sync/processes/sink.js`. */
const pathOf = (script: string) => fileURLToPath(new URL(`../${script}`, import.meta.url));

/** Runs a script that prints one JSON value, in a fresh process. */
export async function runScript(
  script: string,
  task: unknown,
  nodeArgs: readonly string[] = [],
): Promise<unknown> {
  return runProgram(process.execPath, [...nodeArgs, pathOf(script), JSON.stringify(task)]);
}

/** Runs a program that prints one JSON value. If it fails, the error includes its output. */
export async function runProgram(program: string, args: readonly string[]): Promise<unknown> {
  const { stdout } = await run(program, args, { env });
  return JSON.parse(stdout);
}

/** Server scripts that run until they are stopped. */
export class Servers {
  readonly #started = new Map<string, Promise<unknown>>();
  readonly #children: ChildProcess[] = [];

  /** Starts a script once per task. Resolves with the JSON value that the script prints when it's ready. */
  start(script: string, task: unknown): Promise<unknown> {
    const key = JSON.stringify([script, task]);
    const ready = this.#started.get(key) ?? this.#spawn(script, task);
    this.#started.set(key, ready);
    return ready;
  }

  /** Ends all scripts. */
  stop(): void {
    for (const child of this.#children) child.kill();
  }

  async #spawn(script: string, task: unknown): Promise<unknown> {
    const child = spawn(process.execPath, [pathOf(script), JSON.stringify(task)], {
      stdio: ["ignore", "pipe", "inherit"],
      env,
    });
    this.#children.push(child);
    const [line]: unknown[] = await once(createInterface(child.stdout), "line");
    return JSON.parse(String(line));
  }
}
