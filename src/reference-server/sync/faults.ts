import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type Metadata, type Server, status } from "@grpc/grpc-js";
import { raceAbort } from "../../core/abort.js";
import type { CheckedFault, DueFault, FaultInjector } from "../faults/injector.js";
import type { ConnectionEnd } from "../network.js";
import type { ApiKeys } from "../workspace.js";
import { presentedKey, Refusal } from "./refusal.js";
import type { Subject, SyncState } from "./state.js";

/** The call gets no answer: its connection, its stream or its caller is gone. */
export class NoAnswer extends Error {}

/** The call is answered as if its last message had been read. */
export class EarlyAnswer extends Error {}

export interface SyncServiceParts {
  readonly faults: FaultInjector;
  readonly state: SyncState;
  readonly keys: ApiKeys;
  readonly endConnection: (peer: string, how: ConnectionEnd) => void;
  readonly streams: CallStreams;
}

/** One byte more than the default limit of gRPC clients. */
const OVERSIZED_BYTES = 16 * 1024 * 1024 + 1;

export type CallWithFaults = ReturnType<typeof callWithFaults>;

/**
 * @param subject the call's installation and batch, if they're known when a fault fires
 * @param cancelled aborted when the caller no longer waits for the answer
 */
export function callWithFaults(
  { state, keys, endConnection, streams }: SyncServiceParts,
  call: { readonly metadata: Metadata; getPeer(): string },
  subject: () => Subject | undefined,
  cancelled: AbortSignal,
) {
  let answerBytes = 0;

  async function inject(fault: CheckedFault): Promise<void> {
    switch (fault.fault) {
      case "delay":
        return orNoAnswer(state.clock.sleep(fault.ms, cancelled));
      case "stall":
        return orNoAnswer(raceAbort(new Promise(() => {}), cancelled));
      case "drop":
      case "reset":
        endConnection(call.getPeer(), fault.fault);
        throw new NoAnswer();
      case "rst-stream":
        streams.reset(call.metadata, fault.code);
        throw new NoAnswer();
      case "goaway":
        streams.goAway(call.metadata, fault.grace);
        if (!fault.grace) throw new NoAnswer();
        return;
      case "status":
        throw new Refusal(status[fault.status], fault.details, fault.trailers);
      case "early-answer":
        throw new EarlyAnswer();
      case "oversized-answer":
        answerBytes = OVERSIZED_BYTES;
        return;
      case "lease-expiry":
      case "lock-stolen": {
        const about = subject();
        if (about === undefined) return;
        return fault.fault === "lock-stolen" ? state.stealLock(about) : state.endLease(about);
      }
      case "revoke-key":
        keys.revoke(presentedKey(call.metadata));
    }
  }

  return {
    /** Fires the faults that are due at this moment. @throws Refusal, {@link NoAnswer} or {@link EarlyAnswer} */
    fire: async (due: readonly DueFault[], moment: "request" | "answer"): Promise<void> => {
      for (const { fault, fires } of due) if (fault.at === moment && fires()) await inject(fault);
    },
    /** Pads the answer with a field that readers skip, if a fault asks for padding. */
    padded: (answer: Uint8Array): Buffer => {
      const missing = answerBytes - answer.length;
      if (missing <= 0) return Buffer.from(answer);
      const padding = new BinaryWriter().tag(UNKNOWN_FIELD, WireType.LengthDelimited);
      return Buffer.concat([answer, padding.bytes(Buffer.alloc(missing)).finish()]);
    },
  };
}

/** Whether the fault needs to know the batch. Only the first message of a stream names it. */
export function needsBatch({ fault: { fault } }: DueFault): boolean {
  return fault === "lease-expiry" || fault === "lock-stolen";
}

function orNoAnswer(wait: Promise<void>): Promise<void> {
  return wait.catch(() => {
    throw new NoAnswer();
  });
}

/** No message of the contract has a field of this number. */
const UNKNOWN_FIELD = 1000;

/** The private HTTP/2 servers behind a gRPC server; none if a later version of gRPC moves them. */
function http2ServersOf(server: Server): Http2Server[] {
  const servers: unknown = server["http2Servers"];
  return servers instanceof Map ? [...servers.keys()].filter(isHttp2Server) : [];
}

function isHttp2Server(value: unknown): value is Http2Server {
  return typeof value === "object" && value !== null && "updateSettings" in value && "on" in value;
}

/**
 * With these windows, a link with a round trip of 50 ms carries 490 Mbit/s; with HTTP/2's initial 64 KiB, 6 Mbit/s.
 * The windows also limit how much the server buffers for a connection.
 */
const STREAM_WINDOW_BYTES = 8 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Raises the flow-control windows of new connections, because gRPC lets only clients set them. */
export function raiseWindows(server: Server): void {
  for (const http2Server of http2ServersOf(server)) {
    http2Server.updateSettings({ initialWindowSize: STREAM_WINDOW_BYTES });
    http2Server.on("session", (session: ServerHttp2Session) =>
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES),
    );
  }
}

/** Metadata with the number of a call's stream. A value that the client sent is replaced. */
const STREAM_NUMBER = "reference-server-stream";

/**
 * The HTTP/2 streams of running calls, for faults that break them. gRPC does not expose the streams, so each is
 * numbered before gRPC sees it, and the call's metadata has the number.
 */
export class CallStreams {
  readonly #streams = new Map<string, ServerHttp2Stream>();
  #count = 0;

  constructor(server: Server) {
    for (const http2Server of http2ServersOf(server)) {
      http2Server.prependListener("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
        const number = String(++this.#count);
        headers[STREAM_NUMBER] = number;
        this.#streams.set(number, stream);
        stream.once("close", () => this.#streams.delete(number));
      });
    }
  }

  reset(call: Metadata, code: number): void {
    this.#of(call).close(code);
  }

  /** Sends GOAWAY on the connection of a call. With grace, running calls may finish. */
  goAway(call: Metadata, grace: boolean): void {
    const { session } = this.#of(call);
    if (grace) session?.goaway();
    else session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR);
  }

  #of(call: Metadata): ServerHttp2Stream {
    const [number] = call.get(STREAM_NUMBER);
    const stream = this.#streams.get(String(number));
    if (stream === undefined) throw new Error("The stream of the call is unknown.");
    return stream;
  }
}
