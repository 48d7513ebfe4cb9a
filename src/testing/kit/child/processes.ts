import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { GuardOptions } from "../../../sync/guard/rule-options.js";
import type { VendorRoute } from "../vendor/routes.js";

/** What a child process is to do. */
export interface ChildOrder {
  /** URL of the connector's module. */
  readonly module: string;
  readonly syncUrl: string;
  readonly apiKey: string;
  readonly installationId: string;
  /** Directory of the ledger. */
  readonly directory: string;
  readonly guard: GuardOptions | false | undefined;
  readonly firstRun: boolean;
  /** The service's time, in milliseconds since the epoch. */
  readonly now: number;
  /** The connector's time. */
  readonly startedAt: number;
  /** Undefined: requests go to their own addresses. */
  readonly route: VendorRoute | undefined;
}

/** What became of it. */
export type ChildAnswer =
  | { readonly outcome: "completed" }
  /** The module has no connector that can be run. */
  | { readonly outcome: "not-loaded"; readonly message: string }
  | { readonly outcome: "held" | "refused"; readonly message: string };

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
