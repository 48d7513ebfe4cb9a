import { setMaxListeners } from "node:events";
import { linkAbort } from "../../core/abort.js";
import { BatchStateError, InvalidInputError } from "../../core/errors/index.js";
import type { Trace } from "../../core/trace.js";
import { callWithRetry, type Subject } from "../call.js";
import type { Collection } from "../collections.js";
import { CountedLease, type Moment } from "../lease.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { CallContext, SyncRpc, SyncTransport } from "../transport.js";
import { newReport, progressOf, statsByCollection, type WriteReport } from "../write/options.js";
import type { SinkContext } from "../write/window-queue.js";
import type { WindowSender } from "../write/window-sender.js";
import { closedError, copyOfStateError, meaningOf, stateError } from "./batch-errors.js";
import type { OpenedWrite, WriteTarget } from "./write-queue.js";

export interface SessionOptions {
  readonly id: string;
  /** Number of the run's attempt, from 1. */
  readonly attempt: number;
  readonly subject: Subject;
  readonly trace: Trace | undefined;
  readonly transport: SyncTransport;
  readonly configuration: SyncConfiguration;
  /** Before the batch was asked for. */
  readonly startedAt: Moment;
  readonly onProgress: OnProgress | undefined;
  readonly clientClosed: AbortSignal;
}

/**
 * What the writes of one batch share: the lease, the order on the wire, the reports, and the end.
 *
 * It knows nothing of the states of the handle; it ends once, for one reason.
 */
export class BatchSession implements WriteTarget {
  readonly id: string;
  readonly subject: Subject;
  readonly trace: Trace | undefined;
  readonly configuration: SyncConfiguration;
  readonly transport: SyncTransport;
  readonly lease: CountedLease;
  notify: OnProgress | undefined;
  readonly clientClosed: AbortSignal;
  readonly attempt: number;
  readonly consequence = "Nothing after this was sent, and the batch cannot be completed: start a new one.";
  readonly #ended = new AbortController();
  readonly #reports: WriteReport[] = [];
  /** Settles when no stream is open: streams of one batch never overlap. */
  #wire: Promise<unknown> = Promise.resolve();
  readonly #onClientClosed = () => {
    this.end(closedError());
    this.trace?.ended({ state: "closed" });
  };
  #failure: unknown;

  constructor(options: SessionOptions) {
    const { id, configuration, transport, startedAt, onProgress, clientClosed } = options;
    // One listener for each open collection.
    setMaxListeners(0, this.#ended.signal);
    this.attempt = options.attempt;
    this.id = id;
    this.subject = options.subject;
    this.trace = options.trace;
    this.configuration = configuration;
    this.transport = transport;
    this.notify = onProgress;
    this.clientClosed = clientClosed;
    const callbacks = {
      onWarning: (remainingMs: number) => this.notify?.({ type: "lease-warning", remainingMs }),
      onLost: () => this.expire(),
    };
    this.lease = new CountedLease(configuration.clock, startedAt, callbacks);
    this.lease.watch();
    // The client may have been closed, and the lease may have ended, while the batch was started.
    if (clientClosed.aborted) this.#onClientClosed();
    else if (!this.signal.aborted) clientClosed.addEventListener("abort", this.#onClientClosed);
  }

  /** Fires when nothing more may be sent, with the error for whatever is under way or queued. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get isUnwritten(): boolean {
    return this.#reports.length === 0;
  }

  /** The collections of which messages were accepted. */
  get included(): ReadonlySet<Collection> {
    return new Set(this.#reports.flatMap(({ collection, messages }) => (messages > 0 ? [collection] : [])));
  }

  get stats(): ReturnType<typeof statsByCollection> {
    return statsByCollection(this.#reports);
  }

  /** The first failure of a window, the lease or the completion. Never a source's exception. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The batch failed on the way to the service. If its lease is over, the session ends. */
  fail(failure: unknown): void {
    this.#failure ??= failure;
    if (!(failure instanceof BatchStateError) || failure.reason !== "expired") return;
    this.lease.end();
    this.end(copyOfStateError(failure));
    this.trace?.failed(failure, { state: failure.state });
  }

  expire(): void {
    this.fail(stateError("The call", "expired", "expired"));
  }

  allDone(): void {
    for (const report of this.#reports) report.state = "done";
  }

  refusal(call: string, because: string, cause?: unknown): BatchStateError {
    return stateError(call, "active", "incomplete", { because, ...(cause !== undefined && { cause }) });
  }

  newReport(collection: Collection): WriteReport {
    const report = newReport(collection);
    this.#reports.push(report);
    return report;
  }

  openSink({ Sender, collection, report, options: { newOnly, signal }, trace }: OpenedWrite): {
    readonly context: SinkContext & { readonly send: WindowSender["send"] };
    unlink(): void;
  } {
    if (newOnly === true)
      throw new InvalidInputError(
        "newOnly is for a run, whose ledger knows what was sent. Leave it out, or write the events in client.sync.run.",
      );
    const { configuration, transport } = this;
    const { controller, unlink } = linkAbort(this.signal, signal);
    this.notify?.(progressOf(report));
    const sender = new Sender({
      transport,
      configuration,
      lease: this.lease,
      collection,
      subject: this.subject,
      report,
      signal: controller.signal,
      onProgress: this.notify,
    });
    const send = (window: Parameters<WindowSender["send"]>[0]) =>
      this.onWire(async () => {
        try {
          await sender.send(window);
        } catch (error) {
          // A window that was cut off because its write had ended is not what failed.
          if (!controller.signal.aborted) this.fail(meaningOf("write", error));
          throw error;
        }
      });
    const context = {
      ...configuration,
      batchId: this.id,
      collection,
      report,
      // A piece or a timer may send it.
      send:
        trace === undefined ? send : (window: Parameters<typeof send>[0]) => trace.run(() => send(window)),
      consequence: this.consequence,
      inspector: undefined,
      stop: controller,
    };
    return { context, unlink };
  }

  call<T>(
    rpc: SyncRpc,
    cancellation: AbortSignal | AbortController,
    attempt: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    const { configuration, lease, subject, trace } = this;
    const operation = { rpc, lease, ...subject, parent: trace?.message };
    return callWithRetry(configuration, operation, cancellation, attempt, this.notify);
  }

  end(reason: Error): void {
    this.#ended.abort(reason);
    this.lease.close();
    this.clientClosed.removeEventListener("abort", this.#onClientClosed);
  }

  /** Runs `send` when the streams before it have ended: no other stream of the batch is open beside it. */
  onWire<T>(send: () => Promise<T>): Promise<T> {
    const turn = this.#wire.then(send);
    this.#wire = turn.catch(() => {});
    return turn;
  }
}
