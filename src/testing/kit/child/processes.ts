import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The project's own tests run the source. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf("."));
const SCRIPT = fileURLToPath(new URL(`./main${EXTENSION}`, import.meta.url));

/** Processes that wait for an order, each for one. The next one starts while one is in use. */
export class ChildProcesses {
  #next: ChildProcess | undefined;

  take(): ChildProcess {
    const child = this.#next ?? start();
    this.#next = start();
    return child;
  }

  close(): void {
    this.#next?.kill("SIGKILL");
  }
}

function start(): ChildProcess {
  return fork(SCRIPT, { serialization: "advanced", silent: true });
}
