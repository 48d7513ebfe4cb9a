import { validateHeaderName, validateHeaderValue } from "node:http";
import { Metadata, status } from "@grpc/grpc-js";
import type { Fault, SyncOperation } from "./fault-types.js";

type KindOf<Api extends Fault["api"]> = Extract<Fault, { api: Api }>["kind"];

const KINDS: { readonly [Api in Fault["api"]]: readonly KindOf<Api>["type"][] } = {
  sync: ["grpc-status", "delay", "drop"],
  graphql: ["http", "html", "delay", "drop"],
};

const OPERATIONS: readonly string[] = [
  "StartSyncBatch",
  "SyncRecords",
  "CompleteSyncBatch",
  "AbortSyncBatch",
] satisfies SyncOperation[];

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
  if (fault.api === "sync" && fault.operation !== undefined && !OPERATIONS.includes(fault.operation)) {
    throw new TypeError(`The Sync API has no operation of this name. It has: ${OPERATIONS.join(", ")}.`);
  }
  requireInteger("nth", fault.nth ?? 1, 1, Number.MAX_SAFE_INTEGER);
  requireInteger("times", fault.times ?? 1, 1, Number.MAX_SAFE_INTEGER);
  checkKind(fault.kind);
}

function checkKind(kind: Fault["kind"]): void {
  if ("at" in kind && kind.at !== undefined && kind.at !== "request" && kind.at !== "answer") {
    throw new TypeError('A fault\'s `at` is "request" or "answer".');
  }
  if (kind.type === "grpc-status") {
    requireInteger("code", kind.code, status.CANCELLED, status.UNAUTHENTICATED);
    const metadata = new Metadata();
    requireSendable("trailers", kind.trailers, (name, value) => metadata.set(name, value));
  } else if (kind.type === "http") {
    requireInteger("status", kind.status, 200, 599);
    requireSendable("headers", kind.headers, (name, value) => {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    });
  } else if (kind.type === "html") {
    requireInteger("status", kind.status ?? 200, 200, 599);
  } else if (kind.type === "delay" && !(kind.ms >= 0 && Number.isFinite(kind.ms))) {
    throw new TypeError("A fault's `ms` is a number of milliseconds, zero or more.");
  }
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
