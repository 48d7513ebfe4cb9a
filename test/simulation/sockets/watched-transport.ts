import {
  AuthenticationError,
  BatchInProgressError,
  PermissionDeniedError,
  SyncProtocolError,
  TransportError,
} from "@saas-management/sdk";
import type { CallContext, StoredMessage, SyncTransport } from "../../../src/sync/transport.js";
import { Conduct } from "../conduct.js";
import type { Operation } from "../faults.js";
import { LockLog } from "../lock-log.js";
import { loaded } from "../messages.js";
import type { Observation } from "../observation.js";
import type { SimClock } from "../sim-clock.js";
import { saysCompleted } from "../transport.js";

/** Statuses after which the same call may do better; INTERNAL is one where the stream was reset. */
const TRANSIENT: ReadonlySet<string> = new Set(["RESOURCE_EXHAUSTED", "INTERNAL"]);

/** Whether the service refused the call; an answer that cannot be read tells nothing. */
function isRefusal(error: unknown): boolean {
  if (error instanceof SyncProtocolError)
    return error.grpcStatus !== undefined && !TRANSIENT.has(error.grpcStatus);
  return error instanceof AuthenticationError || error instanceof PermissionDeniedError;
}

/** The way of one client to the service, with somebody who looks on. */
export class WatchedTransport implements SyncTransport {
  readonly #inner: SyncTransport;
  readonly #clock: SimClock;
  readonly #onCall: (operation: Operation) => void;
  readonly conduct: Conduct;
  readonly locks = new LockLog();
  #inFlight = 0;
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted = new Set<string>();
  /** The calls that a disturbance ended: what the service did is another matter. */
  readonly disturbed: Operation[] = [];

  /** @param onCall Called before each call is made. */
  constructor(
    inner: SyncTransport,
    clock: SimClock,
    observation: Observation,
    options: ConstructorParameters<typeof Conduct>[2],
    onCall: (operation: Operation) => void,
  ) {
    this.#inner = inner;
    this.#clock = clock;
    this.#onCall = onCall;
    this.conduct = new Conduct(clock, observation, options);
  }

  /** Number of calls that wait for an answer. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The process is gone: it makes no call, and hears of none. */
  crash(): void {
    this.locks.crashed = true;
  }

  async startBatch(installationId: string, call: CallContext) {
    this.locks.underWay += 1;
    this.conduct.call("StartSyncBatch");
    try {
      const started = await this.#watch("StartSyncBatch", call, (context) =>
        this.#inner.startBatch(installationId, context),
      );
      this.locks.started(started.batchId);
      return started;
    } catch (error) {
      // Whatever is no refusal may have started one.
      if (!(error instanceof BatchInProgressError)) this.locks.unanswered += 1;
      throw error;
    } finally {
      this.locks.underWay -= 1;
    }
  }

  async syncRecords(given: readonly (Uint8Array | StoredMessage)[], call: CallContext) {
    const messages = await loaded(given);
    const stream = this.conduct.stream(messages, call.signal);
    try {
      const answer = await this.#watch("SyncRecords", call, (context) =>
        this.#inner.syncRecords(messages, context),
      );
      const { accepted } = answer;
      stream.answered(accepted, true);
      if (accepted !== undefined && accepted !== stream.records) this.undercounted.add(stream.batchId);
      return answer;
    } catch (error) {
      if (isRefusal(error)) stream.refused();
      throw error;
    } finally {
      stream.ended();
    }
  }

  completeBatch(batchId: string, call: CallContext) {
    this.conduct.complete(batchId);
    return this.#watch("CompleteSyncBatch", call, (context) => this.#inner.completeBatch(batchId, context));
  }

  async abortBatch(batchId: string, call: CallContext): Promise<void> {
    this.conduct.call("AbortSyncBatch", batchId);
    try {
      await this.#watch("AbortSyncBatch", call, (context) => this.#inner.abortBatch(batchId, context));
    } catch (error) {
      if (saysCompleted(error) && !this.locks.failedAborts.has(batchId))
        this.conduct.foundCompleted.add(batchId);
      this.locks.failedAborts.add(batchId);
      throw error;
    }
  }

  close(): void {
    this.locks.closed = true;
    this.#inner.close();
  }

  async #watch<T>(
    operation: Operation,
    call: CallContext,
    make: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    this.#onCall(operation);
    if (this.locks.crashed) return never(call.signal);
    this.#change(1);
    try {
      const answer = await make(call);
      if (!this.locks.crashed) return answer;
    } catch (error) {
      if (error instanceof TransportError) this.disturbed.push(operation);
      if (!this.locks.crashed) throw error;
    } finally {
      this.#change(-1);
    }
    // Nobody is left to hear the answer.
    return never(call.signal);
  }

  #change(calls: 1 | -1): void {
    this.#inFlight += calls;
    this.#clock.activity += 1;
  }
}

/** Nobody answers; the caller's own time ends the call. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
