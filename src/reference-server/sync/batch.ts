import { randomUUID } from "node:crypto";
import { status } from "@grpc/grpc-js";
import { BATCH_STATE_KEY } from "../../sync/generated/contract.js";
import { getOrAdd } from "../values.js";
import type { Collection } from "../workspace.js";
import { Refusal } from "./refusal.js";

/** State of a batch (service description, "Sync batch"). Only an active batch holds the lock of its installation. */
export type BatchState = "active" | "completed" | "aborted" | "expired";

/** A batch expires after 15 minutes without an accepted write (service description, "Limits"). */
const LEASE_MS = 15 * 60_000;

/** What a batch did to one collection. For events, only `accepted` is used. */
export interface CollectionCounts {
  /** Number of accepted records; a record that was sent twice counts twice. */
  accepted: number;
  added: number;
  updated: number;
  removed: number;
}

/** One batch of an installation. No timer watches the lease; every access compares it with the clock. */
export class Batch {
  readonly id = randomUUID();
  /** One entry for each collection that the batch included, in the order of their first messages. */
  readonly counts = new Map<Collection, CollectionCounts>();
  #state: BatchState = "active";
  #leaseExpiresAt: number;
  #newestStream = 0;
  #openStream: number | undefined;

  constructor(
    readonly sequence: number,
    startedAt: number,
  ) {
    this.#leaseExpiresAt = startedAt + LEASE_MS;
  }

  get leaseExpiresAt(): number {
    return this.#leaseExpiresAt;
  }

  stateAt(now: number): BatchState {
    if (this.#state === "active" && now >= this.#leaseExpiresAt) this.#state = "expired";
    return this.#state;
  }

  requireActive(now: number): void {
    const state = this.stateAt(now);
    if (state === "expired") {
      throw wrongState(state, "The lease of the batch (15 minutes) expired. Start a new batch.");
    }
    if (state !== "active") throw wrongState(state, `The batch is already ${state}. Start a new batch.`);
  }

  /**
   * Lets a stream write. Streams are numbered in the order in which they were opened. Once a newer stream has written,
   * older ones are refused, so that a write's delayed first attempt can't interfere with its retry.
   */
  enter(stream: number): void {
    if (stream < this.#newestStream) {
      throw wrongState("active", "A newer stream writes to this batch. This stream can no longer write.");
    }
    this.#newestStream = stream;
    this.#openStream = stream;
  }

  leave(stream: number): void {
    if (this.#openStream === stream) this.#openStream = undefined;
  }

  renewLease(now: number): void {
    this.#leaseExpiresAt = now + LEASE_MS;
  }

  endLease(now: number): void {
    if (this.stateAt(now) === "active") this.#leaseExpiresAt = now;
  }

  complete(now: number): void {
    this.requireActive(now);
    if (this.#openStream !== undefined) {
      throw wrongState("active", "A write to this batch has not finished. Complete the batch afterwards.");
    }
    this.#state = "completed";
  }

  abort(now: number): void {
    const state = this.stateAt(now);
    if (state === "completed") throw wrongState(state, "The batch is completed and cannot be aborted.");
    if (state === "active") this.#state = "aborted";
  }

  countsOf(collection: Collection): CollectionCounts {
    return getOrAdd(this.counts, collection, () => ({ accepted: 0, added: 0, updated: 0, removed: 0 }));
  }
}

function wrongState(state: BatchState, details: string): Refusal {
  return new Refusal(status.FAILED_PRECONDITION, details, { [BATCH_STATE_KEY]: state });
}
