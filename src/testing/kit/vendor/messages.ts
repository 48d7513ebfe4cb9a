import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange, RecordedRequest, RecordedResponse } from "../cassette/cassette.js";
import { bytesOf, readBody } from "../cassette/cassette.js";
import type { VendorRoute } from "../time/context.js";

/** Headers that the interception adds: which run a request belongs to, and the origin that it was meant for. */
export const RUN_HEADER = "x-simulated-vendor-run";
export const ORIGIN_HEADER = "x-simulated-vendor-origin";

/** Answers the requests of one run. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Takes the requests of a new run, until its end. */
export type OpenRun = (handler: RequestHandler) => { readonly route: VendorRoute; readonly end: () => void };

/** A request on its way to the simulated vendor. */
export interface Taken {
  readonly port: number;
  /** What the server is told in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** To call when the head of the answer is there, or the request has failed. */
  readonly answered: () => void;
}

/** @returns undefined if a request to the origin goes to its own address */
export type Take = (origin: string) => Taken | undefined;

/** A request as it reached the simulated vendor. */
export interface ReceivedRequest {
  readonly method: string;
  /** Absolute: the address that the connector asked for. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Its place in a run. */
export interface VendorRequest extends ReceivedRequest {
  /** From 1, within the run. */
  readonly number: number;
  /** How often the same exchange was asked for before, within the run. */
  readonly repeat: number;
  /** Index of the recorded exchange that answers it; undefined if none does. */
  readonly exchange: number | undefined;
}

/** What the simulated vendor sends, and how. */
export interface VendorAnswer {
  readonly status: number;
  /** Lower-case names. The server adds content-length, unless a fault sets it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they are sent, after any content-encoding. */
  readonly body: Buffer;
  /** Milliseconds of virtual time before the first byte. */
  readonly delayMs?: number | undefined;
  /** Ends the connection after this many bytes of the body; -1: before the status line. */
  readonly cutAfter?: number | undefined;
  /** A part of the body that must not come out: a key that is too short to be told from other words by itself. */
  readonly shown?: string | undefined;
}

/** Bytes of recorded answers: the same ones are sent in each case. */
const ANSWERS = new WeakMap<RecordedResponse, VendorAnswer>();

export function recordedAnswer({ response }: Exchange): VendorAnswer {
  const known = ANSWERS.get(response);
  if (known !== undefined) return known;
  const answer = { status: response.status, headers: response.headers, body: bytesOf(response.body) };
  ANSWERS.set(response, answer);
  return answer;
}

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
  return { method, url, headers, ...(body.length === 0 ? {} : { body: readBody(body) }) };
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

/** Statuses whose answers have no body and no length. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Sends an answer, whole or cut. */
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
    // Not a reset: the client would lose bytes that it has not read.
    response.socket?.destroySoon();
    return;
  }
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.end(BODILESS.has(status) ? undefined : body);
  });
}
