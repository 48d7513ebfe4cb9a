import { setMaxListeners } from "node:events";
import { linkAbort, onAbort } from "../../core/abort.js";
import { type Clock, elapsedSince, type Moment } from "../../core/clock.js";
import { type BatchState, BatchStateError, InvalidInputError } from "../../core/errors/index.js";
import type { Trace } from "../../core/trace.js";
import { callWithRetry, type Subject } from "../call.js";
import type { Collection } from "../collections.js";
import { LEASE_MS, type SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { CallContext, SyncRpc, SyncTransport } from "../transport.js";
import { newReport, progressOf, statsByCollection, type WriteReport } from "../write/options.js";
import { type WindowMessage, WindowSender } from "../write/window-sender.js";
import { BatchStates, meaningOf } from "./states.js";
import type { Lease } from "./sync-batch.js";
import type { OpenedWrite, WriteTarget } from "./write-queue.js";

export interface SessionOptions {
  readonly id: string;
  /** Number of the run's attempt, from 1. */
  readonly attempt: number;
  readonly subject: Subject;
  readonly trace: Trace | undefined;
  readonly transport: SyncTransport;
  readonly configuration: SyncConfiguration;
  /** The moment just before StartSyncBatch was sent. */
  readonly startedAt: Moment;
  readonly onProgress: OnProgress | undefined;
  readonly clientClosed: AbortSignal;
}

/** The methods of a handle that send the RPCs of a batch. */
const METHODS = {
  StartSyncBatch: "startBatch",
  SyncRecords: "write",
  CompleteSyncBatch: "complete",
  AbortSyncBatch: "abort",
} as const satisfies Record<SyncRpc, string>;

/** What the calls of one batch share: the state, the lease, the order on the wire and the progress reports. */
export class BatchSession implements WriteTarget {
  readonly id: string;
  readonly attempt: number;
  readonly subject: Subject;
  readonly trace: Trace | undefined;
  readonly configuration: SyncConfiguration;
  readonly transport: SyncTransport;
  readonly clientClosed: AbortSignal;
  readonly notify: OnProgress | undefined;
  readonly lease: CountedLease;
  readonly states: BatchStates;
  readonly consequence = "Nothing after this was sent, and the batch cannot be completed: start a new one.";
  readonly #reports: WriteReport[] = [];
  /** Settles once no stream is open. The next one waits for it, because streams of one batch never overlap. */
  #wire: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  constructor({ configuration, startedAt, ...options }: SessionOptions) {
    this.id = options.id;
    this.attempt = options.attempt;
    this.subject = options.subject;
    this.trace = options.trace;
    this.configuration = configuration;
    this.transport = options.transport;
    this.clientClosed = options.clientClosed;
    this.notify = options.onProgress;
    const lease = new CountedLease(configuration.clock, startedAt);
    this.lease = lease;
    this.states = new BatchStates();
    // Each open collection adds a listener.
    setMaxListeners(0, this.signal);
    const warn = (remainingMs: number) => this.notify?.({ type: "lease-warning", remainingMs });
    lease.watch(this.signal, warn, () => this.move("expired"));
    // While the batch was starting, the client may have been closed, or the lease may have ended.
    const unlink = onAbort(this.clientClosed, () => this.move("closed"));
    onAbort(this.signal, unlink);
  }

  /** Aborts when nothing more may be sent; the reason is the error for running and queued calls. */
  get signal(): AbortSignal {
    return this.states.over;
  }

  /** The collections with accepted messages. */
  get included(): ReadonlySet<Collection> {
    return new Set(this.#reports.flatMap(({ collection, messages }) => (messages > 0 ? [collection] : [])));
  }

  get stats(): ReturnType<typeof statsByCollection> {
    return statsByCollection(this.#reports);
  }

  /** The first failure of a window, the lease or the completion; never a source's exception. */
  get failure(): unknown {
    return this.#failure;
  }

  get state(): BatchState {
    // A batch that has ended no longer listens to the client's signal.
    if (this.clientClosed.aborted) this.move("closed");
    const { shown } = this.states;
    return shown === "active" && this.lease.remainingMs === 0 ? "expired" : shown;
  }

  /** @returns the error of a call that is not allowed now */
  refusal(call: string): ReturnType<BatchStates["refusal"]> {
    // A late renewal of the lease must not revive the batch.
    if (this.state === "expired") this.move("expired");
    return this.states.refusal(call);
  }

  move(state: Parameters<BatchStates["move"]>[0], reason?: Error): void {
    const { states, trace } = this;
    if (!states.move(state, reason)) return;
    const { shown } = states;
    if (shown === "expired") this.#failure ??= states.over.reason;
    if (!states.isOver || shown === "aborting") return;
    if (this.#failure === undefined || shown === "completed") trace?.ended({ state: shown });
    else trace?.failed(this.#failure, { state: shown });
  }

  /** Records a failure of a window, the lease or the completion. */
  fail(failure: unknown): void {
    this.#failure ??= failure;
    if (!(failure instanceof BatchStateError) || failure.reason !== "expired") return;
    this.lease.end();
    this.move("expired", failure);
  }

  newReport(collection: Collection): WriteReport {
    const report = newReport(collection);
    this.#reports.push(report);
    return report;
  }

  openSink({ collection, report, options: { newOnly, signal }, trace }: OpenedWrite) {
    if (newOnly === true)
      throw new InvalidInputError(
        "newOnly is for a run, whose ledger knows what was sent. Leave it out, or write the events in client.sync.run.",
      );
    const { configuration, notify: onProgress } = this;
    const { controller, unlink } = linkAbort(this.signal, signal);
    onProgress?.(progressOf(report));
    const call = (attempt: (call: CallContext) => Promise<void>) =>
      this.call("SyncRecords", controller.signal, attempt, collection.name);
    const { transport, lease } = this;
    const parts = { call, configuration, transport, lease, report, onProgress };
    const sender = new WindowSender({ ...parts, signal: controller.signal });
    const send = (window: readonly WindowMessage[]) =>
      this.onWire(async () => {
        try {
          await sender.send(window);
        } catch (error) {
          // If the write had ended, the window didn't fail but was cancelled.
          if (!controller.signal.aborted) this.fail(error);
          throw error;
        }
      });
    const context = {
      ...configuration,
      batchId: this.id,
      collection,
      report,
      // A window may be sent outside its write's context: by a timer, or when the writer gets more records.
      send: trace === undefined ? send : (window: readonly WindowMessage[]) => trace.run(() => send(window)),
      consequence: this.consequence,
      inspector: undefined,
      stop: controller,
    };
    return { context, unlink };
  }

  /** @throws {BatchStateError} the service says that the batch has ended */
  async call<T>(
    rpc: SyncRpc,
    cancellation: AbortSignal | AbortController,
    attempt: (call: CallContext) => Promise<T>,
    collection?: Collection,
  ): Promise<T> {
    const { configuration, lease, subject, trace } = this;
    // A window runs in its write's trace, so it needs no other parent.
    const parent = collection === undefined ? { parent: trace?.message } : { collection };
    try {
      const operation = { rpc, lease, ...subject, ...parent };
      return await callWithRetry(configuration, operation, cancellation, attempt, this.notify);
    } catch (error) {
      throw meaningOf(METHODS[rpc], error);
    }
  }

  /** Runs `send` once all earlier streams have ended, so that only one stream of the batch is open at a time. */
  onWire<T>(send: () => Promise<T>): Promise<T> {
    const turn = this.#wire.then(send);
    this.#wire = turn.catch(() => {});
    return turn;
  }
}

/** Time left on the lease when the owner is warned, in milliseconds. */
const WARN_AT_MS = LEASE_MS / 5;

/** Stands in for the renewal time once a lease is over for good. */
const NEVER_AGAIN: Moment = { monotonic: Number.POSITIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/**
 * A lease, measured on this machine from just before the request that began or renewed it. The server's own lease can't
 * have begun earlier.
 */
export class CountedLease implements Lease {
  readonly #clock: Clock;
  #renewedAt: Moment;

  constructor(clock: Clock, sentAt: Moment) {
    this.#clock = clock;
    this.#renewedAt = sentAt;
  }

  get remainingMs(): number {
    return Math.max(0, LEASE_MS - elapsedSince(this.#clock, this.#renewedAt));
  }

  get expiresAt(): Date {
    return new Date(this.#clock.now() + this.remainingMs);
  }

  renew(sentAt: Moment): void {
    if (sentAt.monotonic > this.#renewedAt.monotonic) this.#renewedAt = sentAt;
  }

  /** Ends the lease, because the service says that it's over. */
  end(): void {
    this.#renewedAt = NEVER_AGAIN;
  }

  /**
   * Calls back whenever a fifth of the lease remains, and when the lease has ended. A renewal doesn't restart the
   * timer. The timer keeps the process alive: if the source waits for something that Node doesn't know about, the
   * process would otherwise exit with the lock held.
   */
  watch(closed: AbortSignal, onWarning: (remainingMs: number) => void, onOver: () => void): void {
    let warnedOf: Moment | undefined;
    let stopTimer = () => {};
    const look = (): void => {
      const { remainingMs } = this;
      if (remainingMs === 0) {
        onOver();
        return;
      }
      const isLow = remainingMs <= WARN_AT_MS;
      if (isLow && warnedOf !== this.#renewedAt) {
        warnedOf = this.#renewedAt;
        onWarning(remainingMs);
      }
      // The callback may have ended the batch.
      if (closed.aborted) return;
      const ms = isLow ? remainingMs : remainingMs - WARN_AT_MS;
      stopTimer = this.#clock.after(ms, look, { keepAlive: true });
    };
    look();
    onAbort(closed, () => stopTimer());
  }
}
