import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Metadata, Server } from "@grpc/grpc-js";

/** The HTTP/2 servers behind a gRPC server, which it keeps private; none if a later version moves them. */
function http2ServersOf(server: Server): Http2Server[] {
  const servers: unknown = server["http2Servers"];
  return servers instanceof Map ? [...servers.keys()].filter(isHttp2Server) : [];
}

function isHttp2Server(value: unknown): value is Http2Server {
  return typeof value === "object" && value !== null && "updateSettings" in value && "on" in value;
}

/**
 * With the initial 64 KiB of HTTP/2 a link of 50 ms round trip carries 6 Mbit/s, with these windows 490 Mbit/s
 * (bench/reference-server-sync.ts). They also limit what a connection makes the server buffer.
 */
const STREAM_WINDOW_BYTES = 8 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Raises the flow-control windows of new connections: gRPC has an option for clients only. */
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
 * The HTTP/2 streams of running calls, for faults that break them. gRPC does not expose them, so each is numbered before
 * gRPC sees it, and the call finds the number in its metadata.
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

  /** Sends GOAWAY on the connection of a call. With grace running calls may end. */
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
