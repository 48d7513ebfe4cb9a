import type { Fault, SyncFault, SyncFaultKind, SyncOperation } from "@saas-management/sdk/reference-server";
import { describe, expect, test } from "vitest";
import { type ProgramOutcome, startProgram } from "../support/fault-program.js";

type Row = readonly [
  what: string,
  place: Pick<SyncFault, "operation" | "message">,
  kinds: readonly SyncFaultKind[],
  expected: Partial<ProgramOutcome>,
];

const START = { operation: "StartSyncBatch" } as const;
const RECORDS = { operation: "SyncRecords" } as const;
const COMPLETE = { operation: "CompleteSyncBatch" } as const;
const ABORT = { operation: "AbortSyncBatch" } as const;

/** NGHTTP2_INTERNAL_ERROR, REFUSED_STREAM, CANCEL, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY. */
const STREAM_RESETS = [2, 7, 8, 11, 12];
/** Of a server or a network that may do better the next time. */
const TRANSIENT = [1, 4, 14];
const OTHER_REFUSALS = [3, 5, 6, 9, 10, 11, 12];
/** They do not tell what the server had done when it broke down. */
const UNCLEAR = [2, 13, 15];

/** The answer, or the connection, is lost. */
const lost = (at: "request" | "answer"): SyncFaultKind[] => [
  { type: "drop", at },
  { type: "reset", at },
  { type: "goaway", grace: false, at },
  ...STREAM_RESETS.map((code): SyncFaultKind => ({ type: "rst-stream", code, at })),
  ...statuses(TRANSIENT, at),
];
const statuses = (codes: readonly number[], at: "request" | "answer"): SyncFaultKind[] =>
  codes.map((code) => ({ type: "grpc-status", code, at }));

const completed = {
  ended: "done",
  error: undefined,
  handle: "completed",
  batches: "completed",
  locked: false,
  stored: 4,
} satisfies Partial<ProgramOutcome>;
const aborted = { ...completed, handle: "aborted", batches: "aborted" };
/** The caller still has to abort: the lock is held. */
const held = { batches: "active", locked: true, retryable: false, retried: "" };
const notStarted = {
  ended: "start",
  handle: undefined,
  batches: "",
  locked: false,
  stored: 0,
  retried: "",
} as const;
/** The batch was started, and its id did not arrive. */
const ghost = { ...notStarted, batches: "active", locked: true };
const notWritten = { ...held, ended: "write", stored: 0 } as const;
const notCompleted = { ...held, ended: "complete", stored: 4 } as const;
const notAborted = { ...held, ended: "abort", handle: "aborting", stored: 4 } as const;
const expired = { error: "BATCH_STATE", retryable: false, batches: "expired", locked: false, retried: "" };
const stolen = { ...expired, batches: "expired active", locked: true };

const lease = (at: "request" | "answer"): SyncFaultKind => ({ type: "lease-expiry", at });
const thief = (at: "request" | "answer"): SyncFaultKind => ({ type: "lock-stolen", at });
const revocation = (at: "request" | "answer"): SyncFaultKind => ({ type: "revoke-key", at });
const retiring = (at: "request" | "answer"): SyncFaultKind => ({ type: "goaway", at });
const OVERSIZED: SyncFaultKind = { type: "oversized-answer" };

const starts: readonly Row[] = [
  [
    "is lost on the way there",
    START,
    [...lost("request"), ...statuses([8], "request")],
    { ...completed, retried: "StartSyncBatch" },
  ],
  [
    "comes over a connection that is being retired",
    START,
    [retiring("request"), retiring("answer")],
    { ...completed, retried: "" },
  ],
  ["finds the old batch's lease over", START, [lease("request")], { ...completed, retried: "" }],
  [
    "loses its answer",
    START,
    [...lost("answer"), ...statuses([8], "answer")],
    { ...ghost, error: "BATCH_IN_PROGRESS", retried: "StartSyncBatch" },
  ],
  [
    "is told of a held lock",
    START,
    statuses([6, 9, 10], "request"),
    { ...notStarted, error: "BATCH_IN_PROGRESS" },
  ],
  [
    "is refused otherwise",
    START,
    statuses([...UNCLEAR, 3, 5, 11, 12], "request"),
    { ...notStarted, error: "SYNC_PROTOCOL" },
  ],
  [
    "is refused after all was done",
    START,
    statuses([...UNCLEAR, 3, 5, 11, 12], "answer"),
    { ...ghost, error: "SYNC_PROTOCOL" },
  ],
  ["may not", START, statuses([7], "request"), { ...notStarted, error: "PERMISSION_DENIED" }],
  [
    "comes with a key that is refused",
    START,
    [...statuses([16], "request"), revocation("request")],
    { ...notStarted, error: "AUTHENTICATION_FAILED" },
  ],
  [
    "comes with a key that is revoked afterwards",
    START,
    [revocation("answer")],
    { ...notWritten, error: "AUTHENTICATION_FAILED" },
  ],
  ["finds the lock just taken", START, [thief("request")], { ...ghost, error: "BATCH_IN_PROGRESS" }],
  ["has its lease lost at once", START, [lease("answer")], { ...expired, ended: "write", stored: 0 }],
  ["has its lock stolen at once", START, [thief("answer")], { ...stolen, ended: "write", stored: 0 }],
  ["has an answer that is too large", START, [OVERSIZED], { ...ghost, error: "SYNC_PROTOCOL" }],
];

