/**
 * A small model of the service: one installation with the lock, leases, snapshots and events of the service
 * description.
 */

/** A batch lives 15 minutes after its last accepted message. */
const LEASE_MS = 15 * 60_000;

export type BatchState = "active" | "completed" | "aborted" | "expired";

/** A refusal, with the name of a gRPC status. */
export class ModelRefusal extends Error {
  constructor(
    readonly status: "ALREADY_EXISTS" | "FAILED_PRECONDITION" | "NOT_FOUND" | "INVALID_ARGUMENT",
    readonly batchState?: BatchState,
  ) {
    super(status);
  }
}

/** Some records of one collection in order, each represented by its key. */
export interface ModelMessage {
  readonly collection: string;
  readonly model: "snapshot" | "event";
  /** Ids of the records; for events without an id, their contents. */
  readonly keys: readonly string[];
  readonly hasIds: boolean;
  /** The label of each record: its write, and its index in that write. */
  readonly labels: readonly string[];
}

/** What the service did with one message. */
export interface Applied extends ModelMessage {
  readonly stream: number;
}

export interface ModelBatch {
  readonly id: string;
  state: BatchState;
  leaseEndsAt: number;
  newestStream: number;
  openStream: number | undefined;
  /** Every message that was applied, in order. */
  readonly applied: Applied[];
  /** Someone other than the clients started the batch. */
  readonly foreign: boolean;
  /** The batch's lease was ended early. */
  cutShort: boolean;
  /** The ticks at which the batch was started and completed. */
  readonly startedAt: number;
  completedAt: number | undefined;
}

interface Row {
  /** The record's latest label. */
  label: string;
  /** The completed snapshot that has the record; undefined for none. */
  completedBy: string | undefined;
  sentBy: string;
  removed: boolean;
}

export class ServiceModel {
  readonly batches: ModelBatch[] = [];
  readonly snapshots = new Map<string, Map<string, Row>>();
  /** How often each event is stored, by collection and key. */
  readonly events = new Map<string, Map<string, number>>();
  /** Whether the API key of all clients was revoked. */
  keyRevoked = false;
  readonly #completed = new Map<string, string>();
  readonly #tick: () => number;
  #streams = 0;

  /** @param tick Returns a higher number with each call. */
  constructor(tick: () => number) {
    this.#tick = tick;
  }

  /** @param foreign Whether someone other than the clients starts the batch. */
  start(now: number, foreign = false): ModelBatch {
    if (this.isLocked(now)) throw new ModelRefusal("ALREADY_EXISTS");
    const batch: ModelBatch = {
      id: `batch-${this.batches.length + 1}`,
      state: "active",
      leaseEndsAt: now + LEASE_MS,
      newestStream: 0,
      openStream: undefined,
      applied: [],
      foreign,
      cutShort: false,
      startedAt: this.#tick(),
      completedAt: undefined,
    };
    this.batches.push(batch);
    return batch;
  }

  /** Whether a batch holds the lock. */
  isLocked(now: number): boolean {
    return this.holder(now) !== undefined;
  }

  /** The batch that holds the lock. */
  holder(now: number): string | undefined {
    const newest = this.batches.at(-1);
    return newest !== undefined && this.#stateOf(newest, now) === "active" ? newest.id : undefined;
  }

  /** Numbers the streams as they open: a batch refuses older streams once a newer one has sent a message. */
  openStream(): number {
    this.#streams += 1;
    return this.#streams;
  }

  /** Applies one message as a whole. */
  apply(batchId: string, stream: number, message: ModelMessage, now: number): void {
    const batch = this.#active(batchId, now);
    if (stream < batch.newestStream) throw new ModelRefusal("FAILED_PRECONDITION", "active");
    batch.newestStream = stream;
    batch.openStream = stream;
    batch.applied.push({ ...message, stream });
    batch.leaseEndsAt = now + LEASE_MS;
    if (message.model === "snapshot") this.#addToSnapshot(batch, message);
    else this.#addEvents(message);
  }

  closeStream(batchId: string, stream: number): void {
    const batch = this.batches.find(({ id }) => id === batchId);
    if (batch?.openStream === stream) batch.openStream = undefined;
  }

  complete(batchId: string, now: number): void {
    const batch = this.#active(batchId, now);
    if (batch.openStream !== undefined) throw new ModelRefusal("FAILED_PRECONDITION", "active");
    for (const collection of new Set(batch.applied.filter(isSnapshot).map((m) => m.collection))) {
      const sent = new Set(batch.applied.filter((m) => m.collection === collection).flatMap((m) => m.keys));
      const previous = this.#completed.get(collection);
      for (const [id, row] of this.#rows(collection)) {
        if (sent.has(id)) row.completedBy = batch.id;
        else if (row.completedBy !== undefined && row.completedBy === previous) row.removed = true;
      }
      this.#completed.set(collection, batch.id);
    }
    batch.state = "completed";
    batch.completedAt = this.#tick();
  }

  /** The collections of a batch's messages. */
  includedIn(batchId: string): readonly string[] {
    return [...new Set(this.#find(batchId).applied.map(({ collection }) => collection))];
  }

  abort(batchId: string, now: number): void {
    const batch = this.#find(batchId);
    const state = this.#stateOf(batch, now);
    if (state === "completed") throw new ModelRefusal("FAILED_PRECONDITION", state);
    if (state === "active") batch.state = "aborted";
  }

  /** Ends the lease of the newest batch. */
  expireNewest(): void {
    const newest = this.batches.at(-1);
    if (newest?.state !== "active") return;
    newest.state = "expired";
    newest.cutShort = true;
  }

  stateOf(batchId: string, now: number): BatchState {
    return this.#stateOf(this.#find(batchId), now);
  }

  #addToSnapshot(batch: ModelBatch, { collection, keys, labels }: ModelMessage): void {
    const rows = this.#rows(collection);
    for (const [index, key] of keys.entries()) {
      const completedBy = rows.get(key)?.completedBy;
      rows.set(key, { label: labels[index] ?? "", completedBy, sentBy: batch.id, removed: false });
    }
  }

  #addEvents({ collection, keys, hasIds }: ModelMessage): void {
    const events = this.events.get(collection) ?? new Map<string, number>();
    this.events.set(collection, events);
    for (const key of keys) events.set(key, hasIds ? 1 : (events.get(key) ?? 0) + 1);
  }

  #rows(collection: string): Map<string, Row> {
    const rows = this.snapshots.get(collection) ?? new Map<string, Row>();
    this.snapshots.set(collection, rows);
    return rows;
  }

  #active(batchId: string, now: number): ModelBatch {
    const batch = this.#find(batchId);
    const state = this.#stateOf(batch, now);
    if (state !== "active") throw new ModelRefusal("FAILED_PRECONDITION", state);
    return batch;
  }

  #find(batchId: string): ModelBatch {
    const batch = this.batches.find(({ id }) => id === batchId);
    if (batch === undefined) throw new ModelRefusal("NOT_FOUND");
    return batch;
  }

  #stateOf(batch: ModelBatch, now: number): BatchState {
    if (batch.state === "active" && now >= batch.leaseEndsAt) batch.state = "expired";
    return batch.state;
  }
}

function isSnapshot({ model }: ModelMessage): boolean {
  return model === "snapshot";
}
