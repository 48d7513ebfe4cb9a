import { setImmediate as nextTurn } from "node:timers/promises";
import { linkAbort, raceAbort } from "../core/abort.js";
import { BatchStateError, InvalidInputError } from "../core/errors/index.js";
import { handled } from "../core/operation.js";
import { BatchStates } from "../sync/batch/states.js";
import {
  type OpenedSink,
  type OpenedWrite,
  WriteQueue,
  type WriteTarget,
} from "../sync/batch/write-queue.js";
import type { Subject } from "../sync/call.js";
import { type Collection, isCollection, isSnapshot, type SnapshotCollection } from "../sync/collections.js";
import type { EncodedMessage } from "../sync/encoding/message-builder.js";
import type { InspectorOf } from "../sync/encoding/record-inspector.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { OnProgress } from "../sync/progress.js";
import {
  newReport,
  statsByCollection,
  sumOf,
  type WriteReport,
  type WriteStats,
} from "../sync/write/options.js";
import type { Connector, RunBatch, RunContext } from "./connector.js";
import type { EventMemory } from "./events.js";

/**
 * Space for the id of the batch, which isn't known yet. With a longer id, a message may be larger than `messageBytes`.
 */
const ID_BYTES = 64;
/** Progress is reported at this interval, in milliseconds, because a source may be slow. */
const TELL_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface ExtractionOptions {
  readonly configuration: SyncConfiguration;
  readonly subject: Subject;
  readonly snapshots: readonly SnapshotCollection[];
  /** Keeps a message; its buffer is reused once this resolves. */
  readonly keep: (collection: Collection, message: EncodedMessage) => Promise<void>;
  readonly inspectorOf: InspectorOf;
  readonly events: EventMemory;
  readonly onProgress: OnProgress | undefined;
  /** Ends the extraction with the signal's reason. */
  readonly signal: AbortSignal;
}

