import type { SyncBatch } from "@saas-management/sdk";
import type { SimCollection } from "./messages.js";
import type { Judging, Shape } from "./program.js";

/** A write as its caller knows it. */
export interface ObservedWrite {
  /** Stands in each of its records. */
  readonly label: string;
  readonly collection: SimCollection;
  /** Whether it was written piece by piece, beside the queue of writes. */
  readonly pieces?: boolean;
  /** Whether the batch's completion had been asked for when the write was called. */
  readonly afterCompletion: boolean;
  /** Ids of its source, in order. */
  readonly keys: readonly string[];
  /** Whether its arrays or records were used for something else before it had ended. */
  readonly changed: boolean;
  /** Whether the source gives all of them, and each is valid. */
  readonly whole: boolean;
  outcome: "under way" | "done" | "failed";
  error?: unknown;
}

/** A batch as its caller knows it. */
export interface ObservedBatch {
  readonly id: string;
  /** The run that it is an attempt of. */
  run?: string;
  readonly writes: ObservedWrite[];
  completion: "none" | "under way" | "done" | "failed";
  completionError?: unknown;
  /** State of the handle when nobody called it any more; undefined for the batches of a run. */
  handle?: SyncBatch["state"];
  /** When its caller relied on somebody else for the lease; undefined for never. */
  keptAlive?: { readonly from: number; until: number };
  /** Whether its handle is closed, and another may go on with the batch. */
  left?: boolean;
  /** Whether the caller was told, or has decided, that the lock may still be held. */
  mayHoldLock: boolean;
}

/** A snapshot that a run sent, whole. */
export interface SentSnapshot {
  readonly collection: string;
  readonly ids: ReadonlySet<string>;
  readonly shape: Shape | undefined;
}

/** A run that a ledger judged. */
export interface ObservedRun {
  readonly judging: Judging;
  readonly snapshots: readonly SentSnapshot[];
  /** The approval that it used. */
  readonly approve: string | undefined;
  /** Its batches, the last one last. */
  readonly batchIds: readonly string[];
  /** When it ended. */
  readonly at: number;
  readonly error: unknown;
}

/** Everything that the processes of a simulation were told. */
export class Observation {
  readonly batches: ObservedBatch[] = [];
  readonly runs: ObservedRun[] = [];
  /** The approval that was offered last. */
  offered: string | undefined;
  /** Watermarks that covered events which the service did not have when they were read. */
  readonly falseWatermarks: string[] = [];
  /** Whatever came out: errors, progress, log lines, receipts. */
  readonly told: unknown[] = [];
  /** Signals that callers gave. */
  readonly signals: AbortSignal[] = [];
  /** Calls that have not settled. */
  pending = 0;
  /** Whether a start was given up, or its answer lost, in a way that the caller was told of. */
  startsInDoubt = 0;
  #labels = 0;

  label(): string {
    this.#labels += 1;
    return `w${this.#labels}`;
  }

  batch(id: string): ObservedBatch {
    const known = this.batches.find((batch) => batch.id === id);
    if (known !== undefined) return known;
    const batch: ObservedBatch = { id, writes: [], completion: "none", mayHoldLock: true };
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