const writes: readonly Row[] = [
  [
    "is lost on the way there, or loses its answer",
    RECORDS,
    [...lost("request"), ...lost("answer"), ...statuses([8], "answer")],
    { ...completed, retried: "SyncRecords" },
  ],
  [
    "comes over a connection that is being retired",
    RECORDS,
    [retiring("request"), retiring("answer")],
    { ...completed, retried: "" },
  ],
  [
    "is refused",
    RECORDS,
    statuses([...UNCLEAR, ...OTHER_REFUSALS], "request"),
    { ...notWritten, error: "SYNC_PROTOCOL" },
  ],
  [
    "is refused after all was applied",
    RECORDS,
    statuses([...UNCLEAR, ...OTHER_REFUSALS], "answer"),
    { ...notWritten, error: "SYNC_PROTOCOL", stored: 4 },
  ],
  ["may not", RECORDS, statuses([7], "request"), { ...notWritten, error: "PERMISSION_DENIED" }],
  [
    "comes with a key that is refused",
    RECORDS,
    [...statuses([16], "request"), revocation("request")],
    { ...notWritten, error: "AUTHENTICATION_FAILED" },
  ],
  [
    "comes with a key that is revoked afterwards",
    RECORDS,
    [revocation("answer")],
    { ...notCompleted, error: "AUTHENTICATION_FAILED" },
  ],
  ["finds its lease over", RECORDS, [lease("request")], { ...expired, ended: "write", stored: 0 }],
  ["finds its lock stolen", RECORDS, [thief("request")], { ...stolen, ended: "write", stored: 0 }],
  ["has its lease lost afterwards", RECORDS, [lease("answer")], { ...expired, ended: "complete", stored: 4 }],
  ["has its lock stolen afterwards", RECORDS, [thief("answer")], { ...stolen, ended: "complete", stored: 4 }],
  [
    "has an answer that is too large",
    RECORDS,
    [OVERSIZED],
    { ...notWritten, error: "SYNC_PROTOCOL", stored: 4 },
  ],
];

const first = { ...RECORDS, message: 1 };
const second = { ...RECORDS, message: 2 };
const streams: readonly Row[] = [
  [
    "is lost before its first message is applied",
    first,
    lost("request"),
    { ...completed, retried: "SyncRecords" },
  ],
  ["is lost between its messages", first, lost("answer"), { ...completed, retried: "SyncRecords" }],
  [
    "is lost before its last message is applied",
    second,
    lost("request"),
    { ...completed, retried: "SyncRecords" },
  ],
  [
    "is lost after its last message was applied",
    second,
    lost("answer"),
    { ...completed, retried: "SyncRecords" },
  ],
  [
    "goes over a connection that is being retired",
    second,
    [retiring("request"), retiring("answer")],
    { ...completed, retried: "" },
  ],
  [
    "is refused between its messages",
    second,
    statuses(OTHER_REFUSALS, "request"),
    { ...notWritten, error: "SYNC_PROTOCOL", stored: 2 },
  ],
  [
    "is answered before its first message is applied",
    first,
    [{ type: "early-answer" }],
    { ...notWritten, error: "SYNC_PROTOCOL" },
  ],
  [
    "is answered between its messages",
    first,
    [{ type: "early-answer", at: "answer" }],
    { ...notWritten, error: "SYNC_PROTOCOL", stored: 2 },
  ],
  [
    "is answered when its last message was applied",
    second,
    [{ type: "early-answer", at: "answer" }],
    { ...completed, retried: "" },
  ],
  [
    "loses its lease between its messages",
    second,
    [lease("request")],
    { ...expired, ended: "write", stored: 2 },
  ],
  ["loses its lock between its messages", first, [thief("answer")], { ...stolen, ended: "write", stored: 2 }],
  [
    "has its key revoked between its messages",
    second,
    [revocation("request")],
    { ...notWritten, error: "AUTHENTICATION_FAILED", stored: 2 },
  ],
];

