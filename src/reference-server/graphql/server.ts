import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Handler, Response } from "graphql-http";
import { type ConnectionEnd, Connections } from "../connections.js";
import type { TlsIdentity } from "../options.js";
import { MAXIMUM_BODY_BYTES, readBody } from "./body.js";
import { deliver } from "./deliver.js";
import { type Exchange, type GraphQLHandlerOptions, graphQLHandler, revoke } from "./handler.js";
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
      : createTlsServer({ ...tls, ...REQUEST_TIMES, minVersion: "TLSv1.2" }, listener);
  const connections = new Connections(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => resolve(void server.off("error", reject)));
  });
  let closed: Promise<void> | undefined;
  return {
    port: portOf(server),
    close: () => {
      closed ??= close(server);
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
  const { remoteAddress, remotePort } = request.socket;
  const endConnection = (how: ConnectionEnd): void => connections.end(`${remoteAddress}:${remotePort}`, how);
  const gone = new AbortController();
  const { signal } = gone;
  response.once("close", () => gone.abort());
  const context: Exchange = { signal, due: [], body: undefined };
  const revokeKey = (): void => revoke(keys, request.headers.authorization);
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

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new TypeError("The GraphQL server does not listen on a port.");
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
