/** One write: pulls a source into a sink, no faster than the sink sends. */
import type { Clock } from "../../core/clock.js";
import { inSteps } from "./in-steps.js";
import type { MutableWriteReport } from "./outcomes.js";
import { RecordSink, type SinkContext } from "./record-sink.js";
import { checkLastStep, checkStep, type OpenedSource, openSource } from "./source.js";
import { StreamObjects } from "./stream-objects.js";

/**
 * Writes a source.
 *
 * Rejects with the signal's reason, the source's own exception, or an error of the SDK. The source's `return()` is
 * called when the write ends before the source does.
 * @returns number of records that the source had
 */
export async function writeSource(source: unknown, context: SinkContext): Promise<number> {
  const { stop } = context;
  stop.signal.throwIfAborted();
  const opened = openSource(source, context.collection.name);
  const sink = new RecordSink(context);
  const pull = new Pull(sink, stop.signal, context);
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  stopped.catch(() => {});
  const pulled = pull.all(opened);
  try {
    await Promise.race([pulled, stopped]);
    return sink.taken;
  } catch (error) {
    if (!pull.sourceEnded) close(opened);
    // What is on its way gets the chance to be acknowledged, unless the write was told to end at once.
    if (!stop.signal.aborted) await sink.settled();
    throw error;
  } finally {
    sink.close();
    // A source may still be stuck in its last step: whatever comes of that is nothing to anybody now.
    stop.abort();
    pulled.catch(() => {});
  }
}

/** Reads a source to its end. */
class Pull {
  readonly #sink: RecordSink;
  readonly #stop: AbortSignal;
  readonly #clock: Clock;
  readonly #report: MutableWriteReport;
  /** Whether the source has no more, or threw: it is not to be told to return then. */
  sourceEnded = false;

  constructor(sink: RecordSink, stop: AbortSignal, { clock, report }: SinkContext) {
    this.#sink = sink;
    this.#stop = stop;
    this.#clock = clock;
    this.#report = report;
  }

  /** Settles when everything was accepted, or something failed. */
  all(source: OpenedSource): Promise<void> {
    if (source.kind === "array") return this.#array(source.records);
    return source.kind === "sync" ? this.#sync(source.iterator) : this.#async(source);
  }

  async #array(records: readonly unknown[]): Promise<void> {
    let position = 0;
    await inSteps(() => {
      while (position < records.length) {
        const waits = this.#sink.take(records[position++]);
        if (waits !== undefined) return waits;
      }
      return undefined;
    });
    await this.#finish();
  }

  async #sync(iterator: Iterator<unknown>): Promise<void> {
    await inSteps(() => {
      for (;;) {
        const step = this.#next(iterator);
        if (step.done === true) return this.#end(step);
        const waits = this.#sink.take(step.value);
        if (waits !== undefined) return waits;
      }
    });
    await this.#finish();
  }

  async #async({ iterator, readsAhead }: OpenedSource & { readonly kind: "async" }): Promise<void> {
    const given = readsAhead ? new StreamObjects() : undefined;
    let since = this.#clock.monotonic();
    const sourceGave = () => {
      const now = this.#clock.monotonic();
      this.#report.sourceWaitMs += now - since;
      since = now;
    };
    for (;;) {
      let step: IteratorResult<unknown>;
      try {
        step = await iterator.next();
        checkStep(step);
      } catch (error) {
        this.sourceEnded = true;
        throw error;
      }
      this.#stop.throwIfAborted();
      if (step.done === true) {
        this.#end(step);
        break;
      }
      const { value } = step;
      // To look at the clock costs a tenth of what a single record does.
      const many = Array.isArray(value);
      if (many) sourceGave();
      given?.take(value);
      const waits = this.#sink.take(value);
      if (waits !== undefined) {
        if (!many) sourceGave();
        await waits;
      }
      if (many || waits !== undefined) since = this.#clock.monotonic();
      // The next record of an asynchronous source may be long in coming: what is known to be wrong is said now.
      this.#sink.throwIssues();
    }
    sourceGave();
    await this.#finish();
  }

  #next(iterator: Iterator<unknown>): IteratorResult<unknown> {
    try {
      const step = iterator.next();
      checkStep(step);
      return step;
    } catch (error) {
      this.sourceEnded = true;
      throw error;
    }
  }

  #end(step: IteratorResult<unknown>): undefined {
    this.sourceEnded = true;
    checkLastStep(step);
  }

  async #finish(): Promise<void> {
    this.sourceEnded = true;
    await this.#sink.finish();
  }
}

/** Tells a source that no more is wanted. It may never answer, and what it says then changes nothing. */
function close(source: OpenedSource): void {
  if (source.kind === "array") return;
  const { iterator } = source;
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
    if (source.kind === "async") source.destroy?.();
  } catch {
    // The write has failed already; the source's farewell must not take the place of the reason.
  }
}
