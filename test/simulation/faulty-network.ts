import { Metadata, status } from "@grpc/grpc-js";
import { Credential } from "../../src/core/credential.js";
import { type FailedCall, toStartError, toSyncError } from "../../src/sync/grpc/status.js";
import type { CallContext } from "../../src/sync/transport.js";
import type { FaultKind, FaultSchedule, Operation } from "./faults.js";
import type { LockLog } from "./lock-log.js";
import { isMiddle, never, outcomeOf, type Server, turn, unheard } from "./server-side.js";
import type { ServiceModel } from "./service-model.js";
import type { SimClock } from "./sim-clock.js";

const LOST: Pick<FailedCall, "code" | "details"> = {
  code: status.UNAVAILABLE,
  details: "Connection dropped",
};

/** The key of every client. */
export const API_KEY = "key-of-the-simulation";

/** An in-memory network between client and service, with faults that strike calls. */
export class FaultyNetwork {
  readonly #service: ServiceModel;
  readonly #faults: FaultSchedule;
  readonly #clock: SimClock;
  readonly #locks: LockLog;
  readonly #died: () => void;
  readonly #credential = new Credential({ apiKey: API_KEY }, "ApiKey ");

  /**
   * @param locks Knows whether the client's process has died: a dead process sends nothing to the service.
   * @param died Called when a fault has killed the client's process.
   */
  constructor(
    service: ServiceModel,
    faults: FaultSchedule,
    clock: SimClock,
    locks: LockLog,
    died: () => void,
  ) {
    this.#service = service;
    this.#faults = faults;
    this.#clock = clock;
    this.#locks = locks;
    this.#died = died;
  }

  /**
   * Makes a call, lets the service handle it, and returns the answer.
   * @param installationId The installation that the error of a start names.
   */
  async call<T>(
    operation: Operation,
    call: CallContext,
    installationId: string,
    server: Server<T>,
  ): Promise<T> {
    this.#requireWanted(call);
    if (this.#locks.crashed) return never(call.signal);
    const kind = this.#take(operation, server);
    const failed = (failure: Pick<FailedCall, "code" | "details">, metadata = new Metadata()) =>
      this.#error(operation, installationId, { ...failure, metadata, isAnswered: true });
    const pause = (at: string) =>
      kind?.type === "delayed" && kind.at === at ? this.#slowly(kind.ms, call.signal) : turn();
    if (kind?.type === "expired" || kind?.type === "stolen") this.#service.expireNewest();
    if (kind?.type === "stolen") this.#service.start(this.#clock.now(), true);
    if (kind?.type === "revoked") this.#service.keyRevoked = true;
    await pause("before");
    if (kind?.type === "killed" && kind.at === "before") this.#died();
    if (this.#locks.crashed) return never(call.signal);
    if (kind?.type === "stalled" && kind.at === "before") return never(call.signal);
    if (kind?.type === "lost" && kind.at === "before") throw failed(LOST);
    if (kind?.type === "empty" && server.empty !== undefined) return server.empty;
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
      if (kind.type === "killed") this.#died();
      if (kind.type !== "lost") return never(call.signal);
      throw failed(LOST);
    }
    if (this.#service.keyRevoked) {
      server.refused?.(status.UNAUTHENTICATED);
      throw failed({ code: status.UNAUTHENTICATED, details: "key revoked" });
    }
    const effect = outcomeOf(
      () => server.effect(kind),
      (refusal) => {
        const metadata = new Metadata();
        if (refusal.batchState !== undefined) metadata.set("batch-state", refusal.batchState);
        return failed({ code: status[refusal.status], details: "" }, metadata);
      },
    );
    await pause("after");
    if (kind?.type === "killed") this.#died();
    if (kind?.type === "stalled") return never(call.signal);
    if (kind?.type === "lost") throw failed(LOST);
    // A caller who has given up doesn't receive the answer.
    if (this.#locks.crashed) return never(call.signal);
    call.signal.throwIfAborted();
    const value = effect();
    return kind === undefined ? value : (server.answer?.(kind, value) ?? value);
  }

  /** Rejects if the caller gave up before anything was sent. */
  #requireWanted({ signal, unlessSent, onUnsent }: CallContext): void {
    if (!signal.aborted && unlessSent?.aborted !== true) return;
    onUnsent?.();
    signal.throwIfAborted();
    unlessSent?.throwIfAborted();
  }

  /** The fault that strikes a call, if any. */
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

  /** The network is slow, but a caller who gives up doesn't wait. */
  #slowly(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(signal.reason);
      if (signal.aborted) ended();
      signal.addEventListener("abort", ended, { once: true });
      this.#clock.elsewhere(ms, () => {
        signal.removeEventListener("abort", ended);
        resolve();
      });
    });
  }

  #error(operation: Operation, installationId: string, failed: FailedCall): Error {
    const place = {
      operation,
      target: "sync.example.com:443",
      credential: this.#credential,
      maxReceiveMessageBytes: 16 * 1024 * 1024,
      secure: true,
      clientCertificate: false,
      clock: this.#clock,
    };
    return operation === "StartSyncBatch"
      ? toStartError(failed, place, installationId)
      : toSyncError(failed, place);
  }
}
