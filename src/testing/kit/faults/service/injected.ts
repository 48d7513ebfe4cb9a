import type { Fault, SyncOperation } from "../../../../reference-server/faults/fault.js";
import type { ServiceFault } from "./service-fault.js";

/** A fault that the reference server has itself. */
function injected(name: string, summary: string, fault: Fault, ...others: readonly Fault[]): ServiceFault {
  return {
    name,
    summary,
    arm: ({ server }) => {
      const handle = server.faults.add(fault);
      for (const other of others) server.faults.add(other);
      const holds = fault.fault === "stall" || fault.fault === "delay";
      return {
        get fired() {
          return handle.fired;
        },
        get held() {
          return holds ? handle.fired : 0;
        },
      };
    },
  };
}

const [START, WRITE, COMPLETE, ABORT] = [
  "StartSyncBatch",
  "SyncRecords",
  "CompleteSyncBatch",
  "AbortSyncBatch",
] as const satisfies readonly SyncOperation[];

const SHORT = { StartSyncBatch: "start", SyncRecords: "write", CompleteSyncBatch: "complete" } as const;
const RPCS = [START, WRITE, COMPLETE] as const;

/** Without it, no run has a batch to abort. */
const REFUSED_WRITE: Fault = { on: WRITE, fault: "status", status: "INVALID_ARGUMENT" };

/** Faults of single requests and answers. */
export const INJECTED_FAULTS: readonly ServiceFault[] = [
  ...RPCS.flatMap((on) => [
    injected(`service-lost-answer-of-${SHORT[on]}`, `the answer to ${on} is lost`, {
      on,
      fault: "drop",
      at: "answer",
    }),
    injected(`service-unavailable-at-${SHORT[on]}`, `${on} is answered UNAVAILABLE twice`, {
      on,
      fault: "status",
      status: "UNAVAILABLE",
      times: 2,
    }),
    injected(`service-silent-at-${SHORT[on]}`, `${on} is never answered, once`, { on, fault: "stall" }),
    injected(`service-slow-${SHORT[on]}`, `the answer to ${on} takes 80 seconds`, {
      on,
      fault: "delay",
      ms: 80_000,
      at: "answer",
    }),
    injected(`service-key-revoked-at-${SHORT[on]}`, `the key is revoked at ${on}`, {
      on,
      fault: "revoke-key",
    }),
  ]),
  injected(
    "service-lost-answer-of-abort",
    "a write is refused, and the answer to AbortSyncBatch is lost",
    { on: ABORT, fault: "drop", at: "answer" },
    REFUSED_WRITE,
  ),
  injected("service-down", "every request is answered UNAVAILABLE", {
    on: "sync",
    fault: "status",
    status: "UNAVAILABLE",
    times: 1000,
  }),
  injected("service-error-after-complete", "CompleteSyncBatch completes, and answers INTERNAL", {
    on: COMPLETE,
    fault: "status",
    status: "INTERNAL",
    at: "answer",
  }),
  injected("service-reset-at-write", "the connection is reset during a write", { on: WRITE, fault: "reset" }),
  injected("service-reset-at-complete", "the connection is reset at CompleteSyncBatch", {
    on: COMPLETE,
    fault: "reset",
  }),
  injected("service-stream-reset-at-write", "the stream of a write is reset", {
    on: WRITE,
    fault: "rst-stream",
  }),
  injected("service-goaway-at-write", "the service closes the connection with GOAWAY during a write", {
    on: WRITE,
    fault: "goaway",
  }),
  injected("service-goaway-with-grace", "the service sends GOAWAY and lets calls end", {
    on: WRITE,
    fault: "goaway",
    grace: true,
  }),
  injected("service-rate-limit", "a write is answered RESOURCE_EXHAUSTED twice, without a delay", {
    on: WRITE,
    fault: "status",
    status: "RESOURCE_EXHAUSTED",
    times: 2,
  }),
  injected("service-rate-limit-with-delay", "a write is to be tried again after 20 seconds", {
    on: WRITE,
    fault: "status",
    status: "RESOURCE_EXHAUSTED",
    trailers: { "retry-after": "20" },
  }),
  injected("service-permission-denied", "StartSyncBatch is answered PERMISSION_DENIED", {
    on: START,
    fault: "status",
    status: "PERMISSION_DENIED",
  }),
  injected("service-refuses-records", "a write is answered INVALID_ARGUMENT", REFUSED_WRITE),
  injected("service-lease-expired-at-write", "the lease of the batch ends during a write", {
    on: WRITE,
    fault: "lease-expiry",
  }),
  injected("service-lease-expired-at-complete", "the lease of the batch ends before CompleteSyncBatch", {
    on: COMPLETE,
    fault: "lease-expiry",
  }),
  injected("service-lock-stolen-at-write", "another batch gets the lock during a write", {
    on: WRITE,
    fault: "lock-stolen",
  }),
  injected("service-oversized-answer-to-write", "the answer to a write is larger than clients accept", {
    on: WRITE,
    fault: "oversized-answer",
  }),
  injected(
    "service-oversized-answer-to-complete",
    "the answer to CompleteSyncBatch is larger than clients accept",
    {
      on: COMPLETE,
      fault: "oversized-answer",
    },
  ),
  injected("service-early-answer", "a write is answered before all of it was read", {
    on: WRITE,
    fault: "early-answer",
    message: 1,
  }),
];
