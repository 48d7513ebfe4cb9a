import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ReferenceServer } from "@saas-management/sdk/reference-server";

const SCRIPT = fileURLToPath(new URL("journal-script.ts", import.meta.url));

/** Another process that runs a sync and stops in the middle of its write. */
export class WritingProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  }

  /** Resolves when it is in the middle of its write. */
  static async start(server: ReferenceServer, directory: string): Promise<WritingProcess> {
    const args = [server.syncUrl, server.apiKey, server.installationId, directory];
    const child = spawn(process.execPath, ["--import=tsx", SCRIPT, ...args]);
    const started = new WritingProcess(child);
    const line = await started.#line();
    if (line !== "writing") throw new Error(`the process began with ${line}`);
    return started;
  }

  /** Goes on with the write; how the run ended. */
  async goOn(): Promise<string> {
    this.#child.stdin.write("go on\n");
    return this.#line();
  }

  suspend(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  /** Resolves when it is dead. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    return done === true ? "(the end)" : value;
  }
}
