import type { RecordOutcome } from "../../core/errors/index.js";
import type { Collection } from "../collections.js";

/** Figures of what the service accepted. */
export interface WriteFigures {
  /** Number of records that were sent. A window that was sent again counts once. */
  readonly sent: number;
  /** Number of events that were left out because an earlier attempt of the run got them accepted. */
  readonly alreadyAccepted: number;
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
   * Time spent waiting for an asynchronous source, in milliseconds. For a source of single records it includes the time
   * to encode them: reading the clock for each record would cost too much.
   */
  readonly sourceWaitMs: number;
  /** Time spent waiting for acknowledgements while nothing else could be done, in milliseconds. */
  readonly serverWaitMs: number;
}

/** Figures of one finished write. */
export interface WriteResult extends WriteFigures {
  /** The collection that was written. */
  readonly collection: Collection;
}

/** What is known of one write of a batch. */
export interface WriteReport extends WriteResult {
  /** How far the write is. A call that a completed batch refuses does not change it. */
  readonly state: "queued" | "writing" | "done" | "failed";
  /** What became of the records that were sent, in order. Neighbours with the same outcome share a range. */
  readonly ranges: readonly RecordOutcome[];
}

/** The report of a write that is under way. */
export type MutableWriteReport = { -readonly [Key in keyof WriteReport]: WriteReport[Key] } & {
  readonly ranges: RecordOutcome[];
};

export function newReport(collection: Collection): MutableWriteReport {
  return { collection, state: "queued", ranges: [], ...ZERO };
}

const ZERO: WriteFigures = {
  sent: 0,
  alreadyAccepted: 0,
  windows: 0,
  accepted: 0,
  messages: 0,
  bytes: 0,
  retries: 0,
  sourceWaitMs: 0,
  serverWaitMs: 0,
};

export function resultOf(report: WriteReport): WriteResult {
  const { state: _state, ranges: _ranges, ...result } = report;
  return result;
}

/** Sums the figures of several writes by collection. */
export function sumByCollection(reports: readonly WriteReport[]): Partial<Record<Collection, WriteFigures>> {
  const sums: Partial<Record<Collection, WriteFigures>> = {};
  for (const report of reports) {
    sums[report.collection] = add(sums[report.collection] ?? ZERO, report);
  }
  return sums;
}

function add(a: WriteFigures, b: WriteFigures): WriteFigures {
  return {
    sent: a.sent + b.sent,
    alreadyAccepted: a.alreadyAccepted + b.alreadyAccepted,
    windows: a.windows + b.windows,
    accepted: a.accepted + b.accepted,
    messages: a.messages + b.messages,
    bytes: a.bytes + b.bytes,
    retries: a.retries + b.retries,
    sourceWaitMs: a.sourceWaitMs + b.sourceWaitMs,
    serverWaitMs: a.serverWaitMs + b.serverWaitMs,
  };
}

/** Adds a range, or extends the last one if the new range continues it. */
export function addRange(ranges: RecordOutcome[], range: RecordOutcome): void {
  const last = ranges.at(-1);
  // Events that were left out may lie between two windows.
  if (last?.outcome !== range.outcome || last.firstIndex + last.records !== range.firstIndex)
    ranges.push(range);
  else ranges[ranges.length - 1] = { ...last, records: last.records + range.records };
}
