import type { RunReceipt, SyncBatch } from "@saas-management/sdk";
import type { Conduct } from "./conduct.js";
import type { SimCollection } from "./messages.js";
import type { Judging } from "./program.js";

/** What the caller of a write sees. */
export interface ObservedWrite {
  /** A string that is in each record of the write. */
  readonly label: string;
  readonly collection: SimCollection;
  /** Whether the write came piece by piece, outside the queue of writes. */
  readonly pieces?: boolean;
  /** Whether the caller had already called `complete()`. */
  readonly afterCompletion: boolean;
  /** Ids of the write's source, in order. */
  readonly keys: readonly string[];
  /** Whether the source yields all of its records, and all of them are valid. */
  readonly whole: boolean;
  outcome: "under way" | "done" | "failed";
  error?: unknown;
}

/** One call of a run's connector. All times are ticks of the observation. */
export interface ObservedExtraction {
  readonly writes: ObservedWrite[];
  readonly run: ObservedRun;
  /** When the connector was called. */
  readonly begun: number;
  /** When the connector had returned and its writes had ended. */
  ended: number;
  threw: boolean;
  /** When the first of the snapshots was judged. */
  judged: number;
  /** When the connector wrote something too late. */
  late: number;
  /** The batch that held the lock when the connector was called. */
  readonly lockedBy: string | undefined;
  /** The value to which the connector advanced the watermark of usage. */
  advanced?: string;
}

/** What the caller of a batch sees. */
export interface ObservedBatch {
  readonly id: string;
  /** What a run sends in the batch; undefined for a caller's own batch. */
  readonly extraction?: ObservedExtraction | undefined;
  readonly writes: ObservedWrite[];
  completion: "none" | "under way" | "done" | "failed";
  completionError?: unknown;
  /** State of the handle after its last call; undefined for the batches of a run. */
  handle?: SyncBatch["state"];
  /** The handle's counts. The counts can still grow, because windows may be sent later. */
  stats?: () => SyncBatch["stats"];
  /** Whether the handle is closed, which allows others to release the lock. */
  left?: boolean;
  /** Whether the caller knows that the batch may still hold the lock. */
  mayHoldLock: boolean;
}

/** All writes to a caller's batch, or all writes by one call of a connector. */
export type Writing = Pick<ObservedBatch, "writes"> & Partial<Pick<ObservedBatch, "completion">>;

/** A complete snapshot that a run wrote. */
export interface WrittenSnapshot {
  readonly collection: string;
  readonly ids: ReadonlySet<string>;
}

/** What the caller of a run sees. Times are ticks of the observation unless they are in milliseconds. */
export interface ObservedRun {
  /** What the run's process does on the wire. */
  readonly conduct: Conduct;
  readonly judging: Judging | undefined;
  readonly restarts: number;
  readonly snapshots: readonly WrittenSnapshot[];
  /** The approval that the caller passed. */
  readonly approve: string | undefined;
  readonly begun: number;
  ended: number;
  readonly extractions: ObservedExtraction[];
  /** The batches that the run is known to have started, in order. */
  readonly batches: ObservedBatch[];
  /** When the run was last judged, in milliseconds. */
  judgedAtMs: number;
  /** Whether the run's process died. */
  killed: boolean;
  receipt?: RunReceipt;
  error?: unknown;
}

/** Everything that the processes of a simulation were told. */
export class Observation {
  readonly batches: ObservedBatch[] = [];
  readonly runs: ObservedRun[] = [];
  /** The approval that was offered last. */
  offered: string | undefined;
  /** Watermarks that covered events missing from the service when a run read them. */
  readonly falseWatermarks: string[] = [];
  /** All output: errors, progress, log lines, receipts. */
  readonly told: unknown[] = [];
  /** Signals that callers passed. */
  readonly signals: AbortSignal[] = [];
  /** Calls that have not settled. */
  pending = 0;
  #labels = 0;
  #ticks = 0;

  label(): string {
    this.#labels += 1;
    return `w${this.#labels}`;
  }

  /** Returns a number higher than all before, even if the clock stands still. */
  readonly tick = (): number => {
    this.#ticks += 1;
    return this.#ticks;
  };

  batch(id: string, extraction?: ObservedExtraction): ObservedBatch {
    const known = this.batches.find((batch) => batch.id === id);
    if (known !== undefined) return known;
    const writes = extraction?.writes ?? [];
    const batch: ObservedBatch = { id, extraction, writes, completion: "none", mayHoldLock: true };
    this.batches.push(batch);
    return batch;
  }

  /** Waits for a call, and records its value or its error. */
  async settle<T>(call: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
    this.pending += 1;
    try {
      const value = await call;
      this.told.push(value);
      return { value };
    } catch (error) {
      this.told.push(error);
      return { error };
    } finally {
      this.pending -= 1;
    }
  }
}
