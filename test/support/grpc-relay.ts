import { connect, type IncomingHttpHeaders } from "node:http2";
import { buffer } from "node:stream/consumers";
import { answerWith, type Reply, reply } from "./grpc-replies.js";
import { startSyncServer } from "./sync-server.js";

/** The calls that the relay lies about. `done` reports success but makes no call, and `twice` makes the call twice. */
export type Lies = Readonly<Partial<Record<string, "done" | "twice">>>;

/** A proxy that passes calls on to the Sync API, except those that it lies about. */
export interface GrpcRelay {
  readonly endpoint: string;
  lies: Lies;
}

/** Starts a proxy that ends with the test. */
export async function startGrpcRelay(syncUrl: string): Promise<GrpcRelay> {
  const server = await startSyncServer();
  const relay: GrpcRelay = { endpoint: server.endpoint, lies: {} };
  server.answer = async (stream, operation, headers) => {
    const request = await buffer(stream);
    const lie = relay.lies[operation];
    if (lie === "done") return answerWith(stream, Buffer.alloc(0));
    if (lie === "twice") await pass(syncUrl, headers, request);
    reply(stream, await pass(syncUrl, headers, request));
  };
  return relay;
}

/** The server's answer; UNAVAILABLE if it is lost. */
async function pass(syncUrl: string, headers: IncomingHttpHeaders, request: Uint8Array): Promise<Reply> {
  const below = connect(syncUrl);
  below.on("error", () => {});
  const stream = below.request(headers);
  let trailers: IncomingHttpHeaders = {};
  stream.on("response", ({ ":status": _status, "content-type": _type, ...rest }) => {
    trailers = rest;
  });
  stream.on("trailers", (rest) => {
    trailers = rest;
  });
  stream.end(request);
  try {
    const body = await buffer(stream);
    return body.length === 0 ? { trailers } : { body, trailers };
  } catch {
    return { status: 14, details: "connection dropped" };
  } finally {
    below.close();
  }
}
