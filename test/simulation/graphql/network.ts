import type { SimClock } from "../sim-clock.js";
import { type Fault, type FaultSchedule, retryAfterHeader, verdictOf } from "./faults.js";
import type { Journal, PageAsk, SentRequest } from "./journal.js";
import { CANARY, type SimService } from "./service.js";

/** Latency of a request and of an answer, in milliseconds. */
const WAY_MS = 5;

/** The client's `maxResponseBytes`. */
export const MAX_RESPONSE_BYTES = 20_000;

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const HTML = { headers: { "content-type": "text/html" }, text: `<html>${CANARY}</html>` };

interface NetworkParts {
  readonly service: SimService;
  readonly faults: FaultSchedule;
  readonly journal: Journal;
  readonly clock: SimClock;
  readonly heedsSignal: boolean;
}

/** A `fetch` that carries requests to the service and answers back, with faults. */
export function simulatedFetch(parts: NetworkParts): typeof globalThis.fetch {
  const { heedsSignal, faults, journal } = parts;
  return (_url, init = {}) => {
    const { signal } = init;
    // As Node's fetch does: nothing is sent.
    if (heedsSignal && signal?.aborted === true) return Promise.reject(signal.reason);
    const request = note(init, journal);
    const { call, operation, page } = request;
    const fault = faults.take(call.kind, ({ type, ...kind }) => {
      if (type === "payload") return operation === "CreateProcurementCase";
      const isCycle = "what" in kind && (kind.what === "repeated" || kind.what === "earlier");
      return !isCycle || page?.cursor !== undefined;
    });
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal?.reason);
      if (heedsSignal) signal?.addEventListener("abort", abort, { once: true });
      carry(request, fault, parts)
        .then(resolve, reject)
        .finally(() => signal?.removeEventListener("abort", abort));
    });
  };
}

function note({ headers, body, signal }: RequestInit, journal: Journal): SentRequest {
  const sent = new Headers(headers);
  const call = journal.calls.find(({ id }) => id === sent.get("x-call"));
  if (call === undefined) throw new Error("a request without a call");
  const { query, variables } = JSON.parse(String(body));
  const [, operation = ""] = /^\s*(?:query|mutation)\s+(\w+)/.exec(query) ?? [];
  if (!JSON.stringify(variables ?? {}).includes(call.id))
    journal.misdeeds.push(`variables: ${operation} of ${call.id} was sent without its own`);
  const request = {
    call,
    sent: journal.moment(),
    signal,
    operation,
    key: sent.get("authorization") ?? "",
    page: call.kind === "walk" ? pageOf(variables) : undefined,
    handed: { ...call.handed },
    bodyOpen: false,
  };
  journal.requests.push(request);
  return request;
}

/** Reads the paging variables, under the names of both documents. */
function pageOf({ first, after, last, before, size, from, back, until }: Record<string, unknown>): PageAsk {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const forward = first ?? size;
  return forward === undefined
    ? { direction: "backward", size: Number(last ?? back), cursor: text(before ?? until) }
    : { direction: "forward", size: Number(forward), cursor: text(after ?? from) };
}

