import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Handler, Response } from "graphql-http";
import { type ConnectionEnd, Connections, peerOf } from "../connections.js";
import { listenAt, tlsSettings } from "../listening.js";
import type { TlsIdentity } from "../options.js";
import { MAXIMUM_BODY_BYTES, readBody } from "./body.js";
import { deliver } from "./deliver.js";
import { type Exchange, type GraphQLHandlerOptions, graphQLHandler } from "./handler.js";
import { errorAnswer } from "./request/answer.js";
import { ConnectionFault, strikeAnswer } from "./request/faults.js";
import { ErrorCode, requestError } from "./request-error.js";
import { executableSchema } from "./schema.js";

/**
 * How long a client may take to send a request, in real time: one that drips it in ties up a connection only so long.
 */
const REQUEST_TIMES = {
  headersTimeout: 5_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
} as const;

/** Where the GraphQL API is served, and what it answers with. */
export interface GraphQLServerOptions extends GraphQLHandlerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** HTTPS with it, HTTP without. */
  readonly tls?: TlsIdentity | undefined;
}

/** A GraphQL API that is listening. */
export interface GraphQLServer {
  readonly port: number;
  /** Stops listening and destroys the connections that are open. */
  close(): Promise<void>;
}

/** Serves the GraphQL API at `/graphql`. */
export async function startGraphQLServer(options: GraphQLServerOptions): Promise<GraphQLServer> {
  const { host, port, tls } = options;
  const handler = graphQLHandler(executableSchema(), options);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void exchange(handler, options, connections, request, response);
  };
  const server =
    tls === undefined
      ? createServer(REQUEST_TIMES, listener)
      : createTlsServer({ ...tlsSettings(tls), ...REQUEST_TIMES }, listener);
  const connections = new Connections(server);
  const listening = await listenAt(server, host, port);
  let closed: Promise<void> | undefined;
  return {
    port: listening,
    close: () => {
      closed ??= close(server, connections);
      return closed;
    },
  };
}

async function exchange(
  handler: Handler<IncomingMessage, Exchange>,
  { keys, clock }: GraphQLServerOptions,
  connections: Connections,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const peer = peerOf(request.socket);
  const endConnection = (how: ConnectionEnd): void => connections.end(peer, how);
  const gone = new AbortController();
  const { signal } = gone;
  response.once("close", () => gone.abort());
  const context: Exchange = { signal, due: [], body: undefined };
  const revokeKey = (): void => keys.revokePresented(request.headers.authorization);
  try {
    const own = await answerTo(handler, request, context).catch((error: unknown) => {
      if (signal.aborted || error instanceof ConnectionFault) throw error;
      const unexpected = requestError(ErrorCode.unexpected, "Unexpected execution error.");
      return errorAnswer(500, "Internal Server Error", unexpected);
    });
    const { answer, body } = await strikeAnswer(context.due, { clock, signal, revokeKey }, own);
    const broken = body ?? context.body;
    await deliver(answer, response, { broken, clock, signal, endConnection });
  } catch (error) {
    // What cannot be sent ends the connection, and not the process.
    endConnection(error instanceof ConnectionFault ? error.how : "drop");
  }
}

async function answerTo(
  handler: Handler<IncomingMessage, Exchange>,
  request: IncomingMessage,
  context: Exchange,
): Promise<Response> {
  const { method = "", url = "", headers } = request;
  if (url.split("?", 1)[0] !== "/graphql") {
    return [null, { status: 404, statusText: "Not Found" }];
  }
  if (method !== "POST") {
    return [null, { status: 405, statusText: "Method Not Allowed", headers: { allow: "POST" } }];
  }
  const body = await readBody(request);
  if (body === undefined) {
    const message = `The body of the request is larger than ${MAXIMUM_BODY_BYTES} bytes.`;
    return errorAnswer(413, "Content Too Large", requestError(ErrorCode.requestTooLarge, message));
  }
  return handler({ method, url, headers, body, raw: request, context });
}

function close(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    // The HTTP server knows only those that have come through the TLS handshake.
    connections.destroyAll();
  });
}
