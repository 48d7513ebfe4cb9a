import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange, RecordedRequest, RecordedResponse } from "../cassette/cassette.js";
import { bytesOf, readBody } from "../cassette/cassette.js";
import type { VendorRoute } from "../time/context.js";

/** Headers added by the interception: the run that a request belongs to, and its original origin. */
export const RUN_HEADER = "x-simulated-vendor-run";
export const ORIGIN_HEADER = "x-simulated-vendor-origin";

/** Answers the requests of one run. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Handles the requests of a new run until it ends. */
export type OpenRun = (handler: RequestHandler) => { readonly route: VendorRoute; readonly end: () => void };

/** A request on its way to the simulated vendor. */
export interface Taken {
  readonly port: number;
  /** Additional headers for the server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be called when the response headers arrive or the request fails. */
  readonly answered: () => void;
}

/** @returns undefined if requests to the origin go to their own address */
export type Take = (origin: string) => Taken | undefined;

/** A request as received by the simulated vendor. */
export interface ReceivedRequest {
  readonly method: string;
  /** The absolute address that the connector requested. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request and its position in a run. */
export interface VendorRequest extends ReceivedRequest {
  /** Counts from 1 within the run. */
  readonly number: number;
  /** How often the same exchange was requested before in the run. */
  readonly repeat: number;
  /** Index of the recorded exchange that answers it; undefined if none does. */
  readonly exchange: number | undefined;
}

/** What the simulated vendor sends, and how. */
export interface VendorAnswer {
  readonly status: number;
  /** Lower-case names. The server adds content-length, unless a fault sets it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes on the wire, after any content-encoding. */
  readonly body: Buffer;
  /** Milliseconds of virtual time before the first byte. */
  readonly delayMs?: number | undefined;
  /** Ends the connection after this many bytes of the body; -1: before the status line. */
  readonly cutAfter?: number | undefined;
  /** A part of the body that must not leak: a key too short to be recognized on its own. */
  readonly shown?: string | undefined;
}

/** Cached bytes of recorded answers. */
const ANSWERS = new WeakMap<RecordedResponse, VendorAnswer>();

export function recordedAnswer({ response }: Exchange): VendorAnswer {
  const known = ANSWERS.get(response);
  if (known !== undefined) return known;
  const answer = { status: response.status, headers: response.headers, body: bytesOf(response.body) };
  ANSWERS.set(response, answer);
  return answer;
}

/** Headers that describe the connection rather than the request or the answer. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers about a body's encoding, which are left out because a cassette contains the decoded body. */
const ENCODING_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "content-encoding",
  "content-length",
]);
const ADDED_HEADERS: ReadonlySet<string> = new Set(["host", "expect", RUN_HEADER, ORIGIN_HEADER]);

export async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { url = "/", method = "GET" } = request;
  return {
    method,
    // A client that talks to a proxy sends the whole address.
    url: url.startsWith("/") ? `${request.headers[ORIGIN_HEADER]}${url}` : url,
    headers: plainHeaders(request.headers),
    body: Buffer.concat(chunks),
  };
}

export function recorded({ method, url, headers, body }: ReceivedRequest): RecordedRequest {
  return { method, url, headers, ...(body.length === 0 ? {} : { body: readBody(body) }) };
}

/** Headers with one value each, without headers for connection and encoding. */
export function plainHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_HEADERS.has(name) || ENCODING_HEADERS.has(name) || ADDED_HEADERS.has(name))
      continue;
    // All headers but cookies can be joined with a comma.
    plain[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  return plain;
}

/** Statuses of answers that have no body and no length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Sends an answer, whole or truncated. */
export async function sendAnswer(response: ServerResponse, answer: VendorAnswer): Promise<void> {
  const { status, headers, body, cutAfter } = answer;
  if (cutAfter === -1) {
    response.socket?.resetAndDestroy();
    return;
  }
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, name === "set-cookie" ? value.split("\n") : value);
  }
  response.sendDate = false;
  if (!BODILESS.has(status) && !response.hasHeader("content-length"))
    response.setHeader("content-length", body.length);
  response.writeHead(status);
  if (cutAfter !== undefined) {
    response.flushHeaders();
    if (cutAfter > 0) response.write(body.subarray(0, cutAfter));
    // Don't reset the connection: that would discard bytes that the client hasn't read yet.
    response.socket?.destroySoon();
    return;
  }
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.end(BODILESS.has(status) ? undefined : body);
  });
}
