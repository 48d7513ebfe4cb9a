/** What the faults of server and network were to the clients, in the terms of the simulation in memory. */
import { status } from "@grpc/grpc-js";
import type { Fault } from "@saas-management/sdk/testing";
import {
  type FaultKind,
  type FaultMoment,
  OPERATIONS,
  type Operation,
  type ScheduledFault,
} from "../faults.js";
import type { NetworkFault } from "./network.js";
import { STALLED_MS } from "./program.js";

/**
 * The faults that have struck. Those that end a connection strike every call that goes over it: of them the calls count
 * that were disturbed.
 */
export function struck(
  server: readonly Fault[],
  network: readonly NetworkFault[],
  disturbed: readonly Operation[],
): ScheduledFault[] {
  const direct = [...server.flatMap(ofServer), ...network.flatMap(ofNetwork)];
  const endsConnections = network.length > 0 || server.some(({ fault }) => CONNECTION_KINDS.has(fault));
  const others = endsConnections ? disturbed : [];
  return [...direct, ...others.map((operation) => scheduled(operation, { type: "lost", at: "after" }))];
}

const CONNECTION_KINDS: ReadonlySet<string> = new Set(["drop", "reset", "goaway"]);

function ofServer(fault: Fault): ScheduledFault[] {
  const operation = OPERATIONS.find((name) => name === fault.on);
  if (operation === undefined) return [];
  const end = fault.at === "answer" ? "after" : "before";
  const found = kindOf(fault, fault.message === undefined ? end : "middle");
  return found === undefined ? [] : [{ operation, nth: fault.nth ?? 1, atLeast: 0, kind: found }];
}

function kindOf(fault: Fault, at: FaultMoment): FaultKind | undefined {
  switch (fault.fault) {
    case "drop":
    case "reset":
    case "rst-stream":
      return { type: "lost", at };
    case "goaway":
      return fault.grace === false ? { type: "lost", at } : undefined;
    case "status":
      if (fault.at === "answer") return { type: "lost", at: "after" };
      return { type: "refused", code: status[fault.status], details: fault.details ?? "" };
    case "delay":
      return fault.ms >= STALLED_MS ? { type: "stalled", at } : { type: "delayed", at, ms: fault.ms };
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
    default:
      return undefined;
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
