import type { Inspection } from "../../../reference-server/sync/inspect.js";
import type { Collection, SnapshotCollection } from "../../../sync/collections.js";
import type { GuardOptions } from "../../../sync/guard/rule-options.js";
import type { RunReceipt } from "../../../sync/run/receipt.js";
import type { CassetteDay } from "../cassette/cassette.js";
import type { Struck, StruckRecords } from "../faults/fault.js";
import type { PlayedRequest } from "../vendor/playback.js";

/** A day of a recording: the connector takes its start for the time at its own. */
export type PlayedDay = Pick<CassetteDay, "exchanges" | "startedAt">;

/** What a run of a connector meets: at most one of the faults. */
export interface CaseSetup {
  /** What the vendor answers. Without it, requests go to their own addresses. */
  readonly recording?: PlayedDay | undefined;
  readonly struck?: Struck | undefined;
  readonly records?: StruckRecords | undefined;
  /** What was completed the day before: these snapshots, or what the connector makes of this recording. */
  readonly yesterday?:
    | { readonly records: Partial<Record<SnapshotCollection, readonly object[]>> }
    | PlayedDay
    | undefined;
  /** How many days the run comes after that. @default 1 */
  readonly daysLater?: number | undefined;
  readonly guard?: GuardOptions | false | undefined;
}

/** What became of one run. */
export interface NightResult {
  readonly outcome: "completed" | "held" | "refused";
  /** With which it was held or refused. */
  readonly error: unknown;
  readonly receipt: RunReceipt | undefined;
  readonly effect: Inspection;
  /** Whether it has begun to send: a run that fails before has not touched the service. */
  readonly hasSent: boolean;
  /** What was printed and logged: `console`, stdout, stderr and the SDK's logger. */
  readonly output: readonly string[];
  /** What the connector sent to the vendor as credentials, and what it was granted. */
  readonly credentials: readonly string[];
  readonly requests: readonly PlayedRequest[];
  /** How often the fault struck. */
  readonly fired: number;
  /** Rejections and exceptions that nobody handled. */
  readonly unhandled: readonly unknown[];
  /** The records that passed into its batch. */
  readonly records: ReadonlyMap<Collection, readonly object[]>;
}

/** What became of the run of a case. */
export interface CaseResult extends NightResult {
  /** Runs the same connector a day later, with the same recording, without the fault. */
  nextNight(): Promise<CaseResult>;
}
