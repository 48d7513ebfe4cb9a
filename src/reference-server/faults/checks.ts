import { validateHeaderName, validateHeaderValue } from "node:http";
import { Metadata, status } from "@grpc/grpc-js";
import { suggestKey } from "../../core/validate.js";
import {
  requireInteger,
  requireKnown,
  requireList,
  requireOneOf,
  requireString,
} from "../argument-checks.js";
import { isObject } from "../is-object.js";
import { type Fault, type FaultSchedule, SYNC_OPERATIONS, type SyncFault } from "./fault.js";
import type { HttpFault, InjectedGraphQLError } from "./graphql-kinds.js";
import { ERROR_NAMES, FAULT_NAMES, KIND_NAMES, RETRY_AFTER_NAMES, SCHEDULE_NAMES } from "./names.js";

/** The most that a message of gRPC has room for in its length, less what the server puts around it. */
const MOST_ANSWER_BYTES = 1024 * 1024 * 1024;

/** The last error code of HTTP/2 (RFC 9113, section 7). */
const LAST_HTTP2_ERROR = 13;

/** Checks a schedule and all faults of it. @throws TypeError */
export function checkSchedule(schedule: FaultSchedule): void {
  requireKnown("A fault schedule", schedule, SCHEDULE_NAMES);
  requireList("A fault schedule's `faults`", schedule.faults);
  for (const fault of schedule.faults) checkFault(fault);
}

/**
 * Checks a fault: callers in plain JavaScript get no help from the types, and a fault that never strikes makes a test
 * worthless.
 * @throws TypeError
 */
export function checkFault(fault: Fault): void {
  if (!isObject(fault)) throw new TypeError("A fault must be an object.");
  requireOneOf("A fault's `api`", fault.api, Object.keys(FAULT_NAMES));
  requireKnown("A fault", fault, FAULT_NAMES[fault.api]);
  checkType(fault);
  if (fault.operation !== undefined) requireString("A fault's `operation`", fault.operation);
  if (fault.api === "sync") checkSyncPlace(fault);
  const times = fault.times ?? 1;
  requireInteger("A fault's `nth`", fault.nth ?? 1, 1);
  requireInteger("A fault's `times`", times, 1);
  requireInteger("A fault's `atLeast`", fault.atLeast ?? 1, 0, times);
  checkKind(fault.kind);
}

/** Checks that the kind is one of the API, and has no name but its own. */
function checkType({ api, kind }: Fault): void {
  if (!isObject(kind)) throw new TypeError("A fault's `kind` must be an object.");
  const kinds = KIND_NAMES[api];
  const known = kinds.get(kind.type);
  if (known === undefined) {
    const types = [...kinds.keys()];
    const meant = suggestKey(String(kind.type), types);
    throw new TypeError(
      `A fault of kind "${kind.type}" does not fit the api "${api}".${meant} Kinds that do: ${types.join(", ")}.`,
    );
  }
  requireKnown(`A fault of kind "${kind.type}"`, kind, known);
}

function checkSyncPlace({ operation, message, kind }: SyncFault): void {
  if (operation !== undefined) requireOneOf("A fault's `operation`", operation, SYNC_OPERATIONS);
  if (message !== undefined) {
    requireInteger("A fault's `message`", message, 1);
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
  if ("at" in kind) requireOneOf("A fault's `at`", kind.at ?? "request", ["request", "answer"]);
  switch (kind.type) {
    case "grpc-status": {
      requireInteger("A fault's `code`", kind.code, status.CANCELLED, status.UNAUTHENTICATED);
      requireString("A fault's `details`", kind.details ?? "");
      const metadata = new Metadata();
      requireSendable("trailers", kind.trailers, (name, value) => metadata.set(name, value));
      break;
    }
    case "rst-stream":
      requireInteger("A fault's `code`", kind.code ?? 0, 0, LAST_HTTP2_ERROR);
      break;
    case "oversized-answer":
      requireInteger("A fault's `bytes`", kind.bytes ?? 1, 1, MOST_ANSWER_BYTES);
      break;
    case "http":
      checkHttp(kind);
      break;
    case "html":
      requireInteger("A fault's `status`", kind.status ?? 200, 200, 599);
      break;
    case "delay":
      requireDuration(kind.ms);
      break;
    case "slow-body":
      requireDuration(kind.ms);
      requireInteger("A fault's `pieces`", kind.pieces ?? 2, 1, 1000);
      break;
    case "graphql-errors":
      requireOneOf("A fault's `data`", kind.data ?? "none", ["none", "partial"]);
      checkErrors(kind.errors ?? []);
      break;
    case "truncated-body":
      requireOneOf("A fault's `ending`", kind.ending ?? "end", ["end", "close", "reset"]);
      break;
    case "page-info":
      requireOneOf("A fault's `cursor`", kind.cursor, ["repeated", "missing"]);
      break;
  }
}

function checkHttp({ status: code, headers, body, delivery, retryAfter }: HttpFault): void {
  requireInteger("A fault's `status`", code, 200, 599);
  requireString("A fault's `body`", body ?? "");
  requireSendable("headers", headers, (name, value) => {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  });
  if (delivery !== undefined) {
    if (!isObject(delivery)) throw new TypeError("A fault's `delivery` must be an object.");
    const types = ["slow-body", "truncated-body", "endless-body"];
    requireOneOf("A fault's `delivery.type`", delivery.type, types);
    checkType({ api: "graphql", kind: delivery });
    checkKind(delivery);
  }
  if (retryAfter !== undefined) {
    requireKnown("A fault's `retryAfter`", retryAfter, RETRY_AFTER_NAMES);
    const { as = "seconds", seconds } = retryAfter;
    requireOneOf("A fault's `retryAfter.as`", as, ["seconds", "date"]);
    const least = as === "date" ? -MOST_SECONDS : 0;
    requireInteger("A fault's `retryAfter.seconds`", seconds, least, MOST_SECONDS);
  }
}

function checkErrors(errors: readonly InjectedGraphQLError[]): void {
  requireList("A fault's `errors`", errors);
  for (const [index, error] of errors.entries()) {
    requireKnown(`A fault's \`errors[${index}]\``, error, ERROR_NAMES);
    requireString(`A fault's \`errors[${index}].message\``, error.message);
  }
}

/** A century, so that every date can be written. */
const MOST_SECONDS = 100 * 366 * 24 * 60 * 60;

function requireDuration(ms: number): void {
  if (ms >= 0 && Number.isFinite(ms)) return;
  throw new TypeError("A fault's `ms` must be a number of milliseconds, zero or more.");
}

/** What cannot be sent would fail later, in the middle of an answer. */
function requireSendable(
  what: string,
  fields: Readonly<Record<string, string>> = {},
  send: (name: string, value: string) => void,
): void {
  for (const [name, value] of Object.entries(fields)) {
    try {
      requireString(name, value);
      send(name, value);
    } catch {
      throw new TypeError(`A fault's \`${what}\` has a name or value that cannot be sent: "${name}".`);
    }
  }
}
