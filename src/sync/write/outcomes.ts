import type { RecordOutcome } from "../../core/errors/index.js";
import type { Collection } from "../collections.js";

/** What was sent and accepted: of one write, or of all writes of one collection. */
export interface WriteStats {
  /** Number of records that were sent. A window that was sent again counts once. */
  readonly sent: number;
  /** Number of records that the service accepted. */
  readonly accepted: number;
  /** Number of events that were left out because an earlier attempt of the run got them accepted. */
  readonly alreadyAccepted: number;
  /** Number of bytes of the accepted messages. */
  readonly bytes: number;
  /** Number of accepted SyncRecordsRequest messages. */
  readonly messages: number;
  /** Number of windows: streams that were acknowledged. */
  readonly windows: number;
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

type MutableStats = { -readonly [Key in keyof WriteStats]: WriteStats[Key] };

export interface WriteReport extends MutableStats {
  readonly collection: Collection;
  expectedCount: number | undefined;
  /** A call that a completed batch refuses does not change it. */
  state: "queued" | "writing" | "done" | "failed";
  /** What became of the records that were sent, in order. Neighbours with the same outcome share a range. */
  readonly ranges: RecordOutcome[];
}

export function newReport(collection: Collection): WriteReport {
  return { collection, expectedCount: undefined, state: "queued", ranges: [], ...ZERO };
}

const ZERO: WriteStats = {
  sent: 0,
  accepted: 0,
  alreadyAccepted: 0,
  bytes: 0,
  messages: 0,
  windows: 0,
  retries: 0,
  sourceWaitMs: 0,
  serverWaitMs: 0,
};
const NAMES = ["sent", "accepted", "alreadyAccepted", "bytes", "messages", "windows", "retries"] as const;
const TIMES = ["sourceWaitMs", "serverWaitMs"] as const;

export function sumOf(all: readonly WriteStats[]): WriteStats {
  const sum: MutableStats = { ...ZERO };
  for (const stats of all) for (const name of [...NAMES, ...TIMES]) sum[name] += stats[name];
  return sum;
}

export function statsByCollection(reports: readonly WriteReport[]): Partial<Record<Collection, WriteStats>> {
  const stats: Partial<Record<Collection, WriteStats>> = {};
  for (const report of reports) stats[report.collection] = sumOf([stats[report.collection] ?? ZERO, report]);
  return stats;
}

export function addRange(ranges: RecordOutcome[], range: RecordOutcome): void {
  const last = ranges.at(-1);
  // Events that were left out may lie between two windows.
  if (last?.outcome !== range.outcome || last.firstIndex + last.records !== range.firstIndex)
    ranges.push(range);
  else ranges[ranges.length - 1] = { ...last, records: last.records + range.records };
}
