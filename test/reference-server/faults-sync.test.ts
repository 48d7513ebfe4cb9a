import { SaasManagementError } from "@saas-management/sdk";
import { type Fault, startReferenceServer, TestClock } from "@saas-management/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import { createSyncClient } from "../../src/runs/engine.js";
import { accepted } from "../support/adopted.js";
import { type FaultKind, faultOn } from "../support/faults.js";
import { until } from "../support/grpc-client.js";
import { accounts } from "../support/records.js";

type At = "request" | "answer";
type Place = Pick<Fault, "on" | "message">;

const START: Place = { on: "StartSyncBatch" };
const RECORDS: Place = { on: "SyncRecords" };
const FIRST: Place = { ...RECORDS, message: 1 };
const SECOND: Place = { ...RECORDS, message: 2 };
const COMPLETE: Place = { on: "CompleteSyncBatch" };
const ABORT: Place = { on: "AbortSyncBatch" };

type Status = Extract<Fault, { fault: "status" }>["status"];
const statuses = (at: At, ...names: readonly Status[]): FaultKind[] =>
  names.map((status) => ({ fault: "status", status, at }));
/** The common ways to lose a call or its answer. */
const lost = (at: At): FaultKind[] => [
  { fault: "drop", at },
  { fault: "goaway", grace: false, at },
  { fault: "rst-stream", code: 2, at },
  ...statuses(at, "UNAVAILABLE"),
];
/** All ways to lose a call or its answer. One operation is enough, because the others share the code. */
const lostInAnyWay = (at: At): FaultKind[] => [
  ...lost(at),
  { fault: "reset", at },
  ...[8, 11, 12].map((code): FaultKind => ({ fault: "rst-stream", code, at })),
  ...statuses(at, "CANCELLED", "DEADLINE_EXCEEDED"),
];
const of = (fault: "lease-expiry" | "lock-stolen" | "revoke-key" | "stall", at: At): FaultKind[] => [
  { fault, at },
];
const delayed = (at: At): FaultKind[] => [{ fault: "delay", ms: 60_000, at }];
const early = (at: At): FaultKind[] => [{ fault: "early-answer", message: 1, at }];
/** Statuses that do not reveal what the server did. */
const UNCLEAR = ["UNKNOWN", "INTERNAL", "DATA_LOSS"] as const;
const REFUSED = ["INVALID_ARGUMENT", "FAILED_PRECONDITION"] as const;
const RETIRED: FaultKind[] = (["request", "answer"] as const).map((at) => ({ fault: "goaway", at }));
const OVERSIZED: FaultKind[] = [{ fault: "oversized-answer" }];
const DENIED = statuses("request", "PERMISSION_DENIED");
const NO_KEY = [...statuses("request", "UNAUTHENTICATED"), ...of("revoke-key", "request")];

/**
 * The outcome of a program that writes four accounts: which call failed with which code, the state of each batch and
 * whether one holds the lock, the stored accounts, and whether the faulty call was repeated.
 */
