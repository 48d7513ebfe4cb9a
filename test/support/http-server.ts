import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import { listen, type Peer } from "./tcp-peers.js";

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> };
  /** Resolves when the client closes the connection before the answer. */
  readonly cancelled: Promise<void>;
  /** Over TLS: the server name and the client certificate. */
  readonly peer: { readonly serverName: unknown; readonly client: unknown } | undefined;
}

/** Answers a request. @param index number of the request, from 0 */
export type Responder = (request: ReceivedRequest, response: ServerResponse, index: number) => unknown;

/** A server on loopback; closed after the test. */
export interface HttpServer extends Peer {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>;
}

/** Serves over TLS if there is a certificate, otherwise in plaintext. */
export async function startHttpServer(respond: Responder, tls?: ServerOptions): Promise<HttpServer> {
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<{ readonly count: number; readonly done: () => void }>();
  const receive: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request: ReceivedRequest = {
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        body: JSON.parse(Buffer.concat(chunks).toString("utf8")),
        cancelled: new Promise((resolve) =>
          response.once("close", () => !response.writableFinished && resolve()),
        ),
        peer: incoming.socket instanceof TLSSocket ? peerOf(incoming.socket) : undefined,
      };
      requests.push(request);
      for (const waiter of waiting) if (requests.length >= waiter.count) waiter.done();
      respond(request, response, requests.length - 1);
    });
  };
  const peer = await listen(tls === undefined ? createServer(receive) : createSecureServer(tls, receive));
  return {
    ...peer,
    baseUrl: tls === undefined ? `http://127.0.0.1:${peer.port}` : `https://localhost:${peer.port}`,
    requests,
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((done) => {
            waiting.add({ count, done });
          }),
  };
}

function peerOf(socket: TLSSocket): ReceivedRequest["peer"] {
  return { serverName: Reflect.get(socket, "servername"), client: socket.getPeerCertificate().subject?.CN };
}

/** A GraphQL server over TLS that answers `{ data: {} }`. */
export function startTlsServer(tls: ServerOptions): Promise<HttpServer> {
  return startHttpServer(answer({ data: {} }), tls);
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  body: unknown,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  response.writeHead(options.status ?? 200, { "content-type": "application/json", ...options.headers });
  response.end(JSON.stringify(body));
}

/** Answers every request with this JSON. */
export function answer(body: unknown, options?: Parameters<typeof json>[2]): Responder {
  return (_, response) => json(response, body, options);
}

/** Answers every request with this text or these bytes as application/json. */
export function answerText(
  body: string | Uint8Array,
  { status = 200, headers = {} }: NonNullable<Parameters<typeof json>[2]> = {},
): Responder {
  return (_, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}
