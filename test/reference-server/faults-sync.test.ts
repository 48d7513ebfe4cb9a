import type { SyncFault, SyncFaultKind } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { type ProgramOutcome, startProgram } from "../support/fault-program.js";

type At = "request" | "answer";
type Row = readonly [
  title: string,
  place: Pick<SyncFault, "operation" | "message">,
  kinds: readonly SyncFaultKind[],
  expected: Partial<ProgramOutcome>,
];

const START = { operation: "StartSyncBatch" } as const;
const RECORDS = { operation: "SyncRecords" } as const;
const FIRST = { ...RECORDS, message: 1 } as const;
const SECOND = { ...RECORDS, message: 2 } as const;
const COMPLETE = { operation: "CompleteSyncBatch" } as const;
const ABORT = { operation: "AbortSyncBatch" } as const;

const statuses = (codes: readonly number[], at: At): SyncFaultKind[] =>
  codes.map((code) => ({ type: "grpc-status", code, at }));

/** A call or its answer is lost. */
const lost = (at: At): SyncFaultKind[] => [
  { type: "drop", at },
  { type: "goaway", grace: false, at },
  { type: "rst-stream", code: 7, at },
  ...statuses([14], at),
];
/** All ways in which it can be lost, for one operation: the others take the same path. */
const lostInAnyWay = (at: At): SyncFaultKind[] => [
  ...lost(at),
  { type: "reset", at },
  ...[2, 8, 11, 12].map((code): SyncFaultKind => ({ type: "rst-stream", code, at })),
  ...statuses([1, 4], at),
];
/** Statuses that do not tell what the server had done. */
const UNCLEAR = [2, 13, 15];
const REFUSED = [3, 9];

const lease = (at: At): SyncFaultKind => ({ type: "lease-expiry", at });
const stolenLock = (at: At): SyncFaultKind => ({ type: "lock-stolen", at });
const revocation = (at: At): SyncFaultKind => ({ type: "revoke-key", at });
const RETIRED: readonly SyncFaultKind[] = [
  { type: "goaway", at: "request" },
  { type: "goaway", at: "answer" },
];
const OVERSIZED: SyncFaultKind = { type: "oversized-answer" };
const UNAUTHENTICATED = [...statuses([16], "request"), revocation("request")];

const completed = {
  ended: "done",
  error: undefined,
  handle: "completed",
  batches: "completed",
  locked: false,
  stored: 4,
} satisfies Partial<ProgramOutcome>;
const aborted = { ...completed, handle: "aborted", batches: "aborted" };
/** The caller must abort the batch: it holds the lock. */
const held = { batches: "active", locked: true, retryable: false, retried: "" };
const notStarted = {
  ended: "start",
  handle: undefined,
  batches: "",
  locked: false,
  stored: 0,
  retried: "",
} as const;
/** The batch was started, but its id did not arrive. */
const ghost = { ...notStarted, batches: "active", locked: true };
const notWritten = { ...held, ended: "write", stored: 0 } as const;
const notCompleted = { ...held, ended: "complete", stored: 4 } as const;
const notAborted = { ...held, ended: "abort", handle: "aborting", stored: 4 } as const;
const expired = { error: "BATCH_STATE", retryable: false, batches: "expired", locked: false, retried: "" };
const stolen = { ...expired, batches: "expired active", locked: true };

const PROTOCOL = { error: "SYNC_PROTOCOL" };
const DENIED = { error: "PERMISSION_DENIED" };
const NO_KEY = { error: "AUTHENTICATION_FAILED" };
const UNKNOWN = { error: "BATCH_OUTCOME_UNKNOWN", handle: "unknown" };
const IN_PROGRESS = { error: "BATCH_IN_PROGRESS" };

