import { TransportError } from "@saas-management/sdk/sync";
import type { CallContext, SyncTransport } from "../../../src/sync/transport.js";
import { Conduct } from "../conduct.js";
import type { Operation } from "../faults.js";
import type { SimClock } from "../sim-clock.js";

/** Statuses after which the same call may do better; INTERNAL is one where the stream was reset. */
const TRANSIENT: ReadonlySet<string> = new Set([
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "RESOURCE_EXHAUSTED",
  "INTERNAL",
  "UNAVAILABLE",
]);

/** The way of one client to the service, with somebody who looks on. */
export class WatchedTransport implements SyncTransport {
  readonly #inner: SyncTransport;
  readonly #clock: SimClock;
  readonly #onCall: (operation: Operation) => void;
  readonly #conduct = new Conduct();
  #crashed = false;
  #inFlight = 0;
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted = new Set<string>();
  /** The calls that a disturbance ended: what the service did is another matter. */
  readonly disturbed: Operation[] = [];

  /** @param onCall Called before each call is made. */
  constructor(inner: SyncTransport, clock: SimClock, onCall: (operation: Operation) => void) {
    this.#inner = inner;
    this.#clock = clock;
    this.#onCall = onCall;
  }

  /** What the client must not do, and did. */
  get misdeeds(): readonly string[] {
    return this.#conduct.misdeeds;
  }

  /** Number of calls that wait for an answer. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The process is gone: it makes no call, and hears of none. */
  crash(): void {
    this.#crashed = true;
  }

  startBatch(installationId: string, call: CallContext) {
    return this.#watch("StartSyncBatch", call, (context) => this.#inner.startBatch(installationId, context));
  }

  async syncRecords(messages: readonly Uint8Array[], call: CallContext) {
    const stream = this.#conduct.stream(messages);
    let status = "";
    const answered: CallContext["answered"] = (answer) => {
      status = answer.grpcStatus ?? status;
      call.answered(answer);
    };
    try {
      const answer = await this.#watch("SyncRecords", { ...call, answered }, (context) =>
        this.#inner.syncRecords(messages, context),
      );
      const { accepted } = answer;
      if (accepted !== undefined && accepted !== stream.records) this.undercounted.add(stream.batchId);
      return answer;
    } catch (error) {
      if (status !== "" && status !== "OK" && !TRANSIENT.has(status)) stream.refused();
      throw error;
    } finally {
      stream.ended();
    }
  }

  completeBatch(batchId: string, call: CallContext) {
    return this.#watch("CompleteSyncBatch", call, (context) => this.#inner.completeBatch(batchId, context));
  }

  abortBatch(batchId: string, call: CallContext): Promise<void> {
    return this.#watch("AbortSyncBatch", call, (context) => this.#inner.abortBatch(batchId, context));
  }

  close(): void {
    this.#inner.close();
  }

  async #watch<T>(
    operation: Operation,
    call: CallContext,
    make: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    this.#onCall(operation);
    if (this.#crashed) return never(call.signal);
    this.#change(1);
    try {
      const answer = await make(call);
      if (!this.#crashed) return answer;
    } catch (error) {
      if (error instanceof TransportError) this.disturbed.push(operation);
      if (!this.#crashed) throw error;
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
