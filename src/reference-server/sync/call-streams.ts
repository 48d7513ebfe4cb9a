import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Metadata, Server } from "@grpc/grpc-js";
import { http2ServersOf } from "./http2-servers.js";

/** Metadata in which a call is told the number of its stream. What a client sends under this name is replaced. */
const STREAM_NUMBER = "reference-server-stream";

/**
 * The HTTP/2 streams of the calls that are under way. The library does not show them, and a fault that breaks a stream
 * needs the one of its call: each is numbered before the library sees it, and the call finds the number in its
 * metadata.
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

  /** Resets the stream of a call with an error code of HTTP/2. */
  reset(call: Metadata, code: number): void {
    this.#of(call).close(code);
  }

  /** Sends GOAWAY on the connection of a call. With grace the calls that are under way may end. */
  goAway(call: Metadata, grace: boolean): void {
    const { session } = this.#of(call);
    if (grace) session?.goaway();
    else session?.destroy(undefined, constants.NGHTTP2_INTERNAL_ERROR);
  }

  #of(call: Metadata): ServerHttp2Stream {
    const [number] = call.get(STREAM_NUMBER);
    const stream = this.#streams.get(String(number));
    if (stream === undefined) throw new Error("The stream of the call is not known.");
    return stream;
  }
}
