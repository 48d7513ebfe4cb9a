import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { connect } from "node:net";
import { TLSSocket } from "node:tls";
import { listener } from "../../examples/handlers/listener.js";
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
  const peer = await listen(serverOf(receive, tls));
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

function serverOf(listener: RequestListener, tls: ServerOptions | undefined): Server {
  return tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
}

function peerOf(socket: TLSSocket): ReceivedRequest["peer"] {
  return { serverName: Reflect.get(socket, "servername"), client: socket.getPeerCertificate().subject?.CN };
}

/** A GraphQL server over TLS that answers `{ data: {} }`. */
export function startTlsServer(tls: ServerOptions): Promise<HttpServer> {
  return startHttpServer(answer({ data: {} }), tls);
}

/** Serves a function from Request to Response. @returns its address */
export async function serveHandler(handler: (request: Request) => Promise<Response>): Promise<string> {
  const { port } = await listen(createServer(listener(handler)));
  return `http://127.0.0.1:${port}`;
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

/** A proxy that opens tunnels; closed after the test. */
export interface ConnectProxy extends Peer {
  /** The CONNECT requests, in order. */
  readonly requests: readonly { readonly target: string; readonly authorization: string | undefined }[];
  /** Number of other requests. */
  readonly others: () => number;
}

/** Every host name resolves to this machine. */
export async function startConnectProxy(
  options: {
    /** Required `user:password`. */
    readonly credentials?: string;
    /** The status with which the proxy refuses tunnels. */
    readonly status?: number;
    /** Serves the proxy itself over TLS. */
    readonly tls?: ServerOptions;
  } = {},
): Promise<ConnectProxy> {
  const requests: { target: string; authorization: string | undefined }[] = [];
  let others = 0;
  const refuse: RequestListener = (_, response) => {
    others += 1;
    response.writeHead(405).end();
  };
  const server = serverOf(refuse, options.tls);
  server.on("connect", ({ url = "", headers }, client, head) => {
    const authorization = headers["proxy-authorization"];
    requests.push({ target: url, authorization });
    const status = options.status ?? (authorization === basic(options.credentials) ? 200 : 407);
    client.on("error", () => {});
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(url.slice(url.lastIndexOf(":") + 1)), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  return { ...(await listen(server)), requests, others: () => others };
}

function basic(credentials: string | undefined): string | undefined {
  return credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
}
