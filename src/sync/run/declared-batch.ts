import { InvalidInputError } from "../../core/errors/index.js";
import type { BatchHandle, SyncBatch } from "../batch/sync-batch.js";
import type { Collection, EventCollection, RecordOf, SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { CollectionWriter } from "../write/collection-writer.js";
import type { WriteOptions, WriteStats } from "../write/options.js";
import type { EncodedSource, RecordSource } from "../write/source.js";

/**
 * The batch that a run's function writes to; the run completes or aborts it.
 *
 * A declared snapshot collection is written exactly once, in full; event collections any number of times.
 */
export interface RunBatch<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Pick<SyncBatch, "id" | "lease" | "signal" | "stats"> {
  /**
   * See {@link SyncBatch.write}. @throws {InvalidInputError} the snapshot collection is not declared, or was written before
   */
  write<C extends Snapshots | EventCollection>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options?: WriteOptions,
  ): Promise<WriteStats>;
  /**
   * See {@link SyncBatch.writer}. @throws {InvalidInputError} the snapshot collection is not declared, or was written before
   */
  writer<C extends Snapshots | EventCollection>(collection: C, options?: WriteOptions): CollectionWriter<C>;
}

/** Holds a run's function to the declaration of its snapshots. */
export class DeclaredBatch<Snapshots extends SnapshotCollection> implements RunBatch<Snapshots> {
  readonly #batch: BatchHandle;
  readonly #declared: ReadonlySet<Collection>;
  readonly #written = new Set<Collection>();
  #violation: InvalidInputError | undefined;

  constructor(batch: BatchHandle, snapshots: readonly Snapshots[]) {
    this.#batch = batch;
    this.#declared = new Set<Collection>(snapshots);
  }

  get id() {
    return this.#batch.id;
  }

  get lease() {
    return this.#batch.lease;
  }

  get signal() {
    return this.#batch.signal;
  }

  get stats() {
    return this.#batch.stats;
  }

  write<C extends Snapshots | EventCollection>(
    collection: C,
    source: RecordSource<RecordOf<C>> | EncodedSource,
    options?: WriteOptions,
  ): Promise<WriteStats> {
    try {
      this.#admit(collection);
    } catch (error) {
      return refusal(error);
    }
    return this.#batch.write(collection, source, options);
  }

  writer<C extends Snapshots | EventCollection>(collection: C, options?: WriteOptions): CollectionWriter<C> {
    this.#admit(collection);
    try {
      return this.#batch.writer(collection, options);
    } catch (error) {
      this.#written.delete(collection);
      throw error;
    }
  }

  /**
   * Checks that all declared snapshots were written.
   * @throws {InvalidInputError} the first violation of the declaration, or the missing collections
   */
  requireComplete(): void {
    if (this.#violation !== undefined) throw this.#violation;
    const missing = [...this.#declared].filter((collection) => !this.#written.has(collection));
    if (missing.length === 0) return;
    throw new InvalidInputError(
      `The run declares the snapshots ${[...this.#declared].join(", ")}, but did not write ${missing.join(", ")}. Nothing was completed. Write an empty array if there are no records.`,
    );
  }

  #admit(collection: Collection): void {
    // A batch that has ended refuses the write itself.
    if (this.#batch.state !== "active") return;
    if (!Object.hasOwn(WIRE, collection) || WIRE[collection].model === "event") return;
    if (!this.#declared.has(collection)) {
      throw this.#violated(
        `${collection} is a snapshot collection that the run does not declare. Add it to snapshots.`,
      );
    }
    if (this.#written.has(collection)) {
      throw this.#violated(
        `${collection} was already written in this run. Write a snapshot once, in full: use one source for all pages, or writer(), write() and end().`,
      );
    }
    this.#written.add(collection);
  }

  #violated(message: string): InvalidInputError {
    this.#violation ??= new InvalidInputError(message);
    return this.#violation;
  }
}

/** A rejection that the caller need not await: the violation prevents the completion in any case. */
function refusal(error: unknown): Promise<never> {
  const refused = Promise.reject<never>(error);
  refused.catch(() => {});
  return refused;
}
