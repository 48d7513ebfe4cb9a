import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import type { Response } from "graphql-http";
import {
  type ConnectionEnd,
  Connections,
  type ListenOptions,
  listen,
  peerOf,
  tlsSettings,
} from "../network.js";
import { sendAnswer } from "./body.js";
import { ConnectionFault, type Exchange, strikeAnswer } from "./faults.js";
import type { GraphQLHandler, GraphQLHandlerOptions } from "./handler.js";

export interface GraphQLServerOptions extends GraphQLHandlerOptions, ListenOptions {
  /** Origins of pages that may call; true for all. */
  readonly cors?: true | readonly string[] | undefined;
}

export interface GraphQLServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startGraphQLServer(options: GraphQLServerOptions): Promise<GraphQLServer> {
  const { tls } = options;
  let handler: Promise<GraphQLHandler> | undefined;
  // Loaded by the first request: tests of the Sync API do without GraphQL.
  const loadHandler = (): Promise<GraphQLHandler> => {
    handler ??= import("./handler.js").then(({ graphQLHandler }) => graphQLHandler(options));
    return handler;
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void exchange(loadHandler, options, connections, request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tlsSettings(tls), listener);
  const connections = new Connections(server);
  const port = await listen(server, options);
  return {
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Not closeAllConnections: it does not know connections that are still in the TLS handshake.
      connections.destroyAll();
      await Promise.allSettled([closed, handler]);
    },
  };
}

async function exchange(
  loadHandler: () => Promise<GraphQLHandler>,
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
    const own = await answerTo(loadHandler, request, context, isAllowed);
    const { answer, body } = await strikeAnswer(context, own);
    await sendAnswer(answer, response, { broken: body, clock, signal, endConnection });
  } catch (error) {
    // An answer that cannot be sent ends the connection, not the process.
    endConnection(error instanceof ConnectionFault ? error.how : "drop");
  }
}

/** Sets the headers of CORS for an origin that is allowed, on every answer: a page must be able to read errors too. */
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
  loadHandler: () => Promise<GraphQLHandler>,
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
  const handler = await loadHandler();
  return handler({ method, url, headers, body, raw: request, context });
}
