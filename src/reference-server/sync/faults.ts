import { constants } from "node:http2";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type Metadata, status } from "@grpc/grpc-js";
import { raceAbort } from "../../core/abort.js";
import type { DueFault } from "../faults/injector.js";
import type { FaultMoment, SyncFaultKind } from "../faults/kinds.js";
import type { ApiKeys } from "../keys.js";
import type { ConnectionEnd } from "../network.js";
import type { CallStreams } from "./http2.js";
import { presentedKey, Refusal } from "./refusal.js";
import type { Subject, SyncState } from "./state.js";

/** The call gets no answer: its connection, its stream or its caller is gone. */
export class NoAnswer extends Error {}

/** The call is answered as if its last message had been read. */
export class EarlyAnswer extends Error {}

/** What faults act on. */
export interface FaultTargets {
  readonly state: SyncState;
  readonly keys: ApiKeys;
  /** @param peer as `call.getPeer()` returns it */
  readonly endConnection: (peer: string, how: ConnectionEnd) => void;
  readonly streams: CallStreams;
}

/** One byte more than the default limit of gRPC clients. */
const OVERSIZED_BYTES = 16 * 1024 * 1024 + 1;

/** A call of the Sync API that faults can strike. */
export class CallWithFaults {
  readonly #targets: FaultTargets;
  readonly #call: { readonly metadata: Metadata; getPeer(): string };
  readonly #subject: () => Subject | undefined;
  readonly #cancelled: AbortSignal;
  #answerBytes = 0;

  /**
   * @param subject what the call is about, as far as it is known when a fault strikes
   * @param cancelled aborted when nobody waits for the answer
   */
  constructor(
    targets: FaultTargets,
    call: { readonly metadata: Metadata; getPeer(): string },
    subject: () => Subject | undefined,
    cancelled: AbortSignal,
  ) {
    this.#targets = targets;
    this.#call = call;
    this.#subject = subject;
    this.#cancelled = cancelled;
  }

  /**
   * Lets the faults strike whose moment has come.
   * @throws Refusal, {@link NoAnswer} or {@link EarlyAnswer}
   */
  async strike(due: readonly DueFault<SyncFaultKind>[], moment: FaultMoment): Promise<void> {
    for (const { kind, strikes } of due) {
      if (momentOf(kind) === moment && strikes()) await this.#strikeWith(kind);
    }
  }

  /** The answer, padded if a fault asks for it with a field that readers skip. */
  padded(answer: Uint8Array): Buffer {
    const missing = this.#answerBytes - answer.length;
    if (missing <= 0) return Buffer.from(answer);
    const padding = new BinaryWriter().tag(UNKNOWN_FIELD, WireType.LengthDelimited);
    return Buffer.concat([answer, padding.bytes(Buffer.alloc(missing)).finish()]);
  }

  async #strikeWith(kind: SyncFaultKind): Promise<void> {
    const { state, keys, endConnection, streams } = this.#targets;
    const { metadata } = this.#call;
    switch (kind.type) {
      case "delay":
        return orNoAnswer(state.clock.sleep(kind.ms, this.#cancelled));
      case "stall":
        return orNoAnswer(raceAbort(new Promise(() => {}), this.#cancelled));
      case "drop":
      case "reset":
        endConnection(this.#call.getPeer(), kind.type);
        throw new NoAnswer();
      case "rst-stream":
        streams.reset(metadata, kind.code ?? constants.NGHTTP2_INTERNAL_ERROR);
        throw new NoAnswer();
      case "goaway": {
        const { grace = true } = kind;
        streams.goAway(metadata, grace);
        if (!grace) throw new NoAnswer();
        return;
      }
      case "grpc-status":
        throw new Refusal(kind.code, kind.details ?? typicalDetails(kind.code), kind.trailers);
      case "early-answer":
        throw new EarlyAnswer();
      case "oversized-answer":
        this.#answerBytes = kind.bytes ?? OVERSIZED_BYTES;
        return;
      case "lease-expiry":
        return this.#withSubject((subject) => state.endLease(subject));
      case "lock-stolen":
        return this.#withSubject((subject) => state.stealLock(subject));
      case "revoke-key":
        keys.revoke(presentedKey(metadata));
        return;
    }
  }

  #withSubject(act: (subject: Subject) => void): void {
    const subject = this.#subject();
    if (subject !== undefined) act(subject);
  }
}

/** Whether the fault needs a batch, which a stream names in its first message only. */
export function needsBatch({ kind }: DueFault<SyncFaultKind>): boolean {
  return kind.type === "lease-expiry" || kind.type === "lock-stolen";
}

function momentOf(kind: SyncFaultKind): FaultMoment {
  return kind.type === "oversized-answer" ? "answer" : (kind.at ?? "request");
}

function orNoAnswer(wait: Promise<void>): Promise<void> {
  return wait.catch(() => {
    throw new NoAnswer();
  });
}

/** No message of the contract has a field of this number. */
const UNKNOWN_FIELD = 1000;

/** What gRPC servers, proxies and load balancers typically send with a status. */
const TYPICAL_DETAILS: Readonly<Record<number, string>> = {
  [status.CANCELLED]: "The operation was cancelled.",
  [status.UNKNOWN]: "Exception was thrown by handler.",
  [status.INVALID_ARGUMENT]: "The request is not valid.",
  [status.DEADLINE_EXCEEDED]: "Deadline exceeded",
  [status.NOT_FOUND]: "There is no such batch.",
  [status.ALREADY_EXISTS]: "Another batch is in progress for this installation.",
  [status.PERMISSION_DENIED]: "Permission denied.",
  [status.RESOURCE_EXHAUSTED]: "Too many requests.",
  [status.FAILED_PRECONDITION]: "The batch is not active.",
  [status.ABORTED]: "The operation was aborted because of a conflict.",
  [status.OUT_OF_RANGE]: "Out of range.",
  [status.UNIMPLEMENTED]: "Method is unimplemented.",
  [status.INTERNAL]: "Internal server error",
  [status.UNAVAILABLE]:
    "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
  [status.DATA_LOSS]: "Unrecoverable data loss.",
  [status.UNAUTHENTICATED]: "The API key was revoked.",
};

function typicalDetails(code: number): string {
  return TYPICAL_DETAILS[code] ?? "Injected fault.";
}
