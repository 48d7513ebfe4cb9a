import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { TestService } from "../../support/test-service.js";
import { programFile } from "../programs.js";
import type { Settings } from "./run-script.js";

/** Starts a program, directly or through another one; the started process is killed after the test. */
export function startScript(name: string, args: readonly string[], through: readonly string[] = []) {
  const [program = "", ...rest] = [...through, process.execPath, programFile(name), ...args];
  const child = spawn(program, rest);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Another process with a run, which ends as `run-script.ts` describes. */
export class RunProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<readonly unknown[]>;

  /** The run is a first run unless a batch was completed; its ledger is in the test's directory. */
  constructor(service: TestService, way: string, ids: readonly string[], options: Partial<Settings> = {}) {
    const { directory, server } = service;
    const { syncUrl: endpoint, apiKey, installationId } = server;
    const firstRun = !service.states().includes("completed");
    const own = { endpoint, apiKey, installationId, ledger: directory, way, ids, firstRun };
    this.#child = startScript("run-script", [JSON.stringify({ ...own, ...options })]);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    this.#closed = once(this.#child, "close");
  }

  /** The next line that the process prints. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    return done === true ? "(the end)" : value;
  }

  /** Lets a paused run continue, and returns how it ends. */
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
