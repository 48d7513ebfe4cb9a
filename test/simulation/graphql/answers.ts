/** Responses of the simulated service. */
import { CANARY } from "./canary.js";
import type { FaultKind } from "./faults.js";
import type { SentRequest } from "./journal.js";
import { retryAfterHeader } from "./verdict.js";

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };
const HTML = { type: { "content-type": "text/html" }, text: `<html>${CANARY}</html>` };

type BodyEnd = "whole" | "cut" | "stalled";

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
  readonly end?: BodyEnd;
}

/** Answers a request. @param heeded Ends the body if the `fetch` heeds its signal. */
export function respond(
  request: SentRequest,
  data: unknown,
  { fault, now, maxBytes, heeded }: AnswerRules,
): Response {
  const answer = answerOf(request, data, fault, now, maxBytes);
  const { status = 200, headers = JSON_TYPE, text, end = "whole" } = answer;
  // A service may echo anything as the id of a request.
  const id = { "x-request-id": request.key };
  if (status === 302) return new Response(null, { status, headers: { ...id, ...headers } });
  return new Response(watchedBody(request, text, end, heeded), { status, headers: { ...id, ...headers } });
}

interface AnswerRules {
  readonly fault: FaultKind | undefined;
  readonly now: number;
  readonly maxBytes: number;
  readonly heeded: AbortSignal | null | undefined;
}

function answerOf(
  { key }: SentRequest,
  data: unknown,
  fault: FaultKind | undefined,
  now: number,
  maxBytes: number,
): Answer {
  const whole = JSON.stringify({ data });
  switch (fault?.type) {
    case "status": {
      const asked = retryAfterHeader(fault.retryAfter, now);
      if (fault.body === "json")
        return { ...fault, headers: { ...JSON_TYPE, ...asked }, text: errors(null, undefined, key) };
      const end = fault.body === "endless" ? "stalled" : "whole";
      return { ...fault, headers: { ...HTML.type, ...asked }, text: HTML.text, end };
    }
    case "content":
      return { headers: declared(fault.declared, key), text: fault.declared === "html" ? HTML.text : whole };
    case "cut":
      return { text: whole, end: "cut" };
    case "garbage":
      return { text: fault.text };
    case "errors": {
      const partial = { none: null, "null fields": { nothing: null }, whole: data }[fault.data];
      const headers = { ...JSON_TYPE, ...retryAfterHeader(fault.retryAfter, now) };
      return { headers, text: errors(partial, fault.code, key) };
    }
    case "oversized": {
      const text = whole + " ".repeat(maxBytes);
      const length = { "content-length": String(text.length) };
      return { headers: { ...JSON_TYPE, ...(fault.declared ? length : {}) }, text };
    }
    case "stalled":
      return { text: whole, end: "stalled" };
    case "redirect":
      return { status: 302, headers: { location: "https://elsewhere.example.com/graphql" }, text: "" };
    default:
      return { text: whole };
  }
}

/** Answers a request whose key is revoked. */
export function refuseKey(request: SentRequest, told: "status" | "errors"): Response {
  const status = told === "status" ? 401 : 200;
  const text = errors(null, "AUTH_NOT_AUTHORIZED", request.key);
  return new Response(watchedBody(request, text, "whole", undefined), { status, headers: JSON_TYPE });
}

function errors(data: unknown, code: string | undefined, key: string): string {
  const message = `${key} may not see ${CANARY}`;
  return JSON.stringify({ data, errors: [{ message, path: ["own"], extensions: { code, echo: key } }] });
}

/** Returns a content type that is not JSON, or not UTF-8. */
function declared(
  what: Extract<FaultKind, { type: "content" }>["declared"],
  key: string,
): Record<string, string> {
  if (what === "html") return HTML.type;
  if (what === "none") return {};
  return {
    "content-type": what === "plain" ? `text/plain; echo=${key}` : "application/json; charset=iso-8859-1",
  };
}

/** A body that records whether it was read to its end or cancelled. */
function watchedBody(
  request: SentRequest,
  text: string,
  end: BodyEnd,
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
      start: (body) => {
        const ended = () => {
          over();
          body.error(heeded?.reason);
        };
        heeded?.addEventListener("abort", ended, { once: true });
      },
      pull: (body) => {
        const part = parts.shift();
        if (parts.length === 0 && end === "stalled") return new Promise<void>(() => {});
        if (parts.length === 0 && end === "cut") {
          over();
          body.error(new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }));
        } else if (part === undefined) {
          over();
          body.close();
        } else {
          body.enqueue(part);
        }
        return undefined;
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  );
}

/** The cause of an error of Node's fetch. */
export function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