async function carry(
  request: SentRequest,
  fault: Fault | undefined,
  { service, clock, heedsSignal, journal }: NetworkParts,
): Promise<Response> {
  const isBefore = fault !== undefined && "at" in fault && fault.at === "before";
  const delayMs = fault?.type === "delayed" ? fault.ms : 0;
  const answered = () => {
    request.answered = { ...journal.moment(), verdict: verdictOf(fault, clock.now()) };
  };
  const lose = (code: string): never => {
    answered();
    // An error of a custom fetch may contain anything of the request.
    throw new TypeError(`fetch failed with ${request.key}`, { cause: withCode(code) });
  };
  await clock.sleepElsewhere(WAY_MS + (isBefore ? delayMs : 0));
  if (isBefore && fault.type === "lost") lose(fault.code);
  if (isBefore && fault.type === "stalled") return new Promise<Response>(() => {});
  // Complete data beside errors means that the service did what was requested.
  const isDone = !isBefore || fault.type === "delayed" || (fault.type === "errors" && fault.data === "whole");
  const data = isDone ? service.execute(request, fault) : { nothing: true };
  await clock.sleepElsewhere(WAY_MS + (isBefore ? 0 : delayMs));
  if (fault?.type === "lost") lose(fault.code);
  if (fault?.type === "stalled" && fault.at === "after") return new Promise<Response>(() => {});
  const heeded = heedsSignal ? request.signal : undefined;
  // The connection is closed, and the answer lost.
  heeded?.throwIfAborted();
  const { status = 200, headers = JSON_TYPE, text, end } = answerOf(request, data, fault, clock.now());
  if (fault?.type !== "stalled") answered();
  // A service may echo anything as the id of a request.
  const init = { status, headers: { "x-request-id": request.key, ...headers } };
  return new Response(text === "" && status === 302 ? null : body(request, text, end, heeded), init);
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
  /** Whether the body breaks off or never ends. */
  readonly end?: "cut" | "stalled";
}

function answerOf({ key }: SentRequest, data: unknown, fault: Fault | undefined, now: number): Answer {
  const whole = JSON.stringify({ data });
  const errors = (partial: unknown, code?: string) => {
    const error = { message: `${key} may not see ${CANARY}`, path: ["own"], extensions: { code, echo: key } };
    return JSON.stringify({ data: partial, errors: [error] });
  };
  switch (fault?.type) {
    case "status": {
      const { status, retryAfter } = fault;
      const asked = retryAfterHeader(retryAfter, now);
      if (fault.body === "json") return { status, headers: { ...JSON_TYPE, ...asked }, text: errors(null) };
      const answer = { status, headers: { ...HTML.headers, ...asked }, text: HTML.text };
      return fault.body === "endless" ? { ...answer, end: "stalled" } : answer;
    }
    case "content": {
      const type = { plain: `text/plain; echo=${key}`, latin1: "application/json; charset=iso-8859-1" };
      if (fault.declared === "html") return HTML;
      return { headers: { "content-type": type[fault.declared] }, text: whole };
    }
    case "cut":
      return { text: whole, end: "cut" };
    case "garbage":
      return { text: fault.text };
    case "errors": {
      const partial = { none: null, "null fields": { nothing: null }, whole: data }[fault.data];
      const headers = { ...JSON_TYPE, ...retryAfterHeader(fault.retryAfter, now) };
      return { headers, text: errors(partial, fault.code) };
    }
    case "oversized": {
      const text = whole + " ".repeat(MAX_RESPONSE_BYTES);
      const length = { "content-length": String(text.length) };
      return { headers: { ...JSON_TYPE, ...(fault.declared && length) }, text };
    }
    case "stalled":
      return { text: whole, end: "stalled" };
    case "redirect":
      return { status: 302, headers: { location: "https://elsewhere.example.com/graphql" }, text: "" };
    default:
      return { text: whole };
  }
}

/** A body that records whether it was read to its end or cancelled. @param heeded Ends it */
function body(
  request: SentRequest,
  text: string,
  end: Answer["end"],
  heeded: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  request.bodyOpen = true;
  const over = () => {
    request.bodyOpen = false;
  };
  const bytes = new TextEncoder().encode(text);
  const parts = [bytes.slice(0, bytes.length / 2), bytes.slice(bytes.length / 2)];
  return new ReadableStream<Uint8Array>(
    {
      start: (stream) => {
        const fail = () => {
          over();
          stream.error(heeded?.reason);
        };
        heeded?.addEventListener("abort", fail, { once: true });
      },
      pull: (stream) => {
        const part = parts.shift();
        if (parts.length === 0 && end === "stalled") return new Promise<void>(() => {});
        if (part !== undefined && (parts.length > 0 || end === undefined)) {
          stream.enqueue(part);
          return undefined;
        }
        over();
        if (end === "cut") stream.error(new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }));
        else stream.close();
        return undefined;
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  );
}

/** The cause of an error of Node's fetch. */
function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