const rows: readonly Row[] = [
  [
    "repeats a start that is lost",
    START,
    [...lost("request"), ...statuses([8], "request")],
    { ...completed, retried: "StartSyncBatch" },
  ],
  [
    "repeats a start whose answer is lost and finds the lock held",
    START,
    lost("answer"),
    { ...ghost, ...IN_PROGRESS, retried: "StartSyncBatch" },
  ],
  ["starts after the old lease expired", START, [lease("request")], { ...completed, retried: "" }],
  ["reports a held lock", START, [...statuses([6, 9, 10], "request")], { ...notStarted, ...IN_PROGRESS }],
  ["reports a lock that was just taken", START, [stolenLock("request")], { ...ghost, ...IN_PROGRESS }],
  ["reports a refused start", START, statuses([2, 3, 12], "request"), { ...notStarted, ...PROTOCOL }],
  [
    "reports a start that is refused after it was done",
    START,
    [...statuses([2, 3, 12], "answer"), OVERSIZED],
    { ...ghost, ...PROTOCOL },
  ],
  ["reports a start without permission", START, statuses([7], "request"), { ...notStarted, ...DENIED }],
  ["reports a start with a refused key", START, UNAUTHENTICATED, { ...notStarted, ...NO_KEY }],
  [
    "fails to write with a key revoked after the start",
    START,
    [revocation("answer")],
    { ...notWritten, ...NO_KEY },
  ],

  [
    "repeats a write that is lost or whose answer is lost",
    RECORDS,
    [...lostInAnyWay("request"), ...lostInAnyWay("answer"), ...statuses([8], "answer")],
    { ...completed, retried: "SyncRecords" },
  ],
  ["writes over a retired connection", RECORDS, RETIRED, { ...completed, retried: "" }],
  [
    "reports a refused write",
    RECORDS,
    statuses([...UNCLEAR, ...REFUSED], "request"),
    { ...notWritten, ...PROTOCOL },
  ],
  [
    "reports a write that is refused after it was applied",
    RECORDS,
    [...statuses([2, 3], "answer"), OVERSIZED],
    { ...notWritten, ...PROTOCOL, stored: 4 },
  ],
  ["reports a write without permission", RECORDS, statuses([7], "request"), { ...notWritten, ...DENIED }],
  ["reports a write with a refused key", RECORDS, UNAUTHENTICATED, { ...notWritten, ...NO_KEY }],
  [
    "fails to complete with a key revoked after the write",
    RECORDS,
    [revocation("answer")],
    { ...notCompleted, ...NO_KEY },
  ],
  [
    "reports a write after the lease expired",
    RECORDS,
    [lease("request")],
    { ...expired, ended: "write", stored: 0 },
  ],
  [
    "reports a write after the lock was stolen",
    RECORDS,
    [stolenLock("request")],
    { ...stolen, ended: "write", stored: 0 },
  ],
  [
    "fails to complete after the lease expired",
    RECORDS,
    [lease("answer")],
    { ...expired, ended: "complete", stored: 4 },
  ],

  [
    "repeats a stream that is lost at a message",
    FIRST,
    [...lost("request"), ...lost("answer")],
    { ...completed, retried: "SyncRecords" },
  ],
  [
    "reports a stream that is refused between messages",
    SECOND,
    statuses(REFUSED, "request"),
    { ...notWritten, ...PROTOCOL, stored: 2 },
  ],
  [
    "reports a stream that is answered before a message is applied",
    FIRST,
    [{ type: "early-answer" }],
    { ...notWritten, ...PROTOCOL },
  ],
  [
    "reports a stream that is answered between messages",
    FIRST,
    [{ type: "early-answer", at: "answer" }],
    { ...notWritten, ...PROTOCOL, stored: 2 },
  ],
  [
    "accepts an early answer after the last message",
    SECOND,
    [{ type: "early-answer", at: "answer" }],
    { ...completed, retried: "" },
  ],
  [
    "reports a stream whose lease expires between messages",
    SECOND,
    [lease("request")],
    { ...expired, ended: "write", stored: 2 },
  ],
  [
    "reports a stream whose key is revoked between messages",
    SECOND,
    [revocation("request")],
    { ...notWritten, ...NO_KEY, stored: 2 },
  ],

  [
    "repeats a completion that is lost or whose answer is lost",
    COMPLETE,
    [...lost("request"), ...lost("answer"), ...statuses([8], "request")],
    { ...completed, retried: "CompleteSyncBatch" },
  ],
  ["reports a refused completion", COMPLETE, statuses(REFUSED, "request"), { ...notCompleted, ...PROTOCOL }],
  [
    "never guesses the outcome of a completion",
    COMPLETE,
    statuses(UNCLEAR, "request"),
    { ...notCompleted, ...UNKNOWN },
  ],
  [
    "never guesses the outcome of a completion that was done",
    COMPLETE,
    [...statuses(UNCLEAR, "answer"), OVERSIZED],
    { ...UNKNOWN, ended: "complete", batches: "completed", retried: "" },
  ],
  [
    "reports a completion that was done although the server was busy",
    COMPLETE,
    statuses([8], "answer"),
    { ended: "complete", error: "BATCH_STATE", batches: "completed", retried: "CompleteSyncBatch" },
  ],
  [
    "reports a completion without permission",
    COMPLETE,
    statuses([7], "request"),
    { ...notCompleted, ...DENIED },
  ],
  ["reports a completion with a refused key", COMPLETE, UNAUTHENTICATED, { ...notCompleted, ...NO_KEY }],
  [
    "reports a completion after the lease expired",
    COMPLETE,
    [lease("request")],
    { ...expired, ended: "complete" },
  ],
  [
    "reports a completion after the lock was stolen",
    COMPLETE,
    [stolenLock("request")],
    { ...stolen, ended: "complete" },
  ],

  [
    "repeats an abort that is lost or whose answer is lost",
    ABORT,
    [...lost("request"), ...lost("answer")],
    { ...aborted, retried: "AbortSyncBatch" },
  ],
  [
    "reports a refused abort",
    ABORT,
    statuses([...UNCLEAR, ...REFUSED], "request"),
    { ...notAborted, ...PROTOCOL },
  ],
  ["reports an abort with a refused key", ABORT, UNAUTHENTICATED, { ...notAborted, ...NO_KEY }],
  [
    "aborts after the lease expired",
    ABORT,
    [lease("request")],
    { ...aborted, batches: "expired", retried: "" },
  ],
  [
    "never releases the lock of another batch with an abort",
    ABORT,
    [stolenLock("request")],
    { ...aborted, batches: "expired active", locked: true, retried: "" },
  ],
];

const cases = rows.flatMap(([title, place, kinds, expected]) =>
  kinds.map((kind) => ({ title, kind, fault: { ...place, kind }, expected })),
);

test.each(cases)("$title: $fault.operation, $kind", async ({ fault, expected }) => {
  const program = await startProgram(fault);
  const outcome = await program.run(fault.operation === "AbortSyncBatch" ? "abort" : "complete");
  expect(outcome).toMatchObject({ ...expected, firings: 1 });
});
