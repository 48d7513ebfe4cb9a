import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import type { Response } from "graphql-http";
import type { Clock } from "../../core/clock.js";
import {
  type ConnectionEnd,
  Connections,
  type ListenOptions,
  listen,
  peerOf,
  reportDefect,
  tlsSettings,
} from "../network.js";
import type { BodyFault } from "./faults.js";
import { ConnectionFault, type Exchange, fireAtAnswer } from "./faults.js";
import type { GraphQLHandler, GraphQLHandlerOptions } from "./handler.js";

export interface DeliveryOptions {
  /** How a fault breaks the body; undefined to send it whole. */
  readonly broken: BodyFault | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly endConnection: (how: ConnectionEnd) => void;
}

async function sendAnswer(
  [text, { status, statusText, headers }]: Response,
  response: ServerResponse,
  { broken, clock, signal, endConnection }: DeliveryOptions,
): Promise<void> {
  const hasBody = status !== 204 && status !== 304;
  const body = Buffer.from(hasBody ? (text ?? "") : "");
  const sent = broken?.fault === "truncated-body" ? body.subarray(0, body.length / 2) : body;
  const declared = broken?.fault === "truncated-body" && broken.ending === "end" ? sent : body;
  const length = hasBody && broken?.fault !== "endless-body" ? { "content-length": declared.length } : {};
  response.writeHead(status, statusText, { ...length, ...headers, "x-request-id": randomUUID() });
  if (!hasBody) return void response.end();
  switch (broken?.fault) {
    case undefined:
      return void response.end(sent);
    case "truncated-body":
      if (broken.ending === "end") return void response.end(sent);
      return void response.write(sent, () => endConnection(broken.ending === "close" ? "drop" : "reset"));
    case "slow-body":
      return sendSlowly(response, sent, broken, clock, signal);
    case "endless-body":
      response.write(sent);
      return sendForever(response, signal);
  }
}

async function sendSlowly(
  response: ServerResponse,
  body: Buffer,
  { ms, pieces }: Extract<BodyFault, { fault: "slow-body" }>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  response.flushHeaders();
  const size = Math.ceil(body.length / pieces);
  for (let piece = 0; piece < pieces; piece++) {
    await clock.sleep(ms, signal);
    response.write(body.subarray(piece * size, (piece + 1) * size));
  }
  response.end();
}

/** Larger than a response's buffer, so that each write waits for the reader. */
const SPACES = Buffer.alloc(64 * 1024, " ");

async function sendForever(response: ServerResponse, signal: AbortSignal): Promise<void> {
  for (;;) if (!response.write(SPACES)) await once(response, "drain", { signal });
}

export interface GraphQLServerOptions extends GraphQLHandlerOptions, ListenOptions {
  /** Origins whose pages may call the API; true for all. */
  readonly cors?: true | readonly string[] | undefined;
}

export interface GraphQLServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startGraphQLServer(options: GraphQLServerOptions): Promise<GraphQLServer> {
  const { tls } = options;
  // Load the handler before the first request, because an answer couldn't say why loading failed.
  const { graphQLHandler } = await import("./handler.js");
  const handler = graphQLHandler(options);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void exchange(handler, options, connections, request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tlsSettings(tls), listener);
  const connections = new Connections(server);
  const port = await listen(server, options);
  return {
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Not closeAllConnections, which misses connections that are still in the TLS handshake.
      connections.destroyAll();
      await closed;
    },
  };
}

async function exchange(
  handler: GraphQLHandler,
  { keys, clock, cors }: GraphQLServerOptions,
  connections: Connections,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const peer = peerOf(request.socket);
  const endConnection = (how: ConnectionEnd): void => connections.end(peer, how);
  const gone = new AbortController();
  const { signal } = gone;
  response.once("close", () => gone.abort());
  const revokeKey = () => keys.revoke(request.headers.authorization);
  const context: Exchange = { clock, signal, revokeKey, due: [], isReplaced: false };
  try {
    const isAllowed = allowOrigin(cors, request, response);
    const own = await answerTo(handler, request, context, isAllowed);
    const { answer, body } = await fireAtAnswer(context, own);
    await sendAnswer(answer, response, { broken: body, clock, signal, endConnection });
  } catch (error) {
    if (error instanceof ConnectionFault) return endConnection(error.how);
    if (signal.aborted || response.headersSent) return endConnection("drop");
    // Don't just close the connection: that would look like a network failure.
    reportDefect(error);
    response.writeHead(500).end("The reference server failed. Its process prints the reason.");
  }
}

/** Sets the CORS headers for an allowed origin, on every answer: a page must be able to read errors too. */
function allowOrigin(
  cors: GraphQLServerOptions["cors"],
  { headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin, "access-control-request-headers": wanted } = headers;
  if (cors !== undefined) response.setHeader("vary", "origin");
  if (origin === undefined || !(cors === true || cors?.includes(origin) === true)) return false;
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", "retry-after, x-request-id");
  response.setHeader("access-control-allow-methods", "POST");
  if (wanted !== undefined) response.setHeader("access-control-allow-headers", wanted);
  return true;
}

async function answerTo(
  handler: GraphQLHandler,
  request: IncomingMessage,
  context: Exchange,
  isAllowed: boolean,
): Promise<Response> {
  const { method = "", url = "", headers } = request;
  if (url.split("?", 1)[0] !== "/graphql") return [null, { status: 404, statusText: "Not Found" }];
  if (method === "OPTIONS" && isAllowed) return [null, { status: 204, statusText: "No Content" }];
  if (method !== "POST") {
    return [null, { status: 405, statusText: "Method Not Allowed", headers: { allow: "POST" } }];
  }
  const body = await text(request);
  return handler({ method, url, headers, body, raw: request, context });
}
