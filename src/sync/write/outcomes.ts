import type { RecordOutcome } from "../../core/errors/index.js";
import type { CollectionName } from "../collections.js";

/** Figures of what the service accepted. */
export interface WriteFigures {
  /** Number of records that were sent; a window that was sent again counts once. */
  readonly sent: number;
  /** Number of events that were left out because an earlier attempt of the run got them accepted. */
  readonly leftOut: number;
  /** Number of records that the service accepted. */
  readonly accepted: number;
  /** Number of windows: streams that were acknowledged. */
  readonly windows: number;
  /** Number of SyncRecordsRequest messages. */
  readonly messages: number;
  /** Number of bytes of those messages. */
  readonly bytes: number;
  /** Number of times that a window was sent again. */
  readonly retries: number;
  /**
   * Time that an asynchronous source was waited for, in milliseconds. Where it gives single records, not arrays of
   * them, the time to encode the records of one message is in here: to look at the clock for each would cost too much.
   */
  readonly sourceWaitMs: number;
  /** Time that the service's acknowledgements were waited for while nothing else could be done, in milliseconds. */
  readonly serverWaitMs: number;
}

/** Every figure, so that a new one is summed too. */
const FIGURES = [
  "sent",
  "leftOut",
  "windows",
  "accepted",
  "messages",
  "bytes",
  "retries",
  "sourceWaitMs",
  "serverWaitMs",
] as const satisfies readonly (keyof WriteFigures)[];

/** Figures of one finished write. */
export interface WriteResult extends WriteFigures {
  /** The collection that was written. */
  readonly collection: CollectionName;
}

/** What is known of one write of a batch. */
export interface WriteReport extends WriteResult {
  /** How far the write is. What comes too late for a completed batch, and is refused, changes nothing of it. */
  readonly state: "queued" | "writing" | "done" | "failed";
  /** What became of the records that were sent, in order; neighbours with the same outcome are one range. */
  readonly ranges: readonly RecordOutcome[];
}

/** A report while its write goes on. */
export type MutableWriteReport = { -readonly [Key in keyof WriteReport]: WriteReport[Key] } & {
  readonly ranges: RecordOutcome[];
};

/** The report of a write that has not begun. */
export function newReport(collection: CollectionName): MutableWriteReport {
  return { collection, state: "queued", ranges: [], ...ZERO };
}

const ZERO: WriteFigures = {
  sent: 0,
  leftOut: 0,
  windows: 0,
  accepted: 0,
  messages: 0,
  bytes: 0,
  retries: 0,
  sourceWaitMs: 0,
  serverWaitMs: 0,
};

/** The result of a write that is done. */
export function resultOf(report: WriteReport): WriteResult {
  const { state: _state, ranges: _ranges, ...result } = report;
  return result;
}

/** The figures of several writes, summed per collection. */
export function sumByCollection(
  reports: readonly WriteReport[],
): Partial<Record<CollectionName, WriteFigures>> {
  const sums: Partial<Record<CollectionName, WriteFigures>> = {};
  for (const report of reports) {
    const sum: { -readonly [Key in keyof WriteFigures]: number } = { ...(sums[report.collection] ?? ZERO) };
    for (const figure of FIGURES) sum[figure] += report[figure];
    sums[report.collection] = sum;
  }
  return sums;
}

/** A range more; the last one grows where it fits. */
export function addRange(ranges: RecordOutcome[], range: RecordOutcome): void {
  const last = ranges.at(-1);
  // Between two windows there may be events that were left out.
  if (last?.outcome !== range.outcome || last.firstIndex + last.records !== range.firstIndex)
    ranges.push(range);
  else ranges[ranges.length - 1] = { ...last, records: last.records + range.records };
}
