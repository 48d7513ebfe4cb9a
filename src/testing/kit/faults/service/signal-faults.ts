import type { Fault } from "../../../../reference-server/faults/fault.js";
import type { NamedFault } from "../fault.js";

/** A signal that the connector's process gets during a run. */
export interface SignalFault extends NamedFault {
  readonly signal: "SIGINT" | "SIGKILL";
  /** It strikes only runs that have so many writes. */
  readonly writes: number;
  /** Holds the call back during which the process gets the signal. */
  readonly hold: Fault;
}

/** For longer than it takes to send a signal. Time stands still until then. */
export const HELD_MS = 1000;

const MOMENTS: readonly (readonly [
  at: string,
  when: string,
  on: Fault["on"],
  moment: "request" | "answer",
  nth?: number,
])[] = [
  ["start", "when its batch was just started", "StartSyncBatch", "answer"],
  ["write-1", "during its first write", "SyncRecords", "request"],
  ["write-2", "during its second write", "SyncRecords", "request", 2],
  ["complete", "before its completion is done", "CompleteSyncBatch", "request"],
  ["completed", "when its completion is done and not answered", "CompleteSyncBatch", "answer"],
];

/** Signals at every call of a run. They need the connector's module, for a process of its own. */
export const SIGNAL_FAULTS: readonly SignalFault[] = (["SIGKILL", "SIGINT"] as const).flatMap((signal) =>
  MOMENTS.map(([at, when, on, moment, nth = 1]) => ({
    name: `${signal.toLowerCase()}-at-${at}`,
    summary: `the process gets ${signal} ${when}`,
    signal,
    writes: nth,
    hold: { on, at: moment, nth, fault: "delay", ms: HELD_MS },
  })),
);
