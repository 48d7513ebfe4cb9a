/** One write: pulls a source into a sink, no faster than the sink sends. */
import type { Clock } from "../clock.js";
import type { MutableWriteReport } from "./outcomes.js";
import { RecordSink, type SinkContext } from "./record-sink.js";
import { openSource, type SourceIterator } from "./source.js";

/**
 * Writes a source.
 *
 * Rejects with the signal's reason, the source's own exception, or an error of the SDK. The source's `return()` is
 * called when the write ends before the source does.
 */
export async function writeSource(source: unknown, context: SinkContext): Promise<void> {
  const { stop } = context;
  stop.signal.throwIfAborted();
  const opened = openSource(source);
  const sink = new RecordSink(context);
  const pull = new Pull(sink, stop.signal, context);
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  stopped.catch(() => {});
  const pulled = opened.kind === "sync" ? pull.sync(opened.iterator) : pull.async(opened.iterator);
  try {
    await Promise.race([pulled, stopped]);
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

  async sync(iterator: Iterator<unknown>): Promise<void> {
    for (;;) {
      let step: IteratorResult<unknown>;
      try {
        step = iterator.next();
      } catch (error) {
        this.sourceEnded = true;
        throw error;
      }
      if (step.done === true) break;
      const waits = this.#sink.take(step.value);
      if (waits !== undefined) await waits;
    }
    await this.#finish();
  }

  async async(iterator: AsyncIterator<unknown>): Promise<void> {
    for (;;) {
      let step: IteratorResult<unknown>;
      const since = this.#clock.monotonic();
      try {
        step = await iterator.next();
        this.#report.sourceWaitMs += this.#clock.monotonic() - since;
      } catch (error) {
        this.sourceEnded = true;
        throw error;
      }
      this.#stop.throwIfAborted();
      if (step.done === true) break;
      const waits = this.#sink.take(step.value);
      if (waits !== undefined) await waits;
      // The next record of an asynchronous source may be long in coming: what is known to be wrong is said now.
      this.#sink.throwIssues();
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    this.sourceEnded = true;
    await this.#sink.finish();
  }
}

/** Tells a source that no more is wanted. It may never answer, and what it says then changes nothing. */
function close({ iterator }: SourceIterator): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {
    // The write has failed already; the source's farewell must not take the place of the reason.
  }
}
