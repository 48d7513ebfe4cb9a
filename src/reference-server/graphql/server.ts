import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { text } from "node:stream/consumers";
import type { GraphQLSchema } from "graphql";
import type { Handler, Response } from "graphql-http";
import {
  type ConnectionEnd,
  Connections,
  type ListenOptions,
  listen,
  peerOf,
  tlsSettings,
} from "../network.js";
import { sendAnswer } from "./body.js";
import { errorAnswer, unexpectedError } from "./errors.js";
import { ConnectionFault, strikeAnswer } from "./faults.js";
import { type Exchange, type GraphQLHandlerOptions, graphQLHandler } from "./handler.js";
import { executableSchema } from "./schema.js";

export interface GraphQLServerOptions extends GraphQLHandlerOptions, ListenOptions {
  /** Origins of pages that may call; true for all. */
  readonly cors?: true | readonly string[] | undefined;
  /** Shown to browsers that open the address. */
  readonly page?: Page | undefined;
}

/** A page and its content security policy. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

export interface GraphQLServer {
  readonly port: number;
  close(): Promise<void>;
}

/** All servers of the process share it: building and validating a schema takes longer than starting a server. */
let schema: GraphQLSchema | undefined;

export async function startGraphQLServer(options: GraphQLServerOptions): Promise<GraphQLServer> {
  const { tls } = options;
  schema ??= executableSchema();
  const handler = graphQLHandler(schema, options);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void exchange(handler, options, connections, request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tlsSettings(tls), listener);
  const connections = new Connections(server);
  const port = await listen(server, options);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Not closeAllConnections: it does not know connections that are still in the TLS handshake.
        connections.destroyAll();
      }),
  };
}

async function exchange(
  handler: Handler<IncomingMessage, Exchange>,
  { keys, clock, cors, page }: GraphQLServerOptions,
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
    const answered = pageFor(request, page) ?? answerTo(handler, request, context, isAllowed);
    const own = await Promise.resolve(answered).catch((error: unknown) => {
      if (signal.aborted || error instanceof ConnectionFault) throw error;
      return errorAnswer(500, "Internal Server Error", { errors: [unexpectedError()], data: null });
    });
    const { answer, body } = await strikeAnswer(context.due, context, own, context.isReplaced);
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

function pageFor({ method, url, headers }: IncomingMessage, page: Page | undefined): Response | undefined {
  const isAsked = method === "GET" && url === "/graphql" && headers.accept?.includes("text/html") === true;
  if (page === undefined || !isAsked) return undefined;
  const type = { "content-type": "text/html; charset=utf-8", "content-security-policy": page.policy };
  return [page.html, { status: 200, statusText: "OK", headers: type }];
}

async function answerTo(
  handler: Handler<IncomingMessage, Exchange>,
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
  return handler({ method, url, headers, body: await text(request), raw: request, context });
}
