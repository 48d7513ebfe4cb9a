import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import type { BatchOptions } from "../batch/start.js";
import type { JudgeOptions } from "../guard/rules.js";
import type { Ledger } from "../ledger/ledger.js";

export const DEFAULT_RESTARTS = 2;

/** Options of {@link SyncClient.commit}. The installation and the ledger are those of the staged run. */
export interface CommitOptions extends Omit<BatchOptions, "installationId">, Omit<JudgeOptions, "ledger"> {
  /**
   * How many times a batch that failed transiently is started again. Unless it is 0, the run remembers which events were
   * accepted: 24 to 48 bytes for each different one.
   * @default 2
   */
  readonly restarts?: number | undefined;
  /** How long the run may take with all restarts and waits, in milliseconds. @default no limit */
  readonly maxDurationMs?: number | undefined;
  /** Whether SIGINT and SIGTERM abort the batch; a second one ends the process as usual. @default false */
  readonly stopOnSignals?: boolean | undefined;
}

/** Options of a run. */
export interface PlainRunOptions extends CommitOptions, BatchOptions, JudgeOptions {}

export const COMMIT_KEYS = {
  waitForLockMs: true,
  maxIdleMs: true,
  signal: true,
  onProgress: true,
  heartbeatMs: true,
  guard: true,
  approve: true,
  firstRun: true,
  onHeld: true,
  restarts: true,
  maxDurationMs: true,
  stopOnSignals: true,
} satisfies KeysOf<CommitOptions>;

export const RUN_KEYS = {
  ...COMMIT_KEYS,
  installationId: true,
  ledger: true,
  staging: true,
} satisfies KeysOf<PlainRunOptions & { readonly staging?: unknown }>;

export type HistoryOptions = Pick<PlainRunOptions, "installationId" | "ledger" | "signal">;

export const HISTORY_KEYS = {
  installationId: true,
  ledger: true,
  signal: true,
} satisfies KeysOf<HistoryOptions>;

/** Options of {@link SyncClient.preview}; a variable with those of a run fits too. */
export interface PreviewOptions
  extends Pick<BatchOptions, "installationId" | "signal">,
    Pick<JudgeOptions, "ledger" | "guard" | "firstRun"> {
  /** Most entries in `issues` of a collection. @default 100 */
  readonly maxIssues?: number | undefined;
}

export const PREVIEW_KEYS = { ...RUN_KEYS, maxIssues: true } satisfies KeysOf<
  PreviewOptions & PlainRunOptions & { readonly staging?: unknown }
>;

export function checkRunOptions(options: CommitOptions): void {
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
export type ResolvedRunOptions = CommitOptions & {
  readonly installationId: string;
  readonly ledger: Ledger | "none";
};

export function noLedgerError(): InvalidInputError {
  return new InvalidInputError(
    'No ledger: pass ledger to the call, or set sync.ledger of the client. It is fileLedger(directory), another ledger, or "none". Without one, nothing keeps a truncated snapshot from removing records.',
  );
}
