import type { RunReceipt, SyncBatch } from "@saas-management/sdk";
import type { Conduct } from "./conduct.js";
import type { SimCollection } from "./messages.js";
import type { Judging } from "./program.js";

/** A write from its caller's point of view. */
export interface ObservedWrite {
  /** Part of each of its records. */
  readonly label: string;
  readonly collection: SimCollection;
  /** Whether it was written piece by piece, outside the queue of writes. */
  readonly pieces?: boolean;
  /** Whether the batch's completion had been asked for when the write was called. */
  readonly afterCompletion: boolean;
  /** Ids of its source, in order. */
  readonly keys: readonly string[];
  /** Whether the source gives all of them, and each is valid. */
  readonly whole: boolean;
  outcome: "under way" | "done" | "failed";
  error?: unknown;
}

/** One call of a run's connector. Moments are ticks of the observation. */
export interface ObservedExtraction {
  readonly writes: ObservedWrite[];
  readonly run: ObservedRun;
  /** When the connector was called. */
  readonly begun: number;
  /** When it had returned and its writes had ended. */
  ended: number;
  threw: boolean;
  /** When one of its snapshots was first judged. */
  judged: number;
  /** When something was written to it too late. */
  late: number;
  /** The batch that held the lock when the connector was called. */
  readonly lockedBy: string | undefined;
  /** What the connector advanced the watermark of usage to. */
  advanced?: string;
}

/** A batch from its caller's point of view. */
export interface ObservedBatch {
  readonly id: string;
  /** What a run sends in it; undefined for a batch of a caller. */
  readonly extraction?: ObservedExtraction | undefined;
  readonly writes: ObservedWrite[];
  completion: "none" | "under way" | "done" | "failed";
  completionError?: unknown;
  /** State of the handle after the last call to it; undefined for the batches of a run. */
  handle?: SyncBatch["state"];
  /** Its own counts; a window may be sent later. */
  stats?: () => SyncBatch["stats"];
  /** Whether its handle is closed, and somebody else may release its lock. */
  left?: boolean;
  /** Whether the caller was told, or has decided, that the lock may still be held. */
  mayHoldLock: boolean;
}

/** Writes that belong together: those to a caller's batch, or those by one call of a connector. */
export type Writing = Pick<ObservedBatch, "writes"> & Partial<Pick<ObservedBatch, "completion">>;

/** A snapshot that a run wrote, whole. */
export interface WrittenSnapshot {
  readonly collection: string;
  readonly ids: ReadonlySet<string>;
}

/** A run from its caller's point of view. Moments are ticks of the observation. */
export interface ObservedRun {
  /** What its process does on the wire. */
  readonly conduct: Conduct;
  readonly judging: Judging | undefined;
  readonly restarts: number;
  readonly snapshots: readonly WrittenSnapshot[];
  /** The approval that it used. */
  readonly approve: string | undefined;
  readonly begun: number;
  ended: number;
  readonly extractions: ObservedExtraction[];
  /** The batches that it was told it started, the latest last. */
  readonly batches: ObservedBatch[];
  /** When it was last judged, in milliseconds. */
  judgedAtMs: number;
  /** Whether its process died. */
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
  /** Watermarks that, when read, covered events that the service did not have. */
  readonly falseWatermarks: string[] = [];
  /** All output: errors, progress, log lines, receipts. */
  readonly told: unknown[] = [];
  /** Signals that callers gave. */
  readonly signals: AbortSignal[] = [];
  /** Calls that have not settled. */
  pending = 0;
  #labels = 0;
  #ticks = 0;

  label(): string {
    this.#labels += 1;
    return `w${this.#labels}`;
  }

  /** A moment later than all before, even if the clock stands still. */
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

  /** Waits for a call and writes down that it settled. */
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
