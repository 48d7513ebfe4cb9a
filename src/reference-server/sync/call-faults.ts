import { constants } from "node:http2";
import type { Clock } from "../../core/clock.js";
import type { ConnectionEnd } from "../connections.js";
import type { DueFault } from "../faults/faults.js";
import type { FaultMoment } from "../faults/shared-kinds.js";
import type { SyncFaultKind } from "../faults/sync-kinds.js";
import { typicalDetails } from "../faults/typical-details.js";
import { untilGone } from "../faults/until-gone.js";
import { Refusal } from "./refusal.js";

/** What faults do to the call that they strike. */
export interface StruckCall {
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Ends the connection that the call came on. */
  endConnection(how: ConnectionEnd): void;
  /** Resets the HTTP/2 stream with an error code. */
  resetStream(code: number): void;
  /** Sends GOAWAY; without grace the connection is closed with it. */
  goAway(grace: boolean): void;
  /** Ends the lease of the batch that the call is about. */
  endLease(): void;
  /** Ends the lease of the batch that the call is about, and starts another batch. */
  stealLock(): void;
  /** Revokes the key that the call came with. */
  revokeKey(): void;
  /** Makes the answer's message this large. */
  inflateAnswer(bytes: number): void;
}

/** The call gets no answer: its connection or stream is gone, or its caller is. */
export class NoAnswer extends Error {}

/** The call is answered as if its last message had been read. */
export class EarlyAnswer extends Error {}

/** What a message of gRPC may have by default, and one byte more. */
const OVERSIZED_BYTES = 16 * 1024 * 1024 + 1;

/**
 * Lets those faults strike whose moment has come.
 * @throws Refusal for a status, {@link NoAnswer} for a call that gets none, {@link EarlyAnswer}.
 */
export async function strike(
  due: readonly DueFault<SyncFaultKind>[],
  moment: FaultMoment,
  call: StruckCall,
  clock: Clock,
): Promise<void> {
  for (const { kind, strikes } of due) {
    if (momentOf(kind) === moment && strikes()) await strikeWith(kind, call, clock);
  }
}

/** Whether the fault is about a batch, which a stream names with its first message only. */
export function needsBatch({ kind }: DueFault<SyncFaultKind>): boolean {
  return kind.type === "lease-expiry" || kind.type === "lock-stolen";
}

function momentOf(kind: SyncFaultKind): FaultMoment {
  return kind.type === "oversized-answer" ? "answer" : (kind.at ?? "request");
}

async function strikeWith(kind: SyncFaultKind, call: StruckCall, clock: Clock): Promise<void> {
  switch (kind.type) {
    case "delay":
      return orNoAnswer(clock.sleep(kind.ms, call.signal));
    case "stall":
      return orNoAnswer(untilGone(call.signal));
    case "drop":
    case "reset":
      call.endConnection(kind.type);
      throw new NoAnswer();
    case "rst-stream":
      call.resetStream(kind.code ?? constants.NGHTTP2_INTERNAL_ERROR);
      throw new NoAnswer();
    case "goaway": {
      const grace = kind.grace ?? true;
      call.goAway(grace);
      if (!grace) throw new NoAnswer();
      return;
    }
    case "grpc-status":
      throw new Refusal(kind.code, kind.details ?? typicalDetails(kind.code), kind.trailers);
    case "early-answer":
      throw new EarlyAnswer();
    case "oversized-answer":
      return call.inflateAnswer(kind.bytes ?? OVERSIZED_BYTES);
    case "lease-expiry":
      return call.endLease();
    case "lock-stolen":
      return call.stealLock();
    case "revoke-key":
      return call.revokeKey();
  }
}

/** A wait that ends early where the caller gives up. */
function orNoAnswer(wait: Promise<void>): Promise<void> {
  return wait.catch(() => {
    throw new NoAnswer();
  });
}
