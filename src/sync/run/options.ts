import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import type { BatchOptions } from "../batch/start.js";
import type { JudgeOptions } from "../guard/rules.js";
import type { InstallationLedger } from "../ledger/installation-ledger.js";
import type { SpoolOptions } from "./spool.js";

export const DEFAULT_RESTARTS = 2;

/** Options of a run. */
export interface RunOptions extends Omit<BatchOptions, "maxIdleMs">, JudgeOptions {
  /**
   * How many times a run begins again. If a batch failed transiently, what was read is sent again, and the connector is
   * not called for it. If another run was completed meanwhile, the connector is called again.
   * @default 2
   */
  readonly restarts?: number | undefined;
  /** Where what the connector writes is kept until all of it was judged and sent. @default the client's `sync.spool` */
  readonly spool?: SpoolOptions | undefined;
  /** How long the run may take with all restarts and waits, in milliseconds. @default no limit */
  readonly maxDurationMs?: number | undefined;
  /** Whether SIGINT and SIGTERM abort the batch; a second one ends the process as usual. @default false */
  readonly stopOnSignals?: boolean | undefined;
}

export const RUN_KEYS = {
  installationId: true,
  ledger: true,
  waitForLockMs: true,
  signal: true,
  onProgress: true,
  heartbeatMs: true,
  guard: true,
  approve: true,
  firstRun: true,
  onHeld: true,
  restarts: true,
  spool: true,
  maxDurationMs: true,
  stopOnSignals: true,
} satisfies KeysOf<RunOptions>;

export type HistoryOptions = Pick<RunOptions, "installationId" | "ledger" | "signal">;

export const HISTORY_KEYS = {
  installationId: true,
  ledger: true,
  signal: true,
} satisfies KeysOf<HistoryOptions>;

/** Options of {@link SyncClient.preview}; a variable with those of a run fits too. */
export interface PreviewOptions
  extends Pick<BatchOptions, "installationId" | "signal">,
    Pick<JudgeOptions, "ledger" | "guard" | "approve" | "firstRun"> {
  /** Most entries in `issues` of a collection. @default 100 */
  readonly maxIssues?: number | undefined;
}

export const PREVIEW_KEYS = { ...RUN_KEYS, maxIssues: true } satisfies KeysOf<PreviewOptions & RunOptions>;

export function checkRunOptions(options: RunOptions): void {
  const { restarts = DEFAULT_RESTARTS, maxDurationMs, stopOnSignals, onHeld } = options;
  checkFirstRun(options);
  if (!Number.isInteger(restarts) || restarts < 0)
    throw new InvalidInputError("restarts must be an integer of 0 or more.");
  if (maxDurationMs !== undefined && !(Number.isFinite(maxDurationMs) && maxDurationMs > 0))
    throw new InvalidInputError("maxDurationMs must be a positive number of milliseconds.");
  if (stopOnSignals !== undefined && typeof stopOnSignals !== "boolean")
    throw new InvalidInputError("stopOnSignals must be true or false.");
  if (onHeld !== undefined && typeof onHeld !== "function")
    throw new InvalidInputError("onHeld must be a function.");
}

export function checkFirstRun({ firstRun }: Pick<JudgeOptions, "firstRun">): void {
  if (firstRun !== undefined && typeof firstRun !== "boolean")
    throw new InvalidInputError("firstRun must be true or false.");
}

/** Options with the client's defaults filled in. */
export interface ResolvedRunOptions extends Omit<RunOptions, "ledger"> {
  readonly installationId: string;
  /** Undefined for `"none"`. */
  readonly ledger: InstallationLedger | undefined;
}
