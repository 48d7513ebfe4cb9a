import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isObject } from "../../core/validate.js";
import { RecordSink } from "./record-sink.js";
import { closeSource, inSteps, type OpenedSource, openSource } from "./source.js";
import type { SinkContext } from "./window-queue.js";

// Loaded with the first write, together with everything else that writes need.
export { MessageBuilder } from "../encoding/message-builder.js";
export { RecordSink };

/** Reads one source into a sink, no faster than the service accepts. */
export class SourceReader {
  readonly #source: OpenedSource;
  readonly #sink: RecordSink;
  readonly #context: SinkContext;
  /** Whether the source is exhausted or threw; its return() must then not be called. */
  #ended = false;
  #isWaiting = false;

  /** @throws {InvalidInputError} `source` isn't a source, or can't be read */
  constructor(source: unknown, context: SinkContext) {
    this.#source = openSource(source, context.collection.name);
    this.#sink = new RecordSink(context);
    this.#context = context;
  }

  get taken(): number {
    return this.#sink.taken;
  }

  /** Whether the source has been asked for more and hasn't answered yet. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /**
   * Resolves with the number of records when all were accepted. Rejects with the signal's reason, the source's own
   * exception or an error of the SDK.
   */
  async run(): Promise<number> {
    const { signal } = this.#context.stop;
    const reading = this.#read();
    try {
      await raceAbort(reading, signal);
      return this.taken;
    } catch (error) {
      if (!this.#ended) closeSource(this.#source);
      // Windows in flight may still be acknowledged, unless the write must end at once.
      if (!signal.aborted) await this.#sink.settled();
      // The source may be stuck in its last step; its result no longer matters.
      this.#context.stop.abort();
      throw error;
    } finally {
      this.#sink.close();
    }
  }

  async #read(): Promise<void> {
    const source = this.#source;
    if (source.kind === "sync")
      await (source.array ? this.#sink.takeSource(source.array) : this.#readSync(source.iterator));
    else await this.#readAsync(source);
    await this.#sink.finish();
  }

  #readSync(iterator: Iterator<unknown>): Promise<void> | undefined {
    return inSteps(() => {
      for (;;) {
        const step = this.#next(iterator);
        if (step.done === true) return this.#end(step.value);
        const waits = this.#sink.take(step.value);
        if (waits !== undefined) return waits;
      }
    });
  }

  #next(iterator: Iterator<unknown>): IteratorResult<unknown> {
    try {
      return requireStep(iterator.next());
    } catch (error) {
      this.#ended = true;
      throw error;
    }
  }

  async #readAsync({ iterator, readsAhead }: OpenedSource & { readonly kind: "async" }): Promise<void> {
    const { clock, report, stop } = this.#context;
    let since = clock.monotonic();
    const countWait = () => {
      report.sourceWaitMs += clock.monotonic() - since;
    };
    const seen = new WeakSet<object>();
    for (;;) {
      let step: IteratorResult<unknown>;
      this.#isWaiting = true;
      try {
        step = requireStep(await iterator.next());
      } catch (error) {
        this.#ended = true;
        throw error;
      }
      this.#isWaiting = false;
      stop.signal.throwIfAborted();
      if (step.done === true) {
        countWait();
        return this.#end(step.value);
      }
      const { value } = step;
      if (readsAhead && repeats(value, seen)) throw new InvalidInputError(REFILLED);
      // Reading the clock takes a tenth of the time that a record takes, so it's read once for many records.
      const many = Array.isArray(value);
      if (many) countWait();
      const waits = this.#sink.take(value);
      if (waits !== undefined) {
        if (!many) countWait();
        await waits;
      }
      if (many || waits !== undefined) since = clock.monotonic();
      // The next record may take a long time to arrive, so an invalid record is reported now.
      this.#sink.throwIssues();
    }
  }

  /** Refuses records that a generator returns instead of yielding, because they would be lost. */
  #end(returned: unknown): undefined {
    this.#ended = true;
    if (typeof returned === "object" && returned !== null) throw new InvalidInputError(RETURNED);
  }
}

function requireStep(step: IteratorResult<unknown>): IteratorResult<unknown> {
  if (isObject(step)) return step;
  throw new InvalidInputError(
    `The source's next() returned ${describeType(step)}. It must return an object with done and value.`,
  );
}

/**
 * Whether a stream has refilled an object: the value, one of its records or a record's details was seen before.
 */
function repeats(value: unknown, seen: WeakSet<object>): boolean {
  const records: readonly unknown[] = Array.isArray(value) ? value : [value];
  const list = Array.isArray(value) ? [value] : [];
  return [...list, ...records, ...records.map(detailsOf)].filter(isObject).some((object) => {
    const repeated = seen.has(object);
    seen.add(object);
    return repeated;
  });
}

/**
 * The fields of a record such as `{ microsoft: { … } }`. In a flat record, objects such as attributes may be shared.
 */
function detailsOf(record: unknown): unknown {
  const [details, ...others] = isObject(record) ? Object.values(record) : [];
  return others.length === 0 ? details : undefined;
}

const REFILLED =
  "The source is a stream that returned the same object twice. Streams read ahead, so what was sent may be incomplete: make a new object for each chunk, and start a new batch.";

const RETURNED =
  "The source returned an object or an array with done: true, which is not written. Yield the last records instead of returning them, and start a new batch.";
