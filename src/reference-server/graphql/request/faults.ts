import { STATUS_CODES } from "node:http";
import type { Response } from "graphql-http";
import type { Clock } from "../../../clock.js";
import type { GraphQLFaultKind } from "../../fault-types.js";

/** What injected faults leave of a request. */
export interface Stricken {
  /** Answered in place of the server; null where the server answers itself. */
  readonly answer: Response | null;
  /** The connection is destroyed instead of the answer being sent. */
  readonly drop: boolean;
}

/**
 * Applies the faults that strike a request, in their order. A fault that ends the request ends the list.
 *
 * @param signal ends a delay, because nobody waits for the answer any more; its reason is thrown.
 */
export async function applyFaults(
  faults: readonly GraphQLFaultKind[],
  clock: Clock,
  signal: AbortSignal,
): Promise<Stricken> {
  let drop = false;
  for (const fault of faults) {
    if (fault.type === "delay") await clock.sleep(fault.ms, signal);
    else if (fault.type === "http")
      return { answer: answer(fault.status, fault.headers ?? {}, fault.body), drop };
    else if (fault.type === "html") return { answer: htmlPage(fault.status ?? 200), drop };
    else if (fault.at === "answer") drop = true;
    // Nothing of the request is carried out: this answer is dropped.
    else return { answer: answer(503, {}), drop: true };
  }
  return { answer: null, drop };
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
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return [body, { status, statusText: STATUS_CODES[status] ?? "", headers: Object.fromEntries(lowerCase) }];
}
