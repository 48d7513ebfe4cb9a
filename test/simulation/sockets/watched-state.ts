import { status } from "@grpc/grpc-js";
import type { Clock } from "../../../src/core/clock.js";
import type { Batch } from "../../../src/reference-server/sync/batch.js";
import { Refusal } from "../../../src/reference-server/sync/refusal.js";
import { type FoundBatch, type Subject, SyncState } from "../../../src/reference-server/sync/state.js";
import type { CollectionMessage } from "../../../src/reference-server/sync/stores.js";
import type { Workspace } from "../../../src/reference-server/workspace.js";
import { readMessage } from "../messages.js";
import { ModelRefusal, type ServiceModel } from "../service-model.js";

/** The server's state, which has the model do whatever it does itself, and notes where the two do not agree. */
export class WatchedState extends SyncState {
  /** Where the model says something else than the server. */
  readonly differences: string[] = [];
  readonly #model: ServiceModel;

  constructor(clock: Clock, model: ServiceModel) {
    super(clock);
    this.#model = model;
  }

  override start(installationId: string, workspace: Workspace): string {
    return this.#both(
      "start",
      () => super.start(installationId, workspace),
      (id) => this.#model.start(this.clock.now(), id),
    );
  }

  override write(found: FoundBatch, stream: number, message: CollectionMessage): void {
    const { id } = found.batch;
    this.#both(
      `stream ${stream} of ${id}`,
      () => super.write(found, stream, message),
      () => {
        const sent = readMessage({ batchId: id, collection: message });
        this.#model.apply(id, stream, sent.message, this.clock.now());
      },
    );
  }

  override endStream(batch: Batch, stream: number): void {
    super.endStream(batch, stream);
    this.#model.closeStream(batch.id, stream);
  }

  override complete(batchId: string, workspace: Workspace) {
    return this.#both(
      `complete ${batchId}`,
      () => super.complete(batchId, workspace),
      () => this.#model.complete(batchId, this.clock.now()),
    );
  }

  override abort(batchId: string, workspace: Workspace): void {
    this.#both(
      `abort ${batchId}`,
      () => super.abort(batchId, workspace),
      () => this.#model.abort(batchId, this.clock.now()),
    );
  }

  override endLease(subject: Subject): void {
    super.endLease(subject);
    if (subject.batch !== undefined) this.#model.expire(subject.batch.id);
  }

  override stealLock(subject: Subject): void {
    super.stealLock(subject);
    const stolen = subject.installation.batches.at(-1);
    if (stolen !== undefined) this.#model.steal(this.clock.now(), stolen.id);
  }

  /** Does it here and in the model. Only what each says of it is compared. */
  #both<T>(what: string, here: () => T, there: (value: T | undefined) => unknown): T {
    const own = outcomeOf(here);
    const model = outcomeOf(() => there(own.value));
    if (own.said !== model.said)
      this.differences.push(`${what}: the server says ${own.said}, the model ${model.said}`);
    return own.end();
  }
}

interface Outcome<T> {
  readonly said: string;
  readonly value?: T;
  /** Returns the value, or throws what was thrown. */
  readonly end: () => T;
}

function outcomeOf<T>(act: () => T): Outcome<T> {
  try {
    const value = act();
    return { said: "yes", value, end: () => value };
  } catch (error) {
    return {
      said: said(error),
      end: () => {
        throw error;
      },
    };
  }
}

function said(error: unknown): string {
  if (error instanceof Refusal) return `${status[error.code]} ${error.trailers["batch-state"]}`;
  if (error instanceof ModelRefusal) return `${error.status} ${error.batchState}`;
  return String(error);
}
