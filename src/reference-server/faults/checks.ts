import { validateHeaderName, validateHeaderValue } from "node:http";
import { Metadata, status } from "@grpc/grpc-js";
import { type Fault, SYNC_OPERATIONS, type SyncFault } from "./fault.js";

type KindOf<Api extends Fault["api"]> = Extract<Fault, { api: Api }>["kind"]["type"];

/** Every kind, as an object so that the compiler finds a missing one. */
const SYNC_KINDS: Readonly<Record<KindOf<"sync">, true>> = {
  delay: true,
  stall: true,
  drop: true,
  reset: true,
  "rst-stream": true,
  goaway: true,
  "grpc-status": true,
  "early-answer": true,
  "oversized-answer": true,
  "lease-expiry": true,
  "lock-stolen": true,
  "revoke-key": true,
};
const GRAPHQL_KINDS: Readonly<Record<KindOf<"graphql">, true>> = {
  delay: true,
  stall: true,
  drop: true,
  reset: true,
  http: true,
  html: true,
  "graphql-errors": true,
  "slow-body": true,
  "truncated-body": true,
  "endless-body": true,
  "page-info": true,
  "revoke-key": true,
};
const KINDS = { sync: Object.keys(SYNC_KINDS), graphql: Object.keys(GRAPHQL_KINDS) } satisfies Record<
  Fault["api"],
  string[]
>;

const OPERATIONS: readonly string[] = SYNC_OPERATIONS;

/** The most that a message of gRPC has room for in its length, less what the server puts around it. */
const MOST_ANSWER_BYTES = 1024 * 1024 * 1024;

/** The last error code of HTTP/2 (RFC 9113, section 7). */
const LAST_HTTP2_ERROR = 13;

/**
 * Checks a fault: callers in plain JavaScript get no help from the types, and a fault that never strikes makes a test
 * worthless.
 * @throws TypeError
 */
export function checkFault(fault: Fault): void {
  const kinds: readonly string[] | undefined = KINDS[fault.api];
  if (kinds === undefined) throw new TypeError('A fault\'s `api` is "sync" or "graphql".');
  if (!kinds.includes(fault.kind.type)) {
    throw new TypeError(
      `A fault of kind "${fault.kind.type}" does not fit the api "${fault.api}". Kinds that do: ${kinds.join(", ")}.`,
    );
  }
  if (fault.api === "sync") checkSyncPlace(fault);
  const times = fault.times ?? 1;
  requireInteger("nth", fault.nth ?? 1, 1, Number.MAX_SAFE_INTEGER);
  requireInteger("times", times, 1, Number.MAX_SAFE_INTEGER);
  requireInteger("atLeast", fault.atLeast ?? 1, 0, times);
  checkKind(fault.kind);
}

function checkSyncPlace({ operation, message, kind }: SyncFault): void {
  if (operation !== undefined && !OPERATIONS.includes(operation)) {
    throw new TypeError(`The Sync API has no operation of this name. It has: ${OPERATIONS.join(", ")}.`);
  }
  if (message !== undefined) {
    requireInteger("message", message, 1, Number.MAX_SAFE_INTEGER);
    if (operation !== "SyncRecords") {
      throw new TypeError(
        'A fault with a `message` has the operation "SyncRecords": others have one message.',
      );
    }
    if (kind.type === "oversized-answer") {
      throw new TypeError(
        'A fault of kind "oversized-answer" strikes the call as a whole: it has no `message`.',
      );
    }
  } else if (kind.type === "early-answer") {
    throw new TypeError('A fault of kind "early-answer" needs the `message` at which it strikes.');
  }
}

function checkKind(kind: Fault["kind"]): void {
  if ("at" in kind) requireOneOf("at", kind.at, ["request", "answer"]);
  switch (kind.type) {
    case "grpc-status": {
      requireInteger("code", kind.code, status.CANCELLED, status.UNAUTHENTICATED);
      const metadata = new Metadata();
      requireSendable("trailers", kind.trailers, (name, value) => metadata.set(name, value));
      break;
    }
    case "rst-stream":
      requireInteger("code", kind.code ?? 0, 0, LAST_HTTP2_ERROR);
      break;
    case "oversized-answer":
      requireInteger("bytes", kind.bytes ?? 1, 1, MOST_ANSWER_BYTES);
      break;
    case "http":
      requireInteger("status", kind.status, 200, 599);
      requireSendable("headers", kind.headers, (name, value) => {
        validateHeaderName(name);
        validateHeaderValue(name, value);
      });
      if (kind.delivery !== undefined) {
        requireOneOf("delivery.type", kind.delivery.type, ["slow-body", "truncated-body", "endless-body"]);
        checkKind(kind.delivery);
      }
      if (kind.retryAfter !== undefined) {
        const { as, seconds } = kind.retryAfter;
        requireOneOf("retryAfter.as", as, ["seconds", "date"]);
        requireInteger("retryAfter.seconds", seconds, as === "date" ? -MOST_SECONDS : 0, MOST_SECONDS);
      }
      break;
    case "html":
      requireInteger("status", kind.status ?? 200, 200, 599);
      break;
    case "delay":
      requireDuration(kind.ms);
      break;
    case "slow-body":
      requireDuration(kind.ms);
      requireInteger("pieces", kind.pieces ?? 2, 1, 1000);
      break;
    case "graphql-errors":
      requireOneOf("data", kind.data, ["none", "partial"]);
      break;
    case "truncated-body":
      requireOneOf("ending", kind.ending, ["end", "close", "reset"]);
      break;
    case "page-info":
      requireOneOf("cursor", kind.cursor ?? "", ["repeated", "missing"]);
      break;
  }
}

/** A century, so that every date can be written. */
const MOST_SECONDS = 100 * 366 * 24 * 60 * 60;

function requireDuration(ms: number): void {
  if (ms >= 0 && Number.isFinite(ms)) return;
  throw new TypeError("A fault's `ms` is a number of milliseconds, zero or more.");
}

function requireOneOf(name: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new TypeError(`A fault's \`${name}\` is ${allowed.map((text) => `"${text}"`).join(" or ")}.`);
}

/** What cannot be sent would fail later, in the middle of an answer. */
function requireSendable(
  what: string,
  fields: Readonly<Record<string, string>> = {},
  send: (name: string, value: string) => void,
): void {
  for (const [name, value] of Object.entries(fields)) {
    try {
      send(name, value);
    } catch {
      throw new TypeError(`A fault's \`${what}\` has a name or value that cannot be sent: "${name}".`);
    }
  }
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  throw new TypeError(`A fault's \`${name}\` is a whole number, ${range}.`);
}
