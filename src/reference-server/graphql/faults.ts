import { STATUS_CODES } from "node:http";
import type { Response } from "graphql-http";
import { raceAbort } from "../../core/abort.js";
import type { Clock } from "../../core/clock.js";
import type { CheckedFault, DueFault } from "../faults/injector.js";
import type { ConnectionEnd } from "../network.js";
import { isObject } from "../values.js";
import type { Page, PageArguments } from "./connection/page.js";

/** A request and what faults do to it. */
export interface Exchange {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  revokeKey(): void;
  /** The due faults. Set by the handler. */
  due: readonly DueFault[];
  /** Whether the answer comes from a fault. Set by the handler. */
  isReplaced: boolean;
}

/** The request gets no answer: its connection ends. */
export class ConnectionFault extends Error {
  constructor(readonly how: ConnectionEnd) {
    super("An injected fault ends the connection.");
  }
}

/** A fault that changes how a body is sent. */
export type BodyFault = Extract<CheckedFault, { fault: "slow-body" | "truncated-body" | "endless-body" }>;

function isBodyFault(fault: CheckedFault): fault is BodyFault {
  return fault.fault === "slow-body" || fault.fault === "truncated-body" || fault.fault === "endless-body";
}

/**
 * Before the server does anything, fires the due faults one by one until one ends the request.
 *
 * @returns a fault's answer; null if the server must give its own
 * @throws ConnectionFault, or the signal's reason if the caller is gone
 */
export async function fireAtRequest(exchange: Exchange): Promise<Response | null> {
  for (const { fault, fires } of exchange.due) {
    if (fault.at !== "request" || !fires()) continue;
    const answer = await replacement(fault, exchange);
    if (answer !== null) return answer;
  }
  return null;
}

/**
 * Fires the faults that change the answer. Throws like {@link fireAtRequest}.
 * @param own the server's answer, or a fault's answer, in which other faults can break only the body
 */
export async function fireAtAnswer(
  exchange: Exchange,
  own: Response,
): Promise<{ readonly answer: Response; readonly body: BodyFault | undefined }> {
  let answer = own;
  let replaced = exchange.isReplaced;
  let body: BodyFault | undefined;
  for (const { fault, fires } of exchange.due) {
    const breaksBody = isBodyFault(fault);
    // `pageBreaker` applies and counts the faults of pages.
    if (fault.at !== "answer" || fault.fault === "page-info" || (replaced && !breaksBody)) continue;
    if (!fires()) continue;
    if (breaksBody) body = fault;
    else if (fault.fault === "graphql-errors") answer = withErrors(answer, fault);
    else {
      const other = await replacement(fault, exchange);
      replaced = other !== null;
      answer = other ?? answer;
    }
  }
  return { answer, body };
}

/** Changes a page of a connection, or returns it unchanged. */
export type BreakPage = <R>(page: Page<R>, args: PageArguments) => Page<R>;

/** Applies the due fault of pages. The fault counts as fired once, however many pages it breaks. */
export function pageBreaker(due: readonly DueFault[]): BreakPage {
  let injected = false;
  for (const { fault, fires } of due) {
    if (fault.fault !== "page-info") continue;
    return (page, args) => {
      injected ||= fires();
      return injected ? brokenPage(page, args, fault.cursor) : page;
    };
  }
  return (page) => page;
}

function brokenPage<R>(page: Page<R>, args: PageArguments, cursor: "repeated" | "missing"): Page<R> {
  const { startCursor, endCursor } = page.pageInfo;
  const cursors =
    cursor === "missing"
      ? { startCursor: null, endCursor: null }
      : { startCursor: args.before ?? startCursor, endCursor: args.after ?? endCursor };
  return { ...page, pageInfo: { hasNextPage: true, hasPreviousPage: true, ...cursors } };
}

async function replacement(fault: CheckedFault, request: Exchange): Promise<Response | null> {
  switch (fault.fault) {
    case "delay":
      await request.clock.sleep(fault.ms, request.signal);
      return null;
    case "stall":
      return raceAbort(new Promise(() => {}), request.signal);
    case "drop":
    case "reset":
      throw new ConnectionFault(fault.fault);
    case "revoke-key":
      request.revokeKey();
      return null;
    case "http":
      return httpAnswer(fault);
    default:
      return null;
  }
}

function httpAnswer({ status, headers, body }: Extract<CheckedFault, { fault: "http" }>): Response {
  const statusText = STATUS_CODES[status] ?? "";
  const title = `${status} ${statusText}`.trim();
  const page = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  const type = body === undefined ? { "content-type": "text/html; charset=utf-8" } : {};
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return [body ?? page, { status, statusText, headers: { ...type, ...Object.fromEntries(names) } }];
}

function withErrors(
  answer: Response,
  { errors, data }: Extract<CheckedFault, { fault: "graphql-errors" }>,
): Response {
  const [body, head] = answer;
  const result: unknown = body === null ? null : JSON.parse(body);
  if (!isObject(result)) return answer;
  const own = Array.isArray(result["errors"]) ? result["errors"] : [];
  const kept = data === "partial" ? {} : { data: null };
  return [JSON.stringify({ ...result, ...kept, errors: [...own, ...errors] }), head];
}
