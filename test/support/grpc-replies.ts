import type { OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";

/** Raw response bytes, or a status without a message. */
export interface Reply {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  readonly status?: number;
  readonly details?: string;
  readonly trailers?: OutgoingHttpHeaders;
}

/** Answers at once, even in the middle of a stream. */
export function reply(
  stream: ServerHttp2Stream,
  { headers = {}, body, status = 0, details = "", trailers = {} }: Reply,
): void {
  if (stream.destroyed) return;
  const head = { ":status": 200, "content-type": "application/grpc", ...headers };
  const end = { "grpc-status": String(status), "grpc-message": details, ...trailers };
  if (body === undefined) {
    stream.respond({ ...head, ...end }, { endStream: true });
    return;
  }
  stream.respond(head, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(end));
  stream.end(body);
}

/** Answers when the request has ended. */
export function replyWhenRead(stream: ServerHttp2Stream, given: Reply): void {
  stream.resume().once("end", () => reply(stream, given));
}

/** Answers at once with messages and the status OK. */
export function answerWith(stream: ServerHttp2Stream, ...messages: readonly Uint8Array[]): void {
  reply(stream, { body: framed(...messages) });
}

/** Answers with messages and the status OK when the request has ended. */
export function answerWhenRead(stream: ServerHttp2Stream, ...messages: readonly Uint8Array[]): void {
  replyWhenRead(stream, { body: framed(...messages) });
}

const PREFIX_BYTES = 5;

/** Messages in gRPC frames. */
export function framed(...messages: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const prefixed = messages.map((message) => {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(message.length, 1);
    return [prefix, message];
  });
  return Buffer.concat(prefixed.flat());
}

/** Calls `take` with each message of a request. */
export function readMessages(stream: ServerHttp2Stream, take: (message: Uint8Array) => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let wanted = PREFIX_BYTES;
  stream.on("data", (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    while (size >= wanted) {
      let bytes = Buffer.concat(pieces);
      const end = PREFIX_BYTES + bytes.readUInt32BE(1);
      wanted = end;
      if (size >= end) {
        take(new Uint8Array(bytes.subarray(PREFIX_BYTES, end)));
        bytes = bytes.subarray(end);
        wanted = PREFIX_BYTES;
      }
      pieces = [bytes];
      size = bytes.length;
    }
  });
}