const OUTCOMES: readonly (readonly [place: Place, kinds: readonly FaultKind[], outcome: string])[] = [
  [START, lost("request"), "done; completed; 4; retried"],
  [START, statuses("request", "RESOURCE_EXHAUSTED"), "done; completed; 4; retried"],
  [START, lost("answer"), "start BATCH_IN_PROGRESS; active locked; 0; retried"],
  [START, of("lease-expiry", "request"), "done; completed; 4"],
  [START, statuses("request", "ALREADY_EXISTS", "FAILED_PRECONDITION"), "start BATCH_IN_PROGRESS; none; 0"],
  [START, statuses("request", "ABORTED"), "start BATCH_IN_PROGRESS; none; 0"],
  [START, of("lock-stolen", "request"), "start BATCH_IN_PROGRESS; active locked; 0"],
  [START, statuses("request", "UNKNOWN", "INVALID_ARGUMENT"), "start SYNC_PROTOCOL; none; 0"],
  [START, statuses("request", "UNIMPLEMENTED"), "start SYNC_PROTOCOL; none; 0"],
  [START, statuses("answer", "UNKNOWN", "INVALID_ARGUMENT"), "start SYNC_PROTOCOL; active locked; 0"],
  [START, OVERSIZED, "start SYNC_PROTOCOL; active locked; 0"],
  [START, DENIED, "start PERMISSION_DENIED; none; 0"],
  [START, NO_KEY, "start AUTHENTICATION_FAILED; none; 0"],
  [START, of("revoke-key", "answer"), "write AUTHENTICATION_FAILED; active locked; 0"],
  [START, of("stall", "request"), "start TIMEOUT; none; 0"],
  [START, of("stall", "answer"), "start TIMEOUT; active locked; 0"],
  [START, [...delayed("request"), ...delayed("answer")], "done; completed; 4"],
  [RECORDS, [...lostInAnyWay("request"), ...lostInAnyWay("answer")], "done; completed; 4; retried"],
  [RECORDS, statuses("answer", "RESOURCE_EXHAUSTED"), "done; completed; 4; retried"],
  [RECORDS, RETIRED, "done; completed; 4"],
  [RECORDS, statuses("request", ...UNCLEAR, ...REFUSED), "write SYNC_PROTOCOL; active locked; 0"],
  [RECORDS, statuses("answer", "UNKNOWN", "INVALID_ARGUMENT"), "write SYNC_PROTOCOL; active locked; 4"],
  [RECORDS, OVERSIZED, "write SYNC_PROTOCOL; active locked; 4"],
  [RECORDS, DENIED, "write PERMISSION_DENIED; active locked; 0"],
  [RECORDS, NO_KEY, "write AUTHENTICATION_FAILED; active locked; 0"],
  [RECORDS, of("revoke-key", "answer"), "complete AUTHENTICATION_FAILED; active locked; 4"],
  [RECORDS, of("lease-expiry", "request"), "write BATCH_STATE; expired; 0"],
  [RECORDS, of("lock-stolen", "request"), "write BATCH_STATE; expired active locked; 0"],
  [RECORDS, of("lease-expiry", "answer"), "complete BATCH_STATE; expired; 4"],
  [RECORDS, of("stall", "request"), "write TIMEOUT; active locked; 0"],
  [RECORDS, of("stall", "answer"), "write TIMEOUT; active locked; 4"],
  [RECORDS, delayed("request"), "done; completed; 4"],
  [FIRST, [...lost("request"), ...lost("answer")], "done; completed; 4; retried"],
  [FIRST, of("stall", "answer"), "write TIMEOUT; active locked; 2"],
  [FIRST, early("request"), "write SYNC_PROTOCOL; active locked; 0"],
  [FIRST, early("answer"), "write SYNC_PROTOCOL; active locked; 2"],
  [SECOND, early("answer"), "done; completed; 4"],
  [SECOND, statuses("request", ...REFUSED), "write SYNC_PROTOCOL; active locked; 2"],
  [SECOND, of("lease-expiry", "request"), "write BATCH_STATE; expired; 2"],
  [SECOND, of("revoke-key", "request"), "write AUTHENTICATION_FAILED; active locked; 2"],
  [COMPLETE, [...lost("request"), ...lost("answer")], "done; completed; 4; retried"],
  [COMPLETE, statuses("request", "RESOURCE_EXHAUSTED"), "done; completed; 4; retried"],
  [COMPLETE, statuses("request", ...REFUSED), "complete SYNC_PROTOCOL; active locked; 4"],
  [COMPLETE, statuses("request", ...UNCLEAR), "complete BATCH_OUTCOME_UNKNOWN; active locked; 4"],
  [
    COMPLETE,
    statuses("answer", ...UNCLEAR).concat(OVERSIZED),
    "complete BATCH_OUTCOME_UNKNOWN; completed; 4",
  ],
  [COMPLETE, statuses("answer", "RESOURCE_EXHAUSTED"), "complete BATCH_STATE; completed; 4; retried"],
  [COMPLETE, DENIED, "complete PERMISSION_DENIED; active locked; 4"],
  [COMPLETE, NO_KEY, "complete AUTHENTICATION_FAILED; active locked; 4"],
  [COMPLETE, of("lease-expiry", "request"), "complete BATCH_STATE; expired; 4"],
  [COMPLETE, of("lock-stolen", "request"), "complete BATCH_STATE; expired active locked; 4"],
  [COMPLETE, of("stall", "request"), "complete BATCH_OUTCOME_UNKNOWN; active locked; 4"],
  [COMPLETE, of("stall", "answer"), "complete BATCH_OUTCOME_UNKNOWN; completed; 4"],
  [COMPLETE, delayed("answer"), "done; completed; 4"],
  [ABORT, [...lost("request"), ...lost("answer")], "done; aborted; 4; retried"],
  [ABORT, statuses("request", ...UNCLEAR, ...REFUSED), "abort SYNC_PROTOCOL; active locked; 4"],
  [ABORT, NO_KEY, "abort AUTHENTICATION_FAILED; active locked; 4"],
  [ABORT, of("lease-expiry", "request"), "done; expired; 4"],
  [ABORT, of("lock-stolen", "request"), "done; expired active locked; 4"],
  [ABORT, of("stall", "request"), "abort TIMEOUT; active locked; 4"],
  [ABORT, of("stall", "answer"), "abort TIMEOUT; aborted; 4"],
  [ABORT, delayed("request"), "done; aborted; 4"],
];

