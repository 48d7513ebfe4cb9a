import { STATUS_CODES } from "node:http";
import type { Response } from "graphql-http";
import { raceAbort } from "../../core/abort.js";
import type { Clock } from "../../core/clock.js";
import type { DueFault } from "../faults/injector.js";
import type {
  BodyDelivery,
  FaultMoment,
  GraphQLErrorsFault,
  GraphQLFaultKind,
  HttpFault,
  InjectedGraphQLError,
  PageInfoFault,
} from "../faults/kinds.js";
import type { ConnectionEnd } from "../network.js";
import { isObject } from "../values.js";
import type { Page, PageArguments } from "./connection/page.js";

/** What faults need of the request that they strike. */
export interface StruckRequest {
  readonly clock: Clock;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  revokeKey(): void;
}

/** What faults made of an answer. */
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

type Due = readonly DueFault<GraphQLFaultKind>[];

/**
 * Lets the faults strike that strike before the server does anything, until one ends the request.
 *
 * @returns the answer in place of the server's; null if the server answers itself
 * @throws ConnectionFault, or the signal's reason if the caller is gone
 */
export async function strikeRequest(due: Due, request: StruckRequest): Promise<StruckAnswer | null> {
  for (const { kind, strikes } of due) {
    if (momentOf(kind) !== "request" || !strikes()) continue;
    const answer = await replacement(kind, request);
    if (answer !== null) return answer;
  }
  return null;
}

/** Lets the faults strike that strike the answer. Throws like {@link strikeRequest}. */
export async function strikeAnswer(due: Due, request: StruckRequest, own: Response): Promise<StruckAnswer> {
  let answer = own;
  let body: BodyDelivery | undefined;
  for (const { kind, strikes } of due) {
    // Pages are broken, and strikes counted, where pages are made.
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

/** Changes a page of a connection, or leaves it as it is. */
export type BreakPage = <R>(page: Page<R>, args: PageArguments) => Page<R>;

/** Applies the due fault of pages. It counts as one strike, however many pages it breaks. */
export function pageBreaker(due: Due): BreakPage {
  let struck = false;
  for (const { kind, strikes } of due) {
    if (kind.type !== "page-info") continue;
    return (page, args) => {
      struck ||= strikes();
      return struck ? brokenPage(page, args, kind.cursor) : page;
    };
  }
  return (page) => page;
}

function brokenPage<R>(page: Page<R>, args: PageArguments, cursor: PageInfoFault["cursor"]): Page<R> {
  const { startCursor, endCursor } = page.pageInfo;
  const cursors =
    cursor === "missing"
      ? { startCursor: null, endCursor: null }
      : { startCursor: args.before ?? startCursor, endCursor: args.after ?? endCursor };
  return { ...page, pageInfo: { hasNextPage: true, hasPreviousPage: true, ...cursors } };
}

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
      return raceAbort(new Promise(() => {}), signal);
    case "drop":
    case "reset":
      throw new ConnectionFault(kind.type);
    case "revoke-key":
      revokeKey();
      return null;
    case "http": {
      const headers = { ...retryAfter(kind, clock), ...lowerCaseNames(kind.headers) };
      return { answer: answerWith(kind.status, headers, kind.body), body: kind.delivery };
    }
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

function lowerCaseNames(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function htmlPage(status: number): Response {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const page = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return answerWith(status, { "content-type": "text/html; charset=utf-8" }, page);
}

function answerWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | null = null,
): Response {
  return [body, { status, statusText: STATUS_CODES[status] ?? "", headers }];
}

const DEFAULT_ERRORS: readonly InjectedGraphQLError[] = [{ message: "Injected fault." }];

/** Adds `errors` to an answer in JSON. */
function withErrors(
  answer: Response,
  { errors = DEFAULT_ERRORS, data = "none" }: GraphQLErrorsFault,
): Response {
  const [body, head] = answer;
  const result: unknown = body === null ? null : JSON.parse(body);
  if (!isObject(result)) return answer;
  const own = Array.isArray(result["errors"]) ? result["errors"] : [];
  const added = errors.map(({ message, code, path }) => ({
    message,
    ...(path === undefined ? {} : { path }),
    ...(code === undefined ? {} : { extensions: { code } }),
  }));
  const kept = data === "partial" ? {} : { data: null };
  return [JSON.stringify({ ...result, ...kept, errors: [...own, ...added] }), head];
}
