import { randomUUID } from "node:crypto";
import type { Collection } from "../workspace.js";
import { Refusal } from "./refusal.js";

/** Where a batch stands (service description, "Sync batch"). Only an active one holds the lock of its installation. */
export type BatchState = "active" | "completed" | "aborted" | "expired";

/** A batch is lost after 15 minutes without an accepted write (service description, "Limits"). */
export const LEASE_MS = 15 * 60_000;

/** @internal What a batch did to one collection. Events use `accepted` only. */
export interface CollectionTally {
  /** Records that were accepted, each as often as it was sent. */
  accepted: number;
  /** Ids that were not known before. */
  added: number;
  /** Ids that were known, and were written again. */
  updated: number;
  /** Ids of the previous completed snapshot that this batch did not have. */
  removed: number;
}

/**
 * One batch of an installation.
 *
 * - active → completed, by CompleteSyncBatch
 * - active → aborted, by AbortSyncBatch
 * - active → expired, when the lease runs out
 *
 * No timer watches the lease: it is compared with the clock whenever somebody looks.
 *
 * @internal
 */
export class Batch {
  /** Random, so that it cannot be guessed, and never used again. */
  readonly id = randomUUID();
  /** One entry for each collection that the batch included, in the order of their first message. */
  readonly tallies = new Map<Collection, CollectionTally>();
  #state: BatchState = "active";
  #leaseExpiresAt: number;
  #endedAt: number | undefined;
  #newestStream = 0;
  #openStream: number | undefined;

  /**
   * @param sequence Position among the batches of the installation, from 1.
   * @param startedAt Time of the start, in milliseconds since the epoch.
   */
  constructor(
    readonly sequence: number,
    readonly startedAt: number,
  ) {
    this.#leaseExpiresAt = startedAt + LEASE_MS;
  }

  get leaseExpiresAt(): number {
    return this.#leaseExpiresAt;
  }

  /** When the batch ended; for an expired one, when its lease ran out. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  stateAt(now: number): BatchState {
    if (this.#state === "active" && now >= this.#leaseExpiresAt) this.#end("expired", this.#leaseExpiresAt);
    return this.#state;
  }

  /** Refuses an operation that only an active batch allows. */
  requireActive(now: number): void {
    const state = this.stateAt(now);
    if (state === "expired") {
      throw Refusal.wrongState(state, "The batch's lease of 15 minutes ran out. Start a new batch.");
    }
    if (state !== "active") {
      throw Refusal.wrongState(state, `The batch is ${state} already. Start a new batch.`);
    }
  }

  /**
   * Lets a stream write. Streams are numbered in the order in which they were opened: once a newer one has written,
   * the older ones are shut out, so that a retried write never meets its own delayed first try.
   */
  enter(stream: number): void {
    if (stream < this.#newestStream) {
      throw Refusal.wrongState(
        "active",
        "A newer stream writes to this batch; this one may not write any more.",
      );
    }
    this.#newestStream = stream;
    this.#openStream = stream;
  }

  /** The stream has ended, in whatever way. */
  leave(stream: number): void {
    if (this.#openStream === stream) this.#openStream = undefined;
  }

  /** A message was applied. */
  renewLease(now: number): void {
    this.#leaseExpiresAt = now + LEASE_MS;
  }

  /** Lets the lease of an active batch run out now. */
  endLease(now: number): void {
    if (this.stateAt(now) === "active") this.#leaseExpiresAt = now;
  }

  /** Refuses completion unless the batch is active and all its writes have finished. */
  requireCompletable(now: number): void {
    this.requireActive(now);
    if (this.#openStream !== undefined) {
      throw Refusal.wrongState("active", "A write to this batch has not finished. Complete it afterwards.");
    }
  }

  complete(now: number): void {
    this.#end("completed", now);
  }

  /** Aborting again, or after the lease ran out, changes nothing; a completed batch can't be taken back. */
  abort(now: number): void {
    const state = this.stateAt(now);
    if (state === "completed")
      throw Refusal.wrongState(state, "The batch is completed and cannot be aborted.");
    if (state === "active") this.#end("aborted", now);
  }

  tally(collection: Collection): CollectionTally {
    let tally = this.tallies.get(collection);
    if (tally === undefined) {
      tally = { accepted: 0, added: 0, updated: 0, removed: 0 };
      this.tallies.set(collection, tally);
    }
    return tally;
  }

  #end(state: BatchState, at: number): void {
    this.#state = state;
    this.#endedAt = at;
  }
}
