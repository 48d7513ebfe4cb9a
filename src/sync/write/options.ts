import { SIGNAL } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { FLAG, type OptionTable, wholeNumber } from "../../core/validate.js";
import type { Collection } from "../collections.js";
import type { SyncProgress } from "../progress.js";

/** Options of a write or a writer. */
export interface WriteOptions {
  /**
   * Number of records that the source must have, such as the vendor's own total. With more or fewer records, the write
   * fails and the batch can no longer be completed.
   * @default not checked
   */
  readonly expectedCount?: number | undefined;
  /**
   * Skips events that this run, or the last completed run of the collection, has already written. Events are compared
   * by id, or by their whole contents if the collection has no ids. Works only for events, in a run with a ledger.
   * @default false
   */
  readonly newOnly?: boolean | undefined;
  /** Cancels the write, which rejects with the signal's reason; the batch can no longer be completed. @default none */
  readonly signal?: AbortSignal | undefined;
}

export const WRITE_OPTIONS = {
  expectedCount: wholeNumber(0),
  newOnly: FLAG,
  signal: SIGNAL,
} satisfies OptionTable<WriteOptions>;

/** @throws {InvalidInputError} the source had more or fewer records than expected */
export function requireCount(
  expectedCount: number | undefined,
  collection: Collection,
  records: number,
  consequence: string,
): void {
  if (expectedCount === undefined || records === expectedCount) return;
  throw new InvalidInputError(
    `The source of ${collection} had ${records} records, but expectedCount is ${expectedCount}. ${consequence} Check the source first.`,
  );
}

/** Figures about one write, or about all writes of one collection. */
export interface WriteStats {
  /** Number of records sent. Records of a window that was sent again count once. */
  readonly sent: number;
  /** Number of records that the service accepted. */
  readonly accepted: number;
  /** Number of events that weren't sent again, because the service accepted them in an earlier batch of the run. */
  readonly alreadyAccepted: number;
  /** Number of events that `newOnly` skipped, because they were sent before. */
  readonly skipped: number;
  /** Size of the accepted messages, in bytes. */
  readonly bytes: number;
  /** Number of accepted SyncRecordsRequest messages. */
  readonly messages: number;
  /** Number of windows, that is, of acknowledged streams. */
  readonly windows: number;
  /** Number of times a window was sent again. */
  readonly retries: number;
  /**
   * Time spent waiting for an asynchronous source, in milliseconds. For a source of single records, the figure includes
   * the time to encode them, because reading the clock for each record would cost too much.
   */
  readonly sourceWaitMs: number;
  /** Time spent only waiting for acknowledgements, in milliseconds. */
  readonly serverWaitMs: number;
}

type MutableStats = { -readonly [Key in keyof WriteStats]: WriteStats[Key] };

export interface WriteReport extends MutableStats {
  readonly collection: Collection;
  /** Number of records that the source has delivered so far. */
  taken: () => number;
  expectedCount: number | undefined;
}

export function newReport(collection: Collection): WriteReport {
  return { collection, taken: () => 0, expectedCount: undefined, ...ZERO };
}

export function progressOf({ collection, accepted, bytes, expectedCount: total }: WriteReport): SyncProgress {
  return { type: "sending", collection, records: accepted, bytes, total };
}

const ZERO: WriteStats = {
  sent: 0,
  accepted: 0,
  alreadyAccepted: 0,
  skipped: 0,
  bytes: 0,
  messages: 0,
  windows: 0,
  retries: 0,
  sourceWaitMs: 0,
  serverWaitMs: 0,
};
const RECORDS = ["sent", "accepted", "alreadyAccepted", "skipped"] as const;
const TRAFFIC = ["bytes", "messages", "windows", "retries", "sourceWaitMs", "serverWaitMs"] as const;

export function sumOf(all: readonly WriteStats[]): WriteStats {
  const sum: MutableStats = { ...ZERO };
  for (const stats of all) for (const name of [...RECORDS, ...TRAFFIC]) sum[name] += stats[name];
  return sum;
}

export function statsByCollection(reports: readonly WriteReport[]): Partial<Record<Collection, WriteStats>> {
  const stats: Partial<Record<Collection, WriteStats>> = {};
  for (const report of reports) stats[report.collection] = sumOf([stats[report.collection] ?? ZERO, report]);
  return stats;
}
