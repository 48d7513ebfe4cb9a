import { InvalidInputError } from "../../core/errors/index.js";
import type { SyncBatch } from "../batch/sync-batch.js";
import type { CollectionName, EventCollection, RecordOf, SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { CollectionWriter } from "../write/collection-writer.js";
import type { WriteOptions } from "../write/options.js";
import type { WriteResult } from "../write/outcomes.js";
import type { RecordSource } from "../write/source.js";

/**
 * The batch as a run's function has it: it writes, and the run completes or aborts.
 *
 * A declared snapshot collection is written exactly once, as a whole; event collections as often as wanted.
 */
export interface RunBatch<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends Pick<SyncBatch, "id" | "lease" | "signal" | "stats" | "writes"> {
  /**
   * See {@link SyncBatch.write}. @throws {InvalidInputError} a snapshot collection that is undeclared or written before
   */
  write<C extends Snapshots | EventCollection>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options?: WriteOptions,
  ): Promise<WriteResult>;
  /**
   * See {@link SyncBatch.open}. @throws {InvalidInputError} a snapshot collection that is undeclared or written before
   */
  open<C extends Snapshots | EventCollection>(collection: C, options?: WriteOptions): CollectionWriter<C>;
}

/** Guards a batch by the declaration of its run. */
export class DeclaredBatch<Snapshots extends SnapshotCollection> implements RunBatch<Snapshots> {
  readonly #batch: SyncBatch;
  readonly #declared: ReadonlySet<CollectionName>;
  readonly #written = new Set<CollectionName>();
  #violation: InvalidInputError | undefined;

  constructor(batch: SyncBatch, snapshots: readonly Snapshots[]) {
    this.#batch = batch;
    this.#declared = new Set<CollectionName>(snapshots);
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

  get writes() {
    return this.#batch.writes;
  }

  write<C extends Snapshots | EventCollection>(
    collection: C,
    source: RecordSource<RecordOf<C>>,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    try {
      this.#admit(collection);
    } catch (error) {
      return refusal(error);
    }
    return this.#batch.write(collection, source, options);
  }

  open<C extends Snapshots | EventCollection>(collection: C, options?: WriteOptions): CollectionWriter<C> {
    this.#admit(collection);
    try {
      return this.#batch.open(collection, options);
    } catch (error) {
      // It was not opened: it is still missing.
      this.#written.delete(collection);
      throw error;
    }
  }

  // The types have none of these three. Who calls them all the same, in JavaScript, is told why, and nothing is
  // completed: a call that nobody awaits must not pass for done.

  complete(): Promise<never> {
    return refusal(this.#violated(endedByRun("complete")));
  }

  abort(): Promise<never> {
    return refusal(this.#violated(endedByRun("abort")));
  }

  close(): never {
    throw this.#violated(endedByRun("close"));
  }

  /**
   * Checks that what was declared was written, before the batch is completed.
   * @throws {InvalidInputError} the first violation of the declaration, or the collections that are missing
   */
  requireComplete(): void {
    if (this.#violation !== undefined) throw this.#violation;
    const missing = [...this.#declared].filter((collection) => !this.#written.has(collection));
    if (missing.length === 0) return;
    throw new InvalidInputError(
      `The run declares the snapshots ${[...this.#declared].join(", ")}, but did not write ${missing.join(", ")}. Nothing was completed. Write an empty list where the source has none.`,
    );
  }

  #admit(collection: CollectionName): void {
    // A batch that is over says so itself: that the snapshot was written before is then not what is wrong.
    if (this.#batch.state !== "active") return;
    if (!Object.hasOwn(WIRE, collection) || WIRE[collection].model === "event") return;
    if (!this.#declared.has(collection)) {
      throw this.#violated(
        `${collection} is a snapshot collection that the run does not declare. Add it to snapshots.`,
      );
    }
    if (this.#written.has(collection)) {
      throw this.#violated(
        `${collection} was written before in this run. A snapshot is written once, as a whole: a second write would hide that the first was only a part. Write one source that has all pages, or use open, push and seal.`,
      );
    }
    this.#written.add(collection);
  }

  #violated(message: string): InvalidInputError {
    this.#violation ??= new InvalidInputError(message);
    return this.#violation;
  }
}

/** A rejection that nobody has to await: the violation still stands in the way of completion. */
function refusal(error: unknown): Promise<never> {
  const refused = Promise.reject<never>(error);
  refused.catch(() => {});
  return refused;
}

function endedByRun(method: string): string {
  return `The batch of a run completes when its function returns and is aborted when it throws: leave ${method}() out, and throw to abort.`;
}
