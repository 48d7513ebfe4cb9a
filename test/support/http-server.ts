import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> };
  /** Resolves when the client closes the connection before the answer. */
  readonly cancelled: Promise<void>;
}

/** Answers a request. @param index number of the request, from 0 */
export type Responder = (request: ReceivedRequest, response: ServerResponse, index: number) => unknown;

/** A server on loopback; closed after the test. */
export interface HttpServer {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>;
}

export async function startHttpServer(respond: Responder): Promise<HttpServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<{ readonly count: number; readonly done: () => void }>();
  const server = createServer((incoming, response) => {
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
      };
      requests.push(request);
      for (const waiter of waiting) if (requests.length >= waiter.count) waiter.done();
      respond(request, response, requests.length - 1);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const { port } = await new Promise<AddressInfo>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(addressOf(server.address()))),
  );
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((done) => {
            waiting.add({ count, done });
          }),
  };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (typeof address === "object" && address !== null) return address;
  throw new Error("The server has no port.");
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
