import type { CollectionName } from "./collections.js";

/**
 * What became of some records of a write.
 *
 * - `accepted`: the service acknowledged them.
 * - `rejected`: the service refused the one message that held them.
 * - `unknown`: the answer was lost, or one of several messages of a window was refused.
 */
export type WindowOutcome = "accepted" | "rejected" | "unknown";

/** A range of records of one write that share an outcome. */
export interface OutcomeRange {
  readonly outcome: WindowOutcome;
  /** Index in the write of the first record. */
  readonly firstIndex: number;
  /** Number of records. */
  readonly records: number;
}

/** Figures of what the service accepted. */
export interface WriteFigures {
  /** Number of records that the service accepted. */
  readonly accepted: number;
  /** Number of SyncRecordsRequest messages. */
  readonly messages: number;
  /** Number of bytes of those messages. */
  readonly bytes: number;
  /** Number of times that a window was sent again. */
  readonly retries: number;
}

/** Figures of one finished write. */
export interface WriteResult extends WriteFigures {
  readonly collection: CollectionName;
}

/** What is known of one write of a batch. */
export interface WriteReport extends WriteResult {
  readonly state: "queued" | "writing" | "done" | "failed";
  /** What became of the records that were sent, in order; neighbours with the same outcome are one range. */
  readonly ranges: readonly OutcomeRange[];
}

/** A report while its write goes on. */
export interface MutableWriteReport {
  readonly collection: CollectionName;
  state: WriteReport["state"];
  readonly ranges: OutcomeRange[];
  accepted: number;
  messages: number;
  bytes: number;
  retries: number;
}

/** The report of a write that has not begun. */
export function newReport(collection: CollectionName): MutableWriteReport {
  return { collection, state: "queued", ranges: [], accepted: 0, messages: 0, bytes: 0, retries: 0 };
}

/** The figures of several writes, summed per collection. */
export function sumByCollection(
  reports: readonly WriteReport[],
): Partial<Record<CollectionName, WriteFigures>> {
  const sums: Partial<Record<CollectionName, WriteFigures>> = {};
  for (const { collection, accepted, messages, bytes, retries } of reports) {
    const sum = sums[collection] ?? { accepted: 0, messages: 0, bytes: 0, retries: 0 };
    sums[collection] = {
      accepted: sum.accepted + accepted,
      messages: sum.messages + messages,
      bytes: sum.bytes + bytes,
      retries: sum.retries + retries,
    };
  }
  return sums;
}

/** A range more; the last one grows where it fits. */
export function addRange(ranges: OutcomeRange[], range: OutcomeRange): void {
  const last = ranges.at(-1);
  if (last?.outcome !== range.outcome) ranges.push(range);
  else ranges[ranges.length - 1] = { ...last, records: last.records + range.records };
}
