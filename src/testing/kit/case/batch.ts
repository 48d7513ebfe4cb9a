import type { Collection } from "../../../sync/collections.js";
import type { RunBatch } from "../../../sync/run/declared-batch.js";
import type { EndOptions, WriteOptions, WriteStats } from "../../../sync/write/options.js";
import { leaveVirtualTime } from "../time/context.js";
import type { Passage } from "./passage.js";
import { passedSource, recordsOf } from "./source.js";

/** A batch of any collections. */
export interface AnyBatch extends Pick<RunBatch, "id" | "lease" | "signal" | "stats"> {
  write(collection: Collection, source: unknown, options?: WriteOptions): Promise<WriteStats>;
  writer(collection: Collection, options?: WriteOptions): AnyWriter;
}

interface AnyWriter {
  write(records: unknown): Promise<void>;
  end(options?: EndOptions): Promise<WriteStats>;
}

/**
 * The batch that a connector gets: in the SDK, time is that of the test's clock without the connector's context; records
 * are noted and struck on their way.
 */
export class KitBatch implements AnyBatch {
  readonly #batch: AnyBatch;
  readonly #passage: Passage;
  /** What the fault threw at a writer: the SDK does not complete a batch whose write has failed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(batch: AnyBatch, passage: Passage) {
    this.#batch = batch;
    this.#passage = passage;
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

  write(collection: Collection, source: unknown, options?: WriteOptions): Promise<WriteStats> {
    const passed = passedSource(collection, source, this.#passage);
    return this.#call(() => this.#batch.write(collection, passed, options));
  }

  writer(collection: Collection, options?: WriteOptions): AnyWriter {
    const writer = leaveVirtualTime(() => this.#batch.writer(collection, options));
    const passage = this.#passage;
    let last: Promise<unknown> = Promise.resolve();
    const next = <T>(step: () => Promise<T>): Promise<T> => {
      const done = last.then(step);
      last = done.catch((error: unknown) => {
        this.#failure ??= { error };
      });
      return done;
    };
    return {
      write: (records) =>
        next(async () => {
          const passed = await passage.pass(collection, recordsOf(records));
          return this.#call(() => writer.write(passed));
        }),
      end: (ending) =>
        next(async () => {
          await this.#call(async () => writer.write(await passage.end(collection)));
          return this.#call(() => writer.end(ending));
        }),
    };
  }

  /** @throws what the fault threw at a writer */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #call<T>(call: () => Promise<T>): Promise<T> {
    const called = this.#passage.activity.during("calls", () => leaveVirtualTime(call));
    // As in the SDK: the run fails for a write that nobody awaits.
    called.catch(() => {});
    return called;
  }
}
