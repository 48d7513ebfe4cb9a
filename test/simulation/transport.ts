import { Metadata, status } from "@grpc/grpc-js";
import { SyncProtocolError } from "@saas-management/sdk/sync";
import { Credential } from "../../src/credential.js";
import { type FailedCall, toStartError, toSyncError } from "../../src/sync/status.js";
import type { CallContext, SyncTransport } from "../../src/sync/transport.js";
import { Conduct } from "./conduct.js";
import type { FaultKind, FaultSchedule, Operation } from "./faults.js";
import { LockLog } from "./lock-log.js";
import type { SentMessage } from "./messages.js";
import { isMiddle, never, outcomeOf, type Server, turn, unheard } from "./server-side.js";
import type { ServiceModel } from "./service-model.js";
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
  /** What the client does on the wire. */
  readonly conduct: Conduct;
  readonly locks = new LockLog();
  /** Batches of which fewer records were acknowledged than were sent. */
  readonly undercounted = new Set<string>();

  /** @param limitBytes Messages have to be smaller; undefined for the service's own limit. */
  constructor(service: ServiceModel, faults: FaultSchedule, clock: SimClock, limitBytes?: number) {
    this.#service = service;
    this.#faults = faults;
    this.#clock = clock;
    this.conduct = new Conduct(() => clock.now(), limitBytes);
  }

  /** The process is gone: nothing reaches the service any more. */
  crash(): void {
    this.locks.crashed = true;
  }

  async startBatch(installationId: string, call: CallContext): Promise<{ readonly batchId: string }> {
    this.locks.underWay += 1;
    try {
      const started = await this.#call("StartSyncBatch", call, installationId, {
        effect: () => ({ batchId: this.#service.start(this.#clock.now()).id }),
        struck: ({ type }) => {
          if (type === "lost" || type === "late" || type === "stalled") this.locks.unanswered += 1;
        },
      });
      this.locks.started(started.batchId);
      return started;
    } finally {
      this.locks.underWay -= 1;
    }
  }

  async syncRecords(messages: readonly Uint8Array[], call: CallContext) {
    const sent = this.conduct.stream(messages, call.signal);
    const { batchId, records } = sent;
    const half = sent.messages.slice(0, Math.floor(sent.messages.length / 2));
    const stream = this.#service.openStream();
    const apply = (some: readonly SentMessage[]) => {
      try {
        for (const { batchId, message } of some)
          this.#service.apply(batchId, stream, message, this.#clock.now());
      } finally {
        this.#service.closeStream(batchId, stream);
      }
      return { accepted: some.reduce((sum, { message }) => sum + message.keys.length, 0) };
    };
    try {
      const answer: Acknowledgement = await this.#call<Acknowledgement>("SyncRecords", call, "", {
        effect: (kind) => apply(kind?.type === "early" ? half : sent.messages),
        half: () => apply(half),
        can: ({ type }) => (type === "undercounted" ? records > 0 : type !== "early" || half.length > 0),
        refused: (code) => {
          if (!TRANSIENT.has(code)) sent.refused();
        },
        answer: (kind, { accepted = records }) => {
          if (kind.type === "early" && !kind.counted) throw saysNothing();
          if (kind.type === "undercounted") return { accepted: accepted - 1 };
          return { accepted: kind.type === "uncounted" ? undefined : accepted };
        },
      });
      const { accepted = records } = answer;
      if (accepted === records) sent.accepted();
      else this.undercounted.add(batchId);
      return answer;
    } finally {
      sent.ended();
    }
  }

  completeBatch(batchId: string, call: CallContext) {
    this.conduct.complete(batchId);
    return this.#call("CompleteSyncBatch", call, "", {
      effect: () => {
        this.#service.complete(batchId, this.#clock.now());
        return { snapshots: {}, events: {} };
      },
    });
  }

  async abortBatch(batchId: string, call: CallContext): Promise<void> {
    const failed = () => this.locks.failedAborts.add(batchId);
    try {
      await this.#call("AbortSyncBatch", call, "", {
        effect: () => this.#service.abort(batchId, this.#clock.now()),
        struck: failed,
      });
    } catch (error) {
      if (this.#service.keyRevoked) failed();
      throw error;
    }
  }

  close(): void {
    this.locks.closed = true;
  }

  async #call<T>(
    operation: Operation,
    call: CallContext,
    installationId: string,
    server: Server<T>,
  ): Promise<T> {
    call.signal.throwIfAborted();
    if (this.locks.crashed) return never(call.signal);
    const kind = this.#take(operation, server);
    const failed = (failure: Pick<FailedCall, "code" | "details">, metadata = new Metadata()) =>
      this.#error(operation, installationId, { ...failure, metadata });
    const pause = (at: string) =>
      kind?.type === "delayed" && kind.at === at ? this.#slowly(kind.ms, call.signal) : turn();
    if (kind?.type === "expired" || kind?.type === "stolen") this.#service.expireNewest();
    if (kind?.type === "stolen") this.#service.steal(this.#clock.now());
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
        unheard(() => server.effect());
      });
      throw failed(LOST);
    }
    if (isMiddle(kind) && server.half !== undefined) {
      unheard(server.half);
      if (kind.type === "stalled") return never(call.signal);
      throw failed(LOST);
    }
    if (this.#service.keyRevoked) throw failed({ code: status.UNAUTHENTICATED, details: "key revoked" });
    const effect = outcomeOf(
      () => server.effect(kind),
      (refusal) => {
        const metadata = new Metadata();
        if (refusal.batchState !== undefined) metadata.set("batch-state", refusal.batchState);
        return failed({ code: status[refusal.status], details: "" }, metadata);
      },
    );
    await pause("after");
    if (kind?.type === "stalled") return never(call.signal);
    if (kind?.type === "lost") throw failed(LOST);
    // Whoever gave up meanwhile hears nothing of it.
    if (this.locks.crashed) return never(call.signal);
    call.signal.throwIfAborted();
    const value = effect();
    return kind === undefined ? value : (server.answer?.(kind, value) ?? value);
  }

  /** The fault that strikes a call, if one does. */
  #take<T>(operation: Operation, { can, struck }: Server<T>): FaultKind | undefined {
    const kind = this.#faults.take(operation, (planned) => {
      if (planned.type === "expired" || planned.type === "stolen")
        return this.#service.isLocked(this.#clock.now());
      if (planned.type === "revoked") return !this.#service.keyRevoked;
      return can?.(planned) ?? true;
    });
    if (kind !== undefined) struck?.(kind);
    return kind;
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

type Acknowledgement = Awaited<ReturnType<SyncTransport["syncRecords"]>>;

/** What a transport makes of an answer that comes before everything was sent and counts nothing. */
function saysNothing(): SyncProtocolError {
  return new SyncProtocolError("SyncRecords: the answer came before everything was sent.");
}