const completions: readonly Row[] = [
  [
    "is lost on the way there",
    COMPLETE,
    [...lost("request"), ...statuses([8], "request")],
    { ...completed, retried: "CompleteSyncBatch" },
  ],
  ["loses its answer", COMPLETE, lost("answer"), { ...completed, retried: "CompleteSyncBatch" }],
  [
    "comes over a connection that is being retired",
    COMPLETE,
    [retiring("request"), retiring("answer")],
    { ...completed, retried: "" },
  ],
  ["is refused", COMPLETE, statuses(OTHER_REFUSALS, "request"), { ...notCompleted, error: "SYNC_PROTOCOL" }],
  [
    "is answered by a server that broke down",
    COMPLETE,
    statuses(UNCLEAR, "request"),
    { ...notCompleted, error: "BATCH_OUTCOME_UNKNOWN", handle: "unknown" },
  ],
  [
    "is answered by a server that broke down afterwards",
    COMPLETE,
    [...statuses(UNCLEAR, "answer"), OVERSIZED],
    {
      ended: "complete",
      error: "BATCH_OUTCOME_UNKNOWN",
      handle: "unknown",
      batches: "completed",
      retried: "",
    },
  ],
  [
    "is refused for now, by a server that did it nevertheless",
    COMPLETE,
    statuses([8], "answer"),
    { ended: "complete", error: "BATCH_STATE", batches: "completed", retried: "CompleteSyncBatch" },
  ],
  ["may not", COMPLETE, statuses([7], "request"), { ...notCompleted, error: "PERMISSION_DENIED" }],
  [
    "comes with a key that is refused",
    COMPLETE,
    [...statuses([16], "request"), revocation("request")],
    { ...notCompleted, error: "AUTHENTICATION_FAILED" },
  ],
  ["finds its lease over", COMPLETE, [lease("request")], { ...expired, ended: "complete" }],
  ["finds its lock stolen", COMPLETE, [thief("request")], { ...stolen, ended: "complete" }],
  [
    "is followed by another batch",
    COMPLETE,
    [thief("answer")],
    { ...completed, batches: "completed active", locked: true },
  ],
];

const aborts: readonly Row[] = [
  [
    "is lost on the way there, or loses its answer",
    ABORT,
    [...lost("request"), ...lost("answer")],
    { ...aborted, retried: "AbortSyncBatch" },
  ],
  [
    "comes over a connection that is being retired",
    ABORT,
    [retiring("request"), retiring("answer")],
    { ...aborted, retried: "" },
  ],
  [
    "is refused",
    ABORT,
    statuses([...UNCLEAR, ...OTHER_REFUSALS], "request"),
    { ...notAborted, error: "SYNC_PROTOCOL" },
  ],
  [
    "comes with a key that is refused",
    ABORT,
    [...statuses([16], "request"), revocation("request")],
    { ...notAborted, error: "AUTHENTICATION_FAILED" },
  ],
  ["finds its lease over", ABORT, [lease("request")], { ...aborted, batches: "expired", retried: "" }],
  [
    "never touches the lock of the one who stole it",
    ABORT,
    [thief("request")],
    { ...aborted, batches: "expired active", locked: true, retried: "" },
  ],
  [
    "has an answer that is too large",
    ABORT,
    [OVERSIZED],
    { ended: "abort", error: "SYNC_PROTOCOL", batches: "aborted", locked: false },
  ],
];

const tables: readonly (readonly [string, readonly Row[]])[] = [
  ["a start that", starts],
  ["a write that", writes],
  ["a stream that", streams],
  ["a completion that", completions],
  ["an abort that", aborts],
];

describe.each(tables)("%s", (_, rows) => {
  const cases = rows.flatMap(([what, place, kinds, expected]) =>
    kinds.map((kind) => ({ what, kind: JSON.stringify(kind), fault: { ...place, kind }, expected })),
  );
  test.each(cases)("$what: $kind", async ({ fault, expected }) => {
    const program = await startProgram(fault);
    expect(await program.run(fault.operation === "AbortSyncBatch" ? "abort" : "complete")).toMatchObject({
      ...expected,
      firings: 1,
    });
    program.server.faults.assertFired();
  });
});

describe("a write of three windows has every record arrive once", () => {
  const windows = [1, 2, 3].flatMap((nth) =>
    (["request", "answer"] as const).flatMap((at) => lost(at).map((kind) => ({ nth, kind }))),
  );
  test.each(windows)("with window $nth struck by $kind", async ({ nth, kind }) => {
    const program = await startProgram(
      { ...RECORDS, nth, kind },
      { client: { windowBytes: 400 }, accounts: 6 },
    );
    expect(await program.run()).toMatchObject({
      ...completed,
      stored: 6,
      retried: "SyncRecords",
      firings: 1,
    });
  });
});

test("the tables hold every kind that takes no time, at every operation that it fits", () => {
  const seen = new Set(
    tables.flatMap(([, rows]) =>
      rows.flatMap(([, { operation }, kinds]) => kinds.map(({ type }) => `${operation} ${type}`)),
    ),
  );
  const everywhere = [
    "drop",
    "reset",
    "rst-stream",
    "goaway",
    "grpc-status",
    "oversized-answer",
    "lease-expiry",
    "lock-stolen",
    "revoke-key",
  ] satisfies Fault["kind"]["type"][];
  const operations = [
    "StartSyncBatch",
    "SyncRecords",
    "CompleteSyncBatch",
    "AbortSyncBatch",
  ] satisfies SyncOperation[];
  const expected = operations.flatMap((operation) => everywhere.map((type) => `${operation} ${type}`));
  expect([...seen].sort()).toEqual([...expected, "SyncRecords early-answer"].sort());
});
