import type { Metadata } from "@grpc/grpc-js";
import type { ConnectionEnd } from "../connections.js";
import type { ApiKeys } from "../keys.js";
import { presentedKey } from "./authorize.js";
import type { StruckCall } from "./call-faults.js";
import type { CallStreams } from "./call-streams.js";
import type { Subject, SyncState } from "./sync-state.js";

/** What faults reach for. */
export interface StruckCallParts {
  readonly state: SyncState;
  readonly keys: ApiKeys;
  /** Ends the connection of a peer, as `call.getPeer()` names it. */
  readonly endConnection: (peer: string, how: ConnectionEnd) => void;
  readonly streams: CallStreams;
}

/** What a call is about, as far as it is known yet. */
export type FindSubject = () => Subject | undefined;

/** A call of the Sync API, as faults see it. */
export function struckCall(
  { state, keys, endConnection, streams }: StruckCallParts,
  call: { readonly metadata: Metadata; getPeer(): string },
  findSubject: FindSubject,
  signal: AbortSignal,
  inflateAnswer: (bytes: number) => void,
): StruckCall {
  const withSubject = (act: (subject: Subject) => void): void => {
    const subject = findSubject();
    if (subject !== undefined) act(subject);
  };
  return {
    signal,
    endConnection: (how) => endConnection(call.getPeer(), how),
    resetStream: (code) => streams.reset(call.metadata, code),
    goAway: (grace) => streams.goAway(call.metadata, grace),
    endLease: () => withSubject((subject) => state.endLease(subject)),
    stealLock: () => withSubject((subject) => state.stealLock(subject)),
    revokeKey: () => keys.revokePresented(presentedKey(call.metadata)),
    inflateAnswer,
  };
}
