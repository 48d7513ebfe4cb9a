import { once } from "node:events";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { operationOf } from "./sync-service-client.js";

/** Raw response bytes, or a status without a message. */
export interface RawAnswer {
  readonly body?: Uint8Array;
  readonly status?: number;
  readonly details?: string;
  readonly state?: string;
}

/** Answers each call of the Sync API with given bytes, after it has read the whole request. */
export interface AnsweringServer {
  readonly endpoint: string;
  answers: Readonly<Record<string, RawAnswer>>;
  close(): Promise<void>;
}

/** The caller closes it, because a property makes thousands of calls over one connection. */
export async function startAnsweringServer(): Promise<AnsweringServer> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
    session.once("close", () => sessions.delete(session));
  });
  const answering: { answers: AnsweringServer["answers"] } = { answers: {} };
  server.on("stream", (stream, headers) => {
    const operation = operationOf(headers[":path"]);
    stream.on("error", () => {});
    stream.resume().once("end", () => reply(stream, answering.answers[operation] ?? {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const close = async () => {
    const closed = once(server, "close");
    server.close();
    for (const session of sessions) session.destroy();
    await closed;
  };
  return Object.assign(answering, { endpoint: `http://127.0.0.1:${address.port}`, close });
}

function reply(stream: ServerHttp2Stream, { body, status = 0, details = "", state = "" }: RawAnswer): void {
  if (stream.destroyed) return;
  const trailers = { "grpc-status": String(status), "grpc-message": details, "batch-state": state };
  const head = { ":status": 200, "content-type": "application/grpc" };
  if (body === undefined) {
    stream.respond({ ...head, ...trailers }, { endStream: true });
    return;
  }
  stream.respond(head, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(body);
}
