import {
  FLAG,
  FUNCTION,
  isPlainObject,
  type OptionTable,
  type Rule,
  TEXT,
  wholeNumber,
} from "../core/validate.js";
import { BATCH_OPTIONS, type BatchOptions } from "../sync/batch/start.js";
import { isCollection, isSnapshot } from "../sync/collections.js";
import type { JudgeOptions } from "./guard/rules.js";
import type { InstallationLedger } from "./ledger/installation-ledger.js";
import type { SpoolOptions } from "./spool.js";

/** Options of a run. */
export interface RunOptions extends BatchOptions, JudgeOptions {
  /**
   * How long the run keeps trying to send its records while the service is unavailable, in milliseconds from the first
   * failure. Pauses grow to 30 s; the connector isn't called again. With 0, the run fails at once.
   * @default 600_000
   */
  readonly retryForMs?: number | undefined;
  /** Where to store the connector's records until all are judged and sent. @default the client's `sync.spool` */
  readonly spool?: SpoolOptions | undefined;
  /** Whether SIGINT and SIGTERM abort the batch; a second signal ends the process as usual. @default false */
  readonly stopOnSignals?: boolean | undefined;
}

const RECORDS = wholeNumber(0);

const FIRST_RUN: Rule = {
  expected: "true, false, or numbers of records such as { accounts: 1240 }",
  fits: (value) =>
    typeof value === "boolean" ||
    (isPlainObject(value) &&
      Object.entries(value).every(
        ([name, records]) => isCollection(name) && isSnapshot(name) && RECORDS.fits(records),
      )),
};

export const RUN_OPTIONS = {
  ...BATCH_OPTIONS,
  ledger: true,
  guard: true,
  approve: { ...TEXT, expected: "the approval id of a RunHeldError" },
  firstRun: FIRST_RUN,
  onHeld: FUNCTION,
  retryForMs: wholeNumber(0),
  spool: true,
  stopOnSignals: FLAG,
} satisfies OptionTable<RunOptions>;

export type HistoryOptions = Pick<RunOptions, "installationId" | "ledger" | "signal">;

export const HISTORY_OPTIONS = {
  installationId: true,
  ledger: true,
  signal: BATCH_OPTIONS.signal,
} satisfies OptionTable<HistoryOptions>;

/** Options of {@link SyncClient.preview}. You can also pass a variable with the options of a run. */
export interface PreviewOptions
  extends Pick<BatchOptions, "installationId" | "signal" | "timeoutMs" | "headers">,
    Pick<JudgeOptions, "ledger" | "guard" | "approve" | "firstRun"> {
  /** Maximum number of entries in a collection's `issues`. @default 100 */
  readonly maxIssues?: number | undefined;
}

export const PREVIEW_OPTIONS = {
  ...RUN_OPTIONS,
  maxIssues: wholeNumber(0),
} satisfies OptionTable<PreviewOptions & RunOptions>;

/** Options with the client's defaults filled in. */
export interface ResolvedRunOptions extends Omit<RunOptions, "ledger"> {
  readonly installationId: string;
  /** Undefined for `"none"`. */
  readonly ledger: InstallationLedger | undefined;
}
