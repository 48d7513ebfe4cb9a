import type { Fault } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { accepted } from "../support/adopted.js";
import { type ProgramOutcome, startProgram } from "../support/fault-program.js";
import { type FaultKind, faultOn } from "../support/faults.js";

type At = "request" | "answer";
type Row = readonly [
  title: string,
  place: Pick<Fault, "on" | "message">,
  kinds: readonly FaultKind[],
  expected: Partial<ProgramOutcome>,
];

const START = { on: "StartSyncBatch" } as const;
const RECORDS = { on: "SyncRecords" } as const;
const FIRST = { ...RECORDS, message: 1 } as const;
const SECOND = { ...RECORDS, message: 2 } as const;
const COMPLETE = { on: "CompleteSyncBatch" } as const;
const ABORT = { on: "AbortSyncBatch" } as const;

const statuses = (names: readonly Extract<Fault, { fault: "status" }>["status"][], at: At): FaultKind[] =>
  names.map((status) => ({ fault: "status", status, at }));

/** A call or its answer is lost. */
const lost = (at: At): FaultKind[] => [
  { fault: "drop", at },
  { fault: "goaway", grace: false, at },
  { fault: "rst-stream", code: 7, at },
  ...statuses(["UNAVAILABLE"], at),
];
/** All ways in which it can be lost, for one operation: the others take the same path. */
const lostInAnyWay = (at: At): FaultKind[] => [
  ...lost(at),
  { fault: "reset", at },
  ...[2, 8, 11, 12].map((code): FaultKind => ({ fault: "rst-stream", code, at })),
  ...statuses(["CANCELLED", "DEADLINE_EXCEEDED"], at),
];
/** Statuses that do not tell what the server had done. */
const UNCLEAR = ["UNKNOWN", "INTERNAL", "DATA_LOSS"] as const;
const REFUSED = ["INVALID_ARGUMENT", "FAILED_PRECONDITION"] as const;

const lease = (at: At): FaultKind => ({ fault: "lease-expiry", at });
const stolenLock = (at: At): FaultKind => ({ fault: "lock-stolen", at });
const revocation = (at: At): FaultKind => ({ fault: "revoke-key", at });
const RETIRED: readonly FaultKind[] = [
  { fault: "goaway", at: "request" },
  { fault: "goaway", at: "answer" },
];
const OVERSIZED: FaultKind = { fault: "oversized-answer" };
const UNAUTHENTICATED = [...statuses(["UNAUTHENTICATED"], "request"), revocation("request")];

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
    [...lost("request"), ...statuses(["RESOURCE_EXHAUSTED"], "request")],
    { ...completed, retried: "StartSyncBatch" },
  ],
  [
    "repeats a start whose answer is lost and finds the lock held",
    START,
    lost("answer"),
    { ...ghost, ...IN_PROGRESS, retried: "StartSyncBatch" },
  ],
  ["starts after the old lease expired", START, [lease("request")], { ...completed, retried: "" }],
  [
    "reports a held lock",
    START,
    [...statuses(["ALREADY_EXISTS", "FAILED_PRECONDITION", "ABORTED"], "request")],
    { ...notStarted, ...IN_PROGRESS },
  ],
  ["reports a lock that was just taken", START, [stolenLock("request")], { ...ghost, ...IN_PROGRESS }],
  [
    "reports a refused start",
    START,
    statuses(["UNKNOWN", "INVALID_ARGUMENT", "UNIMPLEMENTED"], "request"),
    { ...notStarted, ...PROTOCOL },
  ],
  [
    "reports a start that is refused after it was done",
    START,
    [...statuses(["UNKNOWN", "INVALID_ARGUMENT", "UNIMPLEMENTED"], "answer"), OVERSIZED],
    { ...ghost, ...PROTOCOL },
  ],
  [
    "reports a start without permission",
    START,
    statuses(["PERMISSION_DENIED"], "request"),
    { ...notStarted, ...DENIED },
  ],
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
    [...lostInAnyWay("request"), ...lostInAnyWay("answer"), ...statuses(["RESOURCE_EXHAUSTED"], "answer")],
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
    [...statuses(["UNKNOWN", "INVALID_ARGUMENT"], "answer"), OVERSIZED],
    { ...notWritten, ...PROTOCOL, stored: 4 },
  ],
  [
    "reports a write without permission",
    RECORDS,
    statuses(["PERMISSION_DENIED"], "request"),
    { ...notWritten, ...DENIED },
  ],
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
    [{ fault: "early-answer", message: 1 }],
    { ...notWritten, ...PROTOCOL },
  ],
  [
    "reports a stream that is answered between messages",
    FIRST,
    [{ fault: "early-answer", message: 1, at: "answer" }],
    { ...notWritten, ...PROTOCOL, stored: 2 },
  ],
  [
    "accepts an early answer after the last message",
    SECOND,
    [{ fault: "early-answer", message: 1, at: "answer" }],
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
    [...lost("request"), ...lost("answer"), ...statuses(["RESOURCE_EXHAUSTED"], "request")],
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
    statuses(["RESOURCE_EXHAUSTED"], "answer"),
    { ended: "complete", error: "BATCH_STATE", batches: "completed", retried: "CompleteSyncBatch" },
  ],
  [
    "reports a completion without permission",
    COMPLETE,
    statuses(["PERMISSION_DENIED"], "request"),
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
  kinds.map((kind) => ({ title, kind, fault: faultOn(place, kind), expected })),
);

// Without a count, an early answer to messages that were all sent looks like any other.
const isTold = ({ kind }: (typeof cases)[number]) =>
  kind.fault !== "early-answer" || accepted(0) !== undefined;

test.each(cases.filter(isTold))("$title: $fault.on, $kind", async ({ fault, expected }) => {
  const program = await startProgram(fault);
  const outcome = await program.run(fault.on === "AbortSyncBatch" ? "abort" : "complete");
  expect(outcome).toMatchObject({ ...expected, fired: 1 });
});