/** One call of a connector: what it writes is checked, encoded, inspected and kept. */
export class Extraction implements WriteTarget {
  readonly configuration: SyncConfiguration;
  readonly subject: Subject;
  readonly trace = undefined;
  readonly consequence = "Nothing was sent.";
  readonly #options: ExtractionOptions;
  readonly #ended: ReturnType<typeof linkAbort>;
  readonly #reports: WriteReport[] = [];
  readonly states = new BatchStates((call, because, cause) => this.#refusal(call, because, cause));
  readonly #writes = new WriteQueue(this);
  readonly #declared: ReadonlySet<Collection>;
  readonly #written = new Set<Collection>();
  #violation: InvalidInputError | undefined;
  #outcome: "completed" | "aborted" | undefined;
  #hasReturned = false;

  constructor(options: ExtractionOptions) {
    this.configuration = options.configuration;
    this.subject = options.subject;
    this.#options = options;
    this.#declared = new Set(options.snapshots);
    this.#ended = linkAbort(options.signal);
  }

  get signal(): AbortSignal {
    return this.#ended.controller.signal;
  }

  get stats(): Partial<Record<Collection, WriteStats>> {
    return statsByCollection(this.#reports);
  }

  /**
   * Fires when a write comes too late or fails: the extracted data is incomplete, and its batch must not be completed.
   */
  get incomplete(): AbortSignal {
    return this.states.incomplete;
  }

  /**
   * Calls the connector once and waits for its writes. Rethrows its exceptions and the signal's reason unchanged.
   * @throws {InvalidInputError} it didn't write what it declares
   */
  async run(
    connector: Connector<SnapshotCollection>,
    { preview }: Pick<RunContext, "preview">,
  ): Promise<void> {
    const { signal } = this;
    let stayAlive = () => {};
    try {
      signal.throwIfAborted();
      // Keeps the process alive while a source waits for something that Node doesn't know about.
      stayAlive = this.configuration.clock.after(LONGEST_TIMER_MS, () => {}, { keepAlive: true });
      const { watermark, advance } = this.#options.events;
      const context: RunContext = {
        preview,
        signal,
        watermark,
        advance: (name, value) => {
          this.#requireOpen("advance");
          advance(name, value);
        },
      };
      const written = Promise.resolve(connector.run(this.#batch(), context));
      const returned = await raceAbort(written, signal);
      this.#hasReturned = true;
      checkReturned(returned);
      await raceAbort(this.#settle(), signal);
    } catch (error) {
      this.#end("aborted");
      // The connector may have thrown an error of its own because its write was cut off.
      throw this.#options.signal.aborted ? this.#options.signal.reason : error;
    } finally {
      stayAlive();
      this.#ended.unlink();
    }
    this.#end("completed");
  }

  #refusal(call: string, because: string, cause?: unknown): BatchStateError {
    // Late writes may arrive while a run is sending.
    const consequence = this.#outcome === undefined ? this.consequence : "The run was not completed.";
    const message = `${call} was refused: ${because}. ${consequence}`;
    return new BatchStateError(message, { state: "active", reason: "incomplete", cause });
  }

  newReport(collection: Collection): WriteReport {
    const report = newReport(collection);
    this.#reports.push(report);
    return report;
  }

  async openSink({ collection, report, options: { newOnly, signal } }: OpenedWrite): Promise<OpenedSink> {
    const { inspectorOf, events } = this.#options;
    const given = inspectorOf(collection);
    const inspector = newOnly === true ? await events.inspectorOf(collection, report, given) : given;
    const { configuration, consequence } = this;
    const { controller, unlink } = linkAbort(this.signal, signal);
    const send = async (window: readonly EncodedMessage[]) => {
      for (const message of window) {
        controller.signal.throwIfAborted();
        await this.#options.keep(collection.name, message);
        report.sent += message.records;
        report.accepted += message.records;
        report.messages += 1;
        report.bytes += message.bytes.length + ID_BYTES;
        this.#notify(report);
      }
    };
    this.#notify(report);
    const context = {
      ...configuration,
      // Each message is kept as soon as the next one begins.
      windowBytes: configuration.messageBytes,
      flushAfterMs: TELL_MS,
      onWait: () => this.#notify(report),
      batchId: "",
      messageBytes: Math.max(1, configuration.messageBytes - ID_BYTES),
      collection,
      report,
      consequence,
      send,
      inspector,
      stop: controller,
    };
    return { context, unlink };
  }

  /** The batch for the connector, with nothing but the methods of a {@link RunBatch}. */
  #batch(): RunBatch {
    const extraction = this;
    return {
      signal: this.signal,
      get stats() {
        return extraction.stats;
      },
      write: (collection, source, options) => {
        try {
          this.#admit("write", collection);
        } catch (error) {
          return handled(Promise.reject(error));
        }
        return handled(this.#writes.write(collection, source, options));
      },
      writer: (collection, options = {}) => {
        this.#admit("writer", collection);
        try {
          return this.#writes.writer(collection, options);
        } catch (error) {
          this.#written.delete(collection);
          throw error;
        }
      },
    };
  }

  async #settle(): Promise<void> {
    await this.#writes.settled();
    // A write that nobody awaits can begin now, so that the checks below notice it.
    await nextTurn();
    await this.#writes.settled();
    if (this.#violation !== undefined) throw this.#violation;
    this.#writes.requireComplete("The run");
    const missing = [...this.#declared].filter((collection) => !this.#written.has(collection));
    if (missing.length === 0) return;
    throw new InvalidInputError(
      `The run declares the snapshots ${[...this.#declared].join(", ")}, but did not write ${missing.join(", ")}. Nothing was sent. Write an empty array if there are no records.`,
    );
  }

  #end(state: "completed" | "aborted"): void {
    this.#outcome = state;
    this.#ended.controller.abort(overError("The call", state));
  }

  #admit(call: string, collection: Collection): void {
    try {
      this.#requireOpen(call);
    } catch (refused) {
      this.#writes.markIncomplete(collection, refused);
      throw refused;
    }
    if (!isCollection(collection) || !isSnapshot(collection)) return;
    if (!this.#declared.has(collection))
      throw this.#violated(
        `${collection} is a snapshot collection that the run does not declare. Add it to snapshots.`,
      );
    if (this.#written.has(collection))
      throw this.#violated(
        `${collection} was already written in this run. Write a snapshot once, in full: use one source for all pages, or writer(), write() and end().`,
      );
    this.#written.add(collection);
  }

  /** @throws the connector has returned, or the run has ended */
  #requireOpen(call: string): void {
    const { aborted, reason }: { aborted: boolean; reason: unknown } = this.signal;
    if (aborted && this.#outcome === undefined) throw reason;
    if (aborted || this.#hasReturned) throw overError(call, this.#outcome ?? "completed");
  }

  #violated(message: string): InvalidInputError {
    this.#violation ??= new InvalidInputError(message);
    return this.#violation;
  }

  /** Reports the progress of a collection, summed over all writes to it. */
  #notify({ collection, expectedCount }: WriteReport): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    const all = this.#reports.filter((one) => one.collection === collection);
    const { bytes, skipped } = sumOf(all);
    const records = all.reduce((sum, { taken }) => sum + taken(), 0);
    const total = all.length === 1 ? expectedCount : undefined;
    onProgress({ type: "extracting", collection, records, bytes, ...(skipped > 0 && { skipped }), total });
  }
}

function overError(call: string, state: "completed" | "aborted"): BatchStateError {
  return new BatchStateError(
    `${call} was refused: the connector has returned, or the run has ended. Await every write before the connector returns, and send everything in another run.`,
    { state, reason: state },
  );
}

/** @throws {InvalidInputError} the connector returned unawaited work: an iterator or an array of promises */
function checkReturned(result: unknown): void {
  if (typeof result !== "object" || result === null) return;
  if ("next" in result && (Symbol.iterator in result || Symbol.asyncIterator in result)) {
    throw new InvalidInputError(
      "The connector's run returned an iterator, which the SDK doesn't read. Use an async function, and pass the generator to batch.write.",
    );
  }
  if (Array.isArray(result) && result.some((item) => item instanceof Promise)) {
    throw new InvalidInputError(
      "The connector's run returned an array of promises, which the SDK doesn't await. Return Promise.all of them.",
    );
  }
}
