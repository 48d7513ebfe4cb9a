import { Metadata, status } from "@grpc/grpc-js";
import { Credential } from "../../src/credential.js";
import { SyncRecordsRequest } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { type FailedCall, toStartError, toSyncError } from "../../src/sync/status.js";
import type { CallContext, SyncTransport } from "../../src/sync/transport.js";
import type { FaultKind, FaultSchedule, Operation } from "./faults.js";
import { readMessage } from "./messages.js";
import { type ModelMessage, ModelRefusal, type ServiceModel } from "./service-model.js";
import type { SimClock } from "./sim-clock.js";

const LOST: Pick<FailedCall, "code" | "details"> = {
  code: status.UNAVAILABLE,
  details: "Connection dropped",
};

/** Statuses after which the same call may do better; INTERNAL is one where the stream was reset. */
const TRANSIENT: ReadonlySet<number> = new Set([1, 4, 8, 13, 14]);

/** A network in memory, with the model of the service at its end and faults on the way. */
export class SimulatedTransport implements SyncTransport {
  readonly #service: ServiceModel;
  readonly #faults: FaultSchedule;
  readonly #clock: SimClock;
  readonly #credential = new Credential({ apiKey: "key-of-the-simulation" }, "ApiKey ");
  #crashed = false;
  readonly #refused = new Set<string>();
  readonly #streaming = new Map<string, number>();
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted = new Set<string>();
  /** What a client must not do, and did. */
  readonly misdeeds: string[] = [];

  constructor(service: ServiceModel, faults: FaultSchedule, clock: SimClock) {
    this.#service = service;
    this.#faults = faults;
    this.#clock = clock;
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
    // What is on its way is on its way: later changes to the sender's memory must not reach it.
    const sent = messages.map((bytes) => readMessage(SyncRecordsRequest.decode(bytes.slice())));
    const [first] = sent;
    const batchId = first?.batchId ?? "";
    const what = `${batchId} ${first?.message.labels[0]}`;
    if (messages.some(({ length }) => length >= 16 * 1024 * 1024)) this.misdeeds.push(`${what}: too large`);
    if (this.#refused.has(what)) this.misdeeds.push(`${what}: sent again after it was refused for good`);
    const open = (this.#streaming.get(batchId) ?? 0) + 1;
    this.#streaming.set(batchId, open);
    if (open > 1) this.misdeeds.push(`${what}: ${open} streams of one batch at the same time`);
    const stream = this.#service.openStream();
    const apply = (some: readonly SentMessage[]) => {
      for (const { batchId, message } of some)
        this.#service.apply(batchId, stream, message, this.#clock.now());
    };
    const records = sent.reduce((sum, { message }) => sum + message.keys.length, 0);
    return this.#call("SyncRecords", call, "", {
      effect: () => {
        try {
          apply(sent);
        } finally {
          this.#service.closeStream(batchId, stream);
        }
        return { accepted: records };
      },
      half: () => {
        apply(sent.slice(0, Math.floor(sent.length / 2)));
        this.#service.closeStream(batchId, stream);
      },
      refused: (code) => {
        if (!TRANSIENT.has(code)) this.#refused.add(what);
      },
      falsify: (kind) => {
        if (kind === "undercounted") this.undercounted.add(batchId);
        return { accepted: kind === "undercounted" ? records - 1 : undefined };
      },
    }).finally(() => this.#streaming.set(batchId, (this.#streaming.get(batchId) ?? 1) - 1));
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
    if (kind?.type === "expired") this.#service.expireNewest();
    await pause("before");
    if (kind?.type === "stalled" && kind.at === "before") return never(call.signal);
    if (kind?.type === "lost" && kind.at === "before") throw failed(LOST);
    if (kind?.type === "refused") {
      server.refused?.(kind.code);
      throw failed(kind);
    }
    if (kind?.type === "late") {
      this.#clock.elsewhere(kind.ms, () => {
        try {
          server.effect();
        } catch {
          // Nobody hears of it.
        }
      });
      throw failed(LOST);
    }
    if (isMiddle(kind) && server.half !== undefined) {
      server.half();
      if (kind.type === "stalled") return never(call.signal);
      throw failed(LOST);
    }
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

interface SentMessage {
  readonly batchId: string;
  readonly message: ModelMessage;
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
