import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { TestService } from "../../support/test-service.js";

/** Starts a script of this folder; it is killed after the test. */
export function startScript(name: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ["--import=tsx", script, ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Another process with a run, which ends as `run-script.ts` describes. */
export class RunProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<readonly unknown[]>;

  constructor(service: TestService, way: string, ids: readonly string[]) {
    const { directory, server } = service;
    const { syncUrl, apiKey, installationId } = server;
    const which = service.states().includes("completed") ? "later" : "first";
    this.#child = startScript("run-script.ts", [
      syncUrl,
      apiKey,
      installationId,
      directory,
      which,
      way,
      ...ids,
    ]);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    this.#closed = once(this.#child, "close");
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    return done === true ? "(the end)" : value;
  }

  /** Lets a paused run go on; how it ends. */
  goOn(): Promise<string> {
    this.#child.stdin.write("go on\n");
    return this.line();
  }

  /** Sends a signal. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Exit code or signal of the process. */
  async ended(): Promise<unknown> {
    const [code, signal] = await this.#closed;
    return signal ?? code;
  }
}
