import { Metadata, status } from "@grpc/grpc-js";
import { Credential } from "../../src/credential.js";
import { type FailedCall, toStartError, toSyncError } from "../../src/sync/status.js";
import type { CallContext, SyncTransport } from "../../src/sync/transport.js";
import { Conduct } from "./conduct.js";
import type { FaultKind, FaultSchedule, Operation } from "./faults.js";
import type { SentMessage } from "./messages.js";
import { ModelRefusal, type ServiceModel } from "./service-model.js";
import type { SimClock } from "./sim-clock.js";

const LOST: Pick<FailedCall, "code" | "details"> = {
  code: status.UNAVAILABLE,
  details: "Connection dropped",
};

/** Statuses after which the same call may do better; INTERNAL is one where the stream was reset. */
const TRANSIENT: ReadonlySet<number> = new Set([1, 4, 8, 13, 14]);

/** The key of every client. */
export const API_KEY = "key-of-the-simulation";

/** A network in memory, with the model of the service at its end and faults on the way. */
export class SimulatedTransport implements SyncTransport {
  readonly #service: ServiceModel;
  readonly #faults: FaultSchedule;
  readonly #clock: SimClock;
  readonly #credential = new Credential({ apiKey: API_KEY }, "ApiKey ");
  #crashed = false;
  readonly #conduct = new Conduct();
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted = new Set<string>();

  constructor(service: ServiceModel, faults: FaultSchedule, clock: SimClock) {
    this.#service = service;
    this.#faults = faults;
    this.#clock = clock;
  }

  /** What a client must not do, and did. */
  get misdeeds(): readonly string[] {
    return this.#conduct.misdeeds;
  }

  /** The process is gone: nothing reaches the service any more. */
  crash(): void {
    this.#crashed = true;
  }

  startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }> {
    return this.#call("StartSyncBatch", call, installationId, {
      effect: () => ({ batchId: this.#service.start(this.#clock.now()).id }),
    });
  }

  syncRecords(messages: readonly Uint8Array[], call: CallContext) {
    const sent = this.#conduct.stream(messages);
    const { batchId, records } = sent;
    const stream = this.#service.openStream();
    const apply = (some: readonly SentMessage[]) => {
      for (const { batchId, message } of some)
        this.#service.apply(batchId, stream, message, this.#clock.now());
    };
    return this.#call("SyncRecords", call, "", {
      effect: () => {
        try {
          apply(sent.messages);
        } finally {
          this.#service.closeStream(batchId, stream);
        }
        return { accepted: records };
      },
      half: () => {
        try {
          apply(sent.messages.slice(0, Math.floor(sent.messages.length / 2)));
        } finally {
          this.#service.closeStream(batchId, stream);
        }
      },
      refused: (code) => {
        if (!TRANSIENT.has(code)) sent.refused();
      },
      falsify: (kind) => {
        if (kind === "undercounted") this.undercounted.add(batchId);
        return { accepted: kind === "undercounted" ? records - 1 : undefined };
      },
    }).finally(sent.ended);
  }

  completeBatch(batchId: string, call: CallContext) {
    return this.#call("CompleteSyncBatch", call, "", {
      effect: () => {
        this.#service.complete(batchId, this.#clock.now());
        return { snapshots: {}, events: {} };
      },
    });
  }

  abortBatch(batchId: string, call: CallContext): Promise<void> {
    return this.#call("AbortSyncBatch", call, "", {
      effect: () => this.#service.abort(batchId, this.#clock.now()),
    });
  }

  close(): void {}

  async #call<T>(
    operation: Operation,
    call: CallContext,
    installationId: string,
    server: Server<T>,
  ): Promise<T> {
    call.signal.throwIfAborted();
    if (this.#crashed) return never(call.signal);
    const kind = this.#faults.take(operation);
    const failed = (failure: Pick<FailedCall, "code" | "details">, metadata = new Metadata()) =>
      this.#error(operation, installationId, { ...failure, metadata });
    const pause = (at: string) =>
      kind?.type === "delayed" && kind.at === at ? this.#slowly(kind.ms, call.signal) : turn();
    if (kind?.type === "expired" || kind?.type === "stolen") this.#service.expireNewest();
    if (kind?.type === "stolen") this.#service.start(this.#clock.now());
    if (kind?.type === "revoked") this.#service.keyRevoked = true;
    await pause("before");
    if (kind?.type === "stalled" && kind.at === "before") return never(call.signal);
    if (kind?.type === "lost" && kind.at === "before") throw failed(LOST);
    if (kind?.type === "refused") {
      server.refused?.(kind.code);
      throw failed(kind);
    }
    if (kind?.type === "late") {
      this.#clock.elsewhere(kind.ms, () => {
        unheard(server.effect);
      });
      throw failed(LOST);
    }
    if (isMiddle(kind) && server.half !== undefined) {
      unheard(server.half);
      if (kind.type === "stalled") return never(call.signal);
      throw failed(LOST);
    }
    if (this.#service.keyRevoked) throw failed({ code: status.UNAUTHENTICATED, details: "key revoked" });
    const effect = outcomeOf(server.effect, (refusal) => {
      const metadata = new Metadata();
      if (refusal.batchState !== undefined) metadata.set("batch-state", refusal.batchState);
      return failed({ code: status[refusal.status], details: "" }, metadata);
    });
    await pause("after");
    if (kind?.type === "stalled") return never(call.signal);
    if (kind?.type === "lost") throw failed(LOST);
    // Whoever gave up meanwhile hears nothing of it.
    if (this.#crashed) return never(call.signal);
    call.signal.throwIfAborted();
    const value = effect();
    const falsified =
      kind?.type === "undercounted" || kind?.type === "uncounted" ? server.falsify?.(kind.type) : undefined;
    return falsified ?? value;
  }

  /** The network takes its time; who gives up does not wait for it. */
  #slowly(ms: number, signal: AbortSignal): Promise<void> {
    const arrived = new Promise<void>((resolve) => this.#clock.elsewhere(ms, resolve));
    return Promise.race([arrived, never(signal)]);
  }

  #error(operation: Operation, installationId: string, failed: FailedCall): Error {
    const place = {
      operation,
      target: "sync.example.com:443",
      credential: this.#credential,
      maxReceiveMessageBytes: 16 * 1024 * 1024,
      secure: true,
      clientCertificate: false,
      now: () => this.#clock.now(),
    };
    return operation === "StartSyncBatch"
      ? toStartError(failed, place, installationId)
      : toSyncError(failed, place);
  }
}

/** What the service does with a call. */
interface Server<T> {
  readonly effect: () => T;
  /** Does half of it. */
  readonly half?: () => void;
  /** Hears of a status with which the call was refused. */
  readonly refused?: (code: number) => void;
  /** An answer that is not true. */
  readonly falsify?: (kind: "undercounted" | "uncounted") => T;
}

function isMiddle(
  kind: FaultKind | undefined,
): kind is Extract<FaultKind, { readonly type: "lost" | "stalled" }> {
  return (kind?.type === "lost" || kind?.type === "stalled") && kind.at === "middle";
}

/** Does it now, and tells later how it went. */
function outcomeOf<T>(effect: () => T, refused: (refusal: ModelRefusal) => Error): () => T {
  try {
    const value = effect();
    return () => value;
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error;
    return () => {
      throw refused(error);
    };
  }
}

/** Does it; nobody hears of it where the service says no. */
function unheard(effect: () => unknown): void {
  try {
    effect();
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error;
  }
}

/** A turn of the event loop: no call is answered in the turn in which it was made. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Nobody answers; the caller's own time ends the call. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