const cases = OUTCOMES.flatMap(
  ([place, kinds, outcome]) => kinds.map((kind) => ({ kind, fault: faultOn(place, kind), outcome })),
  // If answers have no count and all messages were sent, an early answer looks like any other.
).filter(({ kind }) => kind.fault !== "early-answer" || accepted(0) !== undefined);

/** Default timeout of an operation. */
const TIMEOUT_MS = 100_000;
/** How long close() waits for unanswered starts. */
const CLOSE_GRACE_MS = 5000;
/** Approximate size of an account. */
const BYTES = 400;

/** A server with a fault, and a program that starts a batch, writes two messages of two accounts each, and ends it. */
async function startProgram(fault: Fault) {
  const startAt = new Date(Date.UTC(2026, 5, 1));
  const server = await startReferenceServer({ clock: new TestClock({ startAt }) });
  const clock = new TestClock();
  let retried = "";
  const client = createSyncClient({
    onEvent: ({ type }) => {
      if (type === "retry") retried = "; retried";
    },
    endpoint: server.syncUrl,
    apiKey: server.apiKey,
    clock,
    retry: { retries: 2, minDelayMs: 1, maxDelayMs: 1 },
    messageBytes: 2 * BYTES,
  });
  onTestFinished(async () => {
    const closed = client.close();
    clock.advance(CLOSE_GRACE_MS);
    await closed;
    await server.close();
  });
  const struck = server.faults.add(fault);
  const run = async (ending: "complete" | "abort") => {
    let call = "start";
    let failed = "";
    try {
      const batch = await client.startBatch({ installationId: server.installationId });
      call = "write";
      await batch.write("accounts", accounts(4, BYTES - 60));
      call = ending;
      await batch[ending]();
      call = "done";
    } catch (error) {
      if (!(error instanceof SaasManagementError)) throw error;
      failed = ` ${error.code}`;
    }
    const { lock, batches, snapshots } = server.inspect();
    const states = batches.map(({ state }) => state).join(" ") || "none";
    return `${call}${failed}; ${states}${lock === null ? "" : " locked"}; ${snapshots.accounts.length}${retried}`;
  };
  return { server, clock, struck, run };
}

/** Advances the clock by the duration of the fault. */
async function pass(
  { fault }: FaultKind,
  { struck, clock, server }: Awaited<ReturnType<typeof startProgram>>,
) {
  if (fault === "stall") {
    await until(() => struck.fired > 0);
    clock.advance(TIMEOUT_MS);
  }
  if (fault === "delay") {
    await until(() => server.clock.sleeping === 1);
    server.clock.advance(59_999);
    expect(server.clock.sleeping).toBe(1);
    server.clock.advance(1);
  }
}

test.each(cases)("$fault.on with the fault $kind: $outcome", async ({ kind, fault, outcome }) => {
  const program = await startProgram(fault);
  const run = program.run(fault.on === "AbortSyncBatch" ? "abort" : "complete");
  await pass(kind, program);
  expect(await run).toBe(outcome);
  expect(program.struck.fired).toBe(1);
});

test("a restart breaks running calls, and clients repeat them", async () => {
  const program = await startProgram({ on: "SyncRecords", message: 1, fault: "stall", at: "answer" });
  const run = program.run("complete");
  await until(() => program.struck.fired > 0);
  await program.server.restart();
  expect(await run).toBe("done; completed; 4; retried");
});
