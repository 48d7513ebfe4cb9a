import { STATUS_CODES } from "node:http";
import type { Response } from "graphql-http";
import type { Clock } from "../../../core/clock.js";
import type { ConnectionEnd } from "../../connections.js";
import type { DueFault } from "../../faults/faults.js";
import type { BodyDelivery, GraphQLFaultKind, HttpFault } from "../../faults/graphql-kinds.js";
import type { FaultMoment } from "../../faults/shared-kinds.js";
import { untilGone } from "../../faults/until-gone.js";
import { withErrors } from "./added-errors.js";

/** What faults need of the request that they strike. */
export interface StruckRequest {
  readonly clock: Clock;
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal;
  /** Revokes the key that the request came with. */
  revokeKey(): void;
}

/** What faults leave of an answer. */
export interface StruckAnswer {
  readonly answer: Response;
  readonly body: BodyDelivery | undefined;
}

/** The request gets no answer: its connection ends. */
export class ConnectionFault extends Error {
  constructor(readonly how: ConnectionEnd) {
    super("An injected fault ends the connection.");
  }
}

/**
 * Lets the faults strike that strike before anything is done, in their order. One that ends the request ends the list.
 *
 * @returns the answer in place of the server's; null where the server answers itself
 * @throws ConnectionFault, and the signal's reason where nobody waits for the answer any more
 */
export async function strikeRequest(
  due: readonly DueFault<GraphQLFaultKind>[],
  request: StruckRequest,
): Promise<StruckAnswer | null> {
  for (const { kind, strikes } of due) {
    if (momentOf(kind) !== "request" || !strikes()) continue;
    const answer = await replacement(kind, request);
    if (answer !== null) return answer;
  }
  return null;
}

/** Lets the faults strike that strike the answer, in their order. Throws as {@link strikeRequest} does. */
export async function strikeAnswer(
  due: readonly DueFault<GraphQLFaultKind>[],
  request: StruckRequest,
  own: Response,
): Promise<StruckAnswer> {
  let answer = own;
  let body: BodyDelivery | undefined;
  for (const { kind, strikes } of due) {
    // Pages are broken where they are made, and counted there.
    if (momentOf(kind) !== "answer" || kind.type === "page-info" || !strikes()) continue;
    if (kind.type === "graphql-errors") answer = withErrors(answer, kind);
    else if (isBrokenBody(kind)) body = kind;
    else {
      const replaced = await replacement(kind, request);
      if (replaced !== null) return replaced;
    }
  }
  return { answer, body };
}

/** Faults of the answer itself have one moment, and so has a page in its place. */
function momentOf(kind: GraphQLFaultKind): FaultMoment {
  switch (kind.type) {
    case "html":
      return "request";
    case "graphql-errors":
    case "slow-body":
    case "truncated-body":
    case "endless-body":
    case "page-info":
      return "answer";
    default:
      return kind.at ?? "request";
  }
}

function isBrokenBody(kind: GraphQLFaultKind): kind is BodyDelivery {
  return kind.type === "slow-body" || kind.type === "truncated-body" || kind.type === "endless-body";
}

async function replacement(
  kind: GraphQLFaultKind,
  { clock, signal, revokeKey }: StruckRequest,
): Promise<StruckAnswer | null> {
  switch (kind.type) {
    case "delay":
      await clock.sleep(kind.ms, signal);
      return null;
    case "stall":
      return untilGone(signal);
    case "drop":
    case "reset":
      throw new ConnectionFault(kind.type);
    case "revoke-key":
      revokeKey();
      return null;
    case "http":
      return {
        answer: answer(kind.status, { ...retryAfter(kind, clock), ...lowerCase(kind.headers) }, kind.body),
        body: kind.delivery,
      };
    case "html":
      return { answer: htmlPage(kind.status ?? 200), body: undefined };
    default:
      return null;
  }
}

function retryAfter({ retryAfter: hint }: HttpFault, clock: Clock): Readonly<Record<string, string>> {
  if (hint === undefined) return {};
  if (hint.as !== "date") return { "retry-after": String(hint.seconds) };
  return { "retry-after": new Date(clock.now() + hint.seconds * 1000).toUTCString() };
}

function lowerCase(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function htmlPage(status: number): Response {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const page = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return answer(status, { "content-type": "text/html; charset=utf-8" }, page);
}

function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | null = null,
): Response {
  return [body, { status, statusText: STATUS_CODES[status] ?? "", headers }];
}
