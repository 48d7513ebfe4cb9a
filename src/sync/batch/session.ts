import { setMaxListeners } from "node:events";
import { linkAbort } from "../../core/abort.js";
import { BatchStateError } from "../../core/errors/index.js";
import { callWithRetry, type SyncOperation } from "../call.js";
import type { Collection, CollectionName } from "../collections.js";
import type { SyncConfiguration } from "../configuration.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import { CountedLease, type Moment } from "../lease.js";
import { guardProgress, type OnProgress } from "../progress.js";
import type { AcceptedEvents } from "../run/accepted-events.js";
import type { CallContext, SyncTransport } from "../transport.js";
import { type MutableWriteReport, newReport, sumByCollection, type WriteReport } from "../write/outcomes.js";
import { ReentrancyMark } from "../write/reentrancy.js";
import { WindowSender } from "../write/window-sender.js";
import type { BatchWatch, SessionOptions } from "./session-options.js";
import { copyOfStateError, meaningOf, stateError } from "./state.js";

/**
 * What the writes of one batch share: the lease, the order on the wire, the reports, and the end.
 *
 * It knows nothing of the states of the handle; it ends once, for one reason.
 */
export class BatchSession {
  readonly id: string;
  readonly configuration: SyncConfiguration;
  readonly lease: CountedLease;
  /** Recognizes calls that a source makes while it is read. */
  readonly sources = new ReentrancyMark();
  readonly #transport: SyncTransport;
  readonly #onProgress: OnProgress;
  readonly #ended = new AbortController();
  readonly #reports: MutableWriteReport[] = [];
  /** Settles when no stream is open: streams of one batch never overlap. */
  #wire: Promise<unknown> = Promise.resolve();
  readonly #acceptedEvents: AcceptedEvents | undefined;
  readonly #observerOf: ObserverOf | undefined;
  readonly #beforeComplete: BatchWatch["beforeComplete"];
  #lastSentAt: number;
  #failure: unknown;

  constructor(options: SessionOptions) {
    const { id, transport, configuration, startedAt, onProgress } = options;
    this.#acceptedEvents = options.acceptedEvents;
    this.#observerOf = options.observerOf;
    this.#beforeComplete = options.beforeComplete;
    // Every open collection listens: that of all twelve is no leak.
    setMaxListeners(0, this.#ended.signal);
    this.id = id;
    this.configuration = configuration;
    this.#transport = transport;
    this.#onProgress = guardProgress(onProgress, configuration.logger);
    this.#lastSentAt = startedAt.monotonic;
    this.lease = new CountedLease(configuration.clock, startedAt, {
      onWarning: (remainingMs) => this.#onProgress({ type: "lease-warning", remainingMs }),
      onLost: () => this.expire(),
    });
    this.lease.watch();
  }

  /** Fires when nothing more may be sent, with the error for whatever is under way or queued. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get reports(): readonly WriteReport[] {
    return this.#reports.map((report) => ({ ...report, ranges: [...report.ranges] }));
  }

  get stats(): ReturnType<typeof sumByCollection> {
    return sumByCollection(this.#reports);
  }

  /** Monotonic time of the last message of a write. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  /** What failed first on the way to the service: a window, the lease, the completion. Never a source's exception. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The batch failed on the way to the service. One whose lease is over, as that says, is of no more use. */
  fail(failure: unknown): void {
    this.#failure ??= failure;
    if (!(failure instanceof BatchStateError) || failure.reason !== "expired") return;
    this.lease.end();
    this.end(copyOfStateError(failure));
  }

  /** By the clocks of this machine the lease is over. */
  expire(): void {
    this.fail(stateError("The call", "expired", "expired"));
  }

  /** Every write of the batch is done. */
  allDone(): void {
    for (const report of this.#reports) report.state = "done";
  }

  /** Begins the account of a write. */
  report(collection: CollectionName): MutableWriteReport {
    const report = newReport(collection);
    this.#reports.push(report);
    return report;
  }

  /** What a sink of this batch needs, for one write; `unlink` must be called when the write ends. */
  openSink(
    collection: Collection,
    report: MutableWriteReport,
    signal: AbortSignal | undefined,
    onProgress: OnProgress | undefined,
  ) {
    const { controller, unlink } = linkAbort(this.signal, signal);
    const ownProgress = guardProgress(onProgress, this.configuration.logger);
    const notify: OnProgress = (progress) => {
      ownProgress(progress);
      this.#onProgress(progress);
    };
    const sender = new WindowSender({
      transport: this.#transport,
      configuration: this.configuration,
      lease: this.lease,
      collection,
      report,
      signal: controller.signal,
      onProgress: notify,
    });
    const context = {
      ...this.configuration,
      batchId: this.id,
      collection,
      report,
      send: (window: Parameters<WindowSender["send"]>[0]) =>
        this.onWire(() => {
          this.#lastSentAt = this.configuration.clock.monotonic();
          return sender.send(window).catch((error: unknown) => {
            // A window that was cut off because the write had ended already is not what failed.
            if (!controller.signal.aborted) this.fail(meaningOf("write", error));
            throw error;
          });
        }),
      acceptedEvents: collection.model === "event" ? this.#acceptedEvents : undefined,
      observer: this.#observerOf?.(collection),
    };
    return { context, stop: controller, unlink };
  }

  /** Sends a message of a collection that belongs to no write, in its turn. */
  sendAlone(collection: CollectionName, message: Uint8Array, sentAt: Moment): Promise<void> {
    const operation = { rpc: "SyncRecords", collection } as const;
    return this.onWire(async () => {
      await this.call(operation, this.signal, (call) => this.#transport.syncRecords([message], call));
      this.lease.renew(sentAt);
    });
  }

  /** Everything was accepted: whoever watches the batch says whether it may be completed, by throwing if not. */
  async beforeComplete(): Promise<void> {
    await this.#beforeComplete?.(this.id);
  }

  complete(call: CallContext) {
    return this.#transport.completeBatch(this.id, call);
  }

  abort(call: CallContext): Promise<void> {
    return this.#transport.abortBatch(this.id, call);
  }

  /** One operation within its time, again where it failed transiently. */
  call<T>(
    operation: SyncOperation,
    signal: AbortSignal | undefined,
    attempt: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    return callWithRetry(this.configuration, operation, signal, attempt, this.#onProgress);
  }

  notify(progress: Parameters<OnProgress>[0]): void {
    this.#onProgress(progress);
  }

  /** Ends whatever is under way or queued, with this reason. */
  end(reason: Error): void {
    this.#ended.abort(reason);
    this.lease.close();
  }

  /** Does something that no stream of the batch may be open beside, when those before it have ended. */
  onWire<T>(send: () => Promise<T>): Promise<T> {
    const turn = this.#wire.then(send);
    this.#wire = turn.catch(() => {});
    return turn;
  }
}
