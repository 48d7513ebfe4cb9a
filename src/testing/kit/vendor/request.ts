import type { IncomingMessage } from "node:http";
import { readBody } from "../cassette/body.js";
import type { RecordedRequest } from "../cassette/cassette.js";
import { ORIGIN_HEADER, RUN_HEADER } from "./routes.js";

/** Headers of one connection, not of the request or the answer. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers that say how a body was sent: a cassette holds it decoded. */
const ENCODING_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "content-encoding",
  "content-length",
]);
const ADDED_HEADERS: ReadonlySet<string> = new Set(["host", "expect", RUN_HEADER, ORIGIN_HEADER]);

/** A request as it reached the server, with the address that it was meant for. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { url = "/", method = "GET" } = request;
  return {
    method,
    // A client of a proxy sends the whole address.
    url: url.startsWith("/") ? `${request.headers[ORIGIN_HEADER]}${url}` : url,
    headers: plainHeaders(request.headers),
    body: Buffer.concat(chunks),
  };
}

export function recorded({ method, url, headers, body }: ReceivedRequest): RecordedRequest {
  return {
    method,
    url,
    headers,
    ...(body.length === 0 ? {} : { body: readBody(body) }),
  };
}

/** Headers with one value each, without those of the connection and the encoding. */
export function plainHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_HEADERS.has(name) || ENCODING_HEADERS.has(name) || ADDED_HEADERS.has(name))
      continue;
    // Only cookies cannot be joined with a comma.
    plain[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  return plain;
}
