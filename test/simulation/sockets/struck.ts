/** What the faults of server and network were to the clients, in the terms of the simulation in memory. */
import type { SyncFault } from "@saas-management/sdk/testing";
import type { FaultKind, FaultMoment, Operation, ScheduledFault } from "../faults.js";
import type { NetworkFault } from "./network.js";
import { STALLED_MS } from "./program.js";

/**
 * The faults that have struck. Those that end a connection strike every call that goes over it: of them the calls count
 * that were disturbed.
 */
export function struck(
  server: readonly SyncFault[],
  network: readonly NetworkFault[],
  disturbed: readonly Operation[],
): ScheduledFault[] {
  const direct = [...server.flatMap(ofServer), ...network.flatMap(ofNetwork)];
  const endsConnections = network.length > 0 || server.some(({ kind }) => CONNECTION_KINDS.has(kind.type));
  const others = endsConnections ? disturbed : [];
  return [...direct, ...others.map((operation) => scheduled(operation, { type: "lost", at: "after" }))];
}

const CONNECTION_KINDS: ReadonlySet<string> = new Set(["drop", "reset", "goaway"]);

function ofServer({ operation, message, nth, kind }: SyncFault): ScheduledFault[] {
  if (operation === undefined) return [];
  const found = kindOf(kind, message === undefined ? momentOf(kind) : "middle");
  return found === undefined ? [] : [{ operation, nth: nth ?? 1, atLeast: 0, kind: found }];
}

function momentOf(kind: SyncFault["kind"]): FaultMoment {
  return "at" in kind && kind.at === "answer" ? "after" : "before";
}

function kindOf(kind: SyncFault["kind"], at: FaultMoment): FaultKind | undefined {
  switch (kind.type) {
    case "drop":
    case "reset":
    case "rst-stream":
      return { type: "lost", at };
    case "goaway":
      return kind.grace === false ? { type: "lost", at } : undefined;
    case "grpc-status":
      if (kind.at === "answer") return { type: "lost", at: "after" };
      return { type: "refused", code: kind.code, details: kind.details ?? "" };
    case "delay":
      return kind.ms >= STALLED_MS ? { type: "stalled", at } : { type: "delayed", at, ms: kind.ms };
    case "stall":
      return { type: "stalled", at };
    case "oversized-answer":
      return { type: "lost", at: "after" };
    case "early-answer":
      return { type: "undercounted" };
    case "lease-expiry":
      return { type: "expired" };
    case "lock-stolen":
      return { type: "stolen" };
    case "revoke-key":
      return { type: "revoked" };
  }
}

function ofNetwork({ operation, kind }: NetworkFault): ScheduledFault[] {
  switch (kind.type) {
    case "late":
      return [scheduled(operation, kind)];
    case "half-open":
      return [scheduled(operation, { type: "stalled", at: "before" })];
    case "restart":
      return [scheduled(operation, { type: "lost", at: "after" })];
    case "crash":
      return [];
  }
}

function scheduled(operation: Operation, kind: FaultKind): ScheduledFault {
  return { operation, nth: 1, atLeast: 0, kind };
}
