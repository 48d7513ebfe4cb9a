import { join } from "node:path";
import {
  defineConnector,
  type RunOptions,
  type SnapshotCollection,
  type SyncProgress,
  TransportError,
} from "@saas-management/sdk";
import { memoryLedger } from "@saas-management/sdk/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { ofSnapshots } from "../support/adopted.js";
import type { RunFunction } from "../support/connector.js";
import { connectorOf, previewOf } from "../support/connector.js";
import { rejection } from "../support/http-client.js";
import { quietLogger } from "../support/observed.js";
import { until } from "../support/promises.js";
import { accounts, testService } from "../support/test-service.js";

const LEASE_MS = 15 * 60_000;
const warnings: string[] = [];
/** The calls to the service. */
const calls: string[] = [];
const service = testService({
  sync: {
    logger: quietLogger({ warn: (text) => void warnings.push(text) }),
    onEvent: ({ type, operation }) => void (type === "request" && calls.push(operation)),
  },
});
beforeEach(() => {
  warnings.length = 0;
  calls.length = 0;
});

const run = <const S extends SnapshotCollection>(
  snapshots: readonly S[],
  fn: RunFunction<S>,
  options: Partial<RunOptions> = {},
) => service.run(snapshots, fn, { ledger: "none", ...options });
const writeAccounts: RunFunction<"accounts"> = (batch) => batch.write("accounts", accounts(2));
const usage = (...ids: string[]) =>
  ids.map((id) => ({ id, sourceActorId: "u0", lastActivity: new Date("2026-01-01T00:00:00Z") }));
const discovered = (...actors: string[]) =>
  actors.map((sourceActorId) => ({ sourceActorId, lastActivity: new Date("2026-01-01T00:00:00Z") }));
type Operation = "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch";
/** The operation fails, from its nth call on, until its retry is used up. */
const breakOnce = (on: Operation, at: "request" | "answer" = "request", nth = 1) =>
  void service.server.faults.add({ on, times: 2, fault: "drop", at, nth });

test("completes when its function returns, and returns a receipt", async () => {
  const receipt = await run(["accounts"], async (batch) => {
    await batch.write("accounts", accounts(3));
    await batch.write("usage", usage("e1"));
    await batch.write("usage", usage("e2"));
  });
  expect(receipt).toMatchObject({
    batchId: service.inspect().batches[0]?.id,
    restarts: 0,
    waitedForLockMs: 0,
    collections: {
      accounts: {
        stats: { sent: 3, accepted: 3, windows: 1, retries: 0 },
        ...ofSnapshots({ reported: { added: 3, updated: 0, removed: 0 } }),
      },
      usage: { stats: { sent: 2, accepted: 2, alreadyAccepted: 0 } },
    },
  });
  expect(receipt.durationMs).toBeGreaterThan(0);
  expect(service.states()).toEqual(["completed"]);
});

test("reports that it extracts, judges, starts, sends and completes, in this order", async () => {
  const seen: SyncProgress[] = [];
  const options = { ledger: memoryLedger(), onProgress: (event: SyncProgress) => void seen.push(event) };
  const { batchId } = await run(["accounts"], writeAccounts, options);
  const figures = { collection: "accounts", bytes: expect.any(Number) };
  expect(seen).toEqual([
    { type: "extracting", ...figures, records: 0, total: undefined },
    { type: "extracting", ...figures, records: 2, total: undefined },
    expect.objectContaining({ type: "judged", collection: "accounts", held: false }),
    { type: "started", attempt: 1, batchId },
    { type: "sending", ...figures, records: 0, total: 2 },
    { type: "sending", ...figures, records: 2, total: 2 },
    { type: "completed", attempt: 1, batchId },
  ]);
});

const own = new TransportError("the connector's own request failed", { retryable: true });
async function* brokenSource() {
  yield accounts(1);
  throw own;
}
const controllers: AbortController[] = [];
const refusals: readonly (readonly [string, object, RunFunction<"accounts" | "plans">])[] = [
  [
    "its connector throws",
    own,
    async (batch) => {
      await batch.write("plans", []);
      throw own;
    },
  ],
  ["a source throws", own, (batch) => batch.write("accounts", brokenSource())],
  [
    "a record is invalid",
    { code: "INVALID_INPUT", message: expect.stringContaining("Nothing was sent.") },
    (batch) => batch.write("accounts", [...accounts(2), { id: "" }]),
  ],
  [
    "the refusal of a write is swallowed",
    { code: "BATCH_STATE", reason: "incomplete" },
    async (batch) => {
      await batch.write("plans", []);
      await batch.write("accounts", accounts(1), { expectedCount: 2 }).catch(() => {});
    },
  ],
  [
    "a snapshot could not be opened",
    { code: "BATCH_STATE", reason: "incomplete", cause: { code: "INVALID_INPUT" } },
    (batch) => expect(() => batch.writer("accounts", { expectedCount: Number.NaN })).toThrow(),
  ],
  [
    "a writer has not ended",
    { code: "BATCH_STATE", message: expect.stringContaining("the writer of accounts has not ended") },
    (batch) => batch.writer("accounts").write(accounts(1)),
  ],
  [
    "a declared snapshot is missing",
    { code: "INVALID_INPUT", message: expect.stringContaining("did not write plans") },
    writeAccounts,
  ],
  [
    "its signal fires while it reads",
    { why: "shutdown" },
    async (batch) => {
      await batch.write("plans", []);
      for (const controller of controllers) controller.abort({ why: "shutdown" });
      await batch.write("accounts", accounts(1));
    },
  ],
];

test.each(refusals)("sends nothing, not even a start, if %s", async (name, error, fn) => {
  const controller = new AbortController();
  controllers.splice(0, 1, controller);
  let times = 0;
  const counted: typeof fn = (...given) => {
    times += 1;
    return fn(...given);
  };
  const refused = run(["accounts", "plans"], counted, { signal: controller.signal });
  if (error === own) await expect(refused).rejects.toBe(own);
  else await expect(refused).rejects.toMatchObject(error);
  expect(times).toBe(1);
  expect(calls).toEqual([]);
  // A preview ends in the same way, except that it lists an invalid record.
  if (name === "a record is invalid") return;
  const stop = new AbortController();
  controllers.splice(0, 1, stop);
  const previewed = previewOf(["accounts", "plans"], fn, { signal: stop.signal });
  if (error === own) await expect(previewed).rejects.toBe(own);
  else await expect(previewed).rejects.toMatchObject(error);
});

test("sends nothing if its temporary folder is missing", async () => {
  const directory = join(service.directory, "missing");
  const refused = run(["accounts"], writeAccounts, { spool: { directory, memoryBytes: 0 } });
  await expect(refused).rejects.toMatchObject({
    code: "SPOOL_FAILED",
    directory,
    bytesNeeded: expect.any(Number),
    retryable: false,
    message: expect.stringMatching(/ENOENT.*Create that directory, or set spool\.directory \(sync\.spool/),
  });
  expect(calls).toEqual([]);
});

test("sends the records that it stored in a temporary file, and leaves nothing in the folder", async () => {
  const { directory } = service;
  const client = service.syncClient({ messageBytes: 1000 });
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(100)));
  const receipt = await client.run(connector, {
    installationId: service.installationId,
    ledger: "none",
    spool: { directory, memoryBytes: 2000 },
  });
  expect(receipt.collections.accounts?.stats).toMatchObject({ accepted: 100 });
  expect(service.present()).toHaveLength(100);
  expect(await service.files()).toEqual([]);
});

test("holds no lease while it waits for a slow source", async () => {
  const seen: string[] = [];
  const receipt = await run(
    ["accounts"],
    async (batch) => {
      service.clock.advance(2 * LEASE_MS);
      await batch.write("accounts", accounts(2));
      service.clock.advance(2 * LEASE_MS);
    },
    { onProgress: ({ type }) => void seen.push(type) },
  );
  expect(receipt.restarts).toBe(0);
  expect(seen).not.toContain("lease-warning");
  expect(service.states()).toEqual(["completed"]);
});

test("refuses an option of the run in the connector", async () => {
  const connector = { ...defineConnector({ snapshots: ["accounts"], run: async () => {} }), firstRun: true };
  await expect(service.client().sync.run(connector)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: "firstRun is an option of run: pass it in the second argument, not in the connector.",
  });
});

test("gives the connector no way to complete, abort or close a batch", async () => {
  await run(["accounts"], async (batch) => {
    await batch.write("accounts", []);
    for (const name of ["complete", "abort", "close", "id", "lease"]) expect(name in batch).toBe(false);
  });
});

test.each([
  ...[undefined, "accounts", [17], [undefined], ["seats"], ["accounts", "group_members"], ["usage"]].map(
    (snapshots) => ({ snapshots, run: async () => {} }),
  ),
  { snapshots: [] },
  "installation",
  () => {},
  null,
])("refuses %o instead of a connector", async (connector) => {
  const { installationId } = service;
  const options = { installationId, ledger: "none" };
  const refused: unknown = Reflect.apply(service.sync.run, service.sync, [connector, options]);
  await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(calls).toEqual([]);
});

describe("after a transient failure", () => {
  /** The fault, the states of the run's batches, and how many observations and events the last batch leaves out. */
  const strikes: readonly (readonly [string, () => void, string[], leftOut: number[]])[] = [
    ["the first records", () => breakOnce("SyncRecords"), ["aborted", "completed"], [0, 0]],
    ["later events", () => breakOnce("SyncRecords", "answer", 3), ["aborted", "completed"], [3, 0]],
    ["the snapshot", () => breakOnce("SyncRecords", "request", 4), ["aborted", "completed"], [3, 2]],
    ["the snapshot's answer", () => breakOnce("SyncRecords", "answer", 4), ["aborted", "completed"], [3, 2]],
    ["the completion", () => breakOnce("CompleteSyncBatch"), ["aborted", "completed"], [3, 2]],
    ["the answer to the completion", () => breakOnce("CompleteSyncBatch", "answer"), ["completed"], [0, 0]],
  ];

  test.each(strikes)(
    "of %s, sends snapshots in full without accepted events, and does not call its connector again",
    async (_, strike, states, [observations = 0, events = 0]) => {
      strike();
      let times = 0;
      const receipt = await run(["accounts"], async (batch) => {
        times += 1;
        await batch.write("externallyDiscoveredUsage", discovered("a", "a"));
        await batch.write("usage", usage("e1", "e2"));
        await batch.write("externallyDiscoveredUsage", discovered("a"));
        await batch.write("accounts", accounts(4));
      });
      expect(times).toBe(1);
      expect(receipt).toMatchObject({
        restarts: states.length - 1,
        collections: {
          accounts: { stats: { sent: 4, accepted: 4 } },
          usage: { stats: { sent: 2 - events, alreadyAccepted: events } },
          externallyDiscoveredUsage: { stats: { sent: 3 - observations, alreadyAccepted: observations } },
        },
      });
      const { snapshots } = service.inspect();
      expect(service.present()).toHaveLength(4);
      expect(snapshots.usage).toHaveLength(2);
      // Equal observations are not duplicates.
      expect(snapshots.externallyDiscoveredUsage).toHaveLength(3);
      expect(service.states()).toEqual(states);
    },
  );

  test("fails at once with retryForMs: 0", async () => {
    service.server.faults.add({ on: "SyncRecords", times: 2, fault: "drop" });
    const failing = run(["accounts"], writeAccounts, { retryForMs: 0 });
    await expect(failing).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
    expect(service.states()).toEqual(["aborted"]);
  });
});

test("reports that a batch may have been completed even if a later attempt fails", async () => {
  breakOnce("CompleteSyncBatch", "answer");
  breakOnce("AbortSyncBatch");
  const kind = { fault: "status", status: "UNAUTHENTICATED" } as const;
  service.server.faults.add({ on: "StartSyncBatch", nth: 2, ...kind });
  const error: unknown = await run(["accounts"], writeAccounts).catch((thrown: unknown) => thrown);
  const [batch] = service.inspect().batches;
  expect(batch?.state).toBe("completed");
  expect(error).toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
    batchId: batch?.id,
    cause: { code: "AUTHENTICATION_FAILED" },
  });
});

describe("a run whose batch cannot be aborted in a short outage", () => {
  const outage = (aborts: number) => {
    const { faults } = service.server;
    const kind = { fault: "status", status: "UNAVAILABLE" } as const;
    faults.add({ on: "SyncRecords", times: 2, ...kind });
    faults.add({ on: "AbortSyncBatch", times: aborts, ...kind });
  };

  test.each(["none", "memory"])("aborts it before it starts again (ledger: %s)", async (kind) => {
    outage(2);
    const ledger = kind === "none" ? kind : memoryLedger();
    expect(await run(["accounts"], writeAccounts, { ledger })).toMatchObject({
      restarts: 1,
      waitedForLockMs: 0,
    });
    expect(service.states()).toEqual(["aborted", "completed"]);
  });

  test("aborts the old batch while the restart waits for the lock", async () => {
    outage(4);
    const seen: string[] = [];
    const onProgress = ({ type }: SyncProgress) => void seen.push(type);
    const restarted = run(["accounts"], writeAccounts, { waitForLockMs: 5000, onProgress });
    restarted.catch(() => {});
    await until(() => seen.includes("waiting-for-lock") && service.states()[0] === "aborted");
    service.clock.advance(5000);
    expect(await restarted).toMatchObject({ restarts: 1 });
    expect(service.states()).toEqual(["aborted", "completed"]);
  });

  test("waits until its own lock can be released, with the default waitForLockMs", async () => {
    outage(8);
    const running = run(["accounts"], writeAccounts);
    expect(await service.clock.drive(running)).toMatchObject({ restarts: 4, waitedForLockMs: 0 });
    expect(service.states()).toEqual(["aborted", "completed"]);
  });

  // With time left, the run tries again, because the abort that failed in the outage releases the lock.
  test("reports after retryForMs that the lock may be its own, and what failed first", async () => {
    outage(99);
    const running = run(["accounts"], writeAccounts, { retryForMs: 20_000 });
    await expect(service.clock.drive(running)).rejects.toMatchObject({
      code: "BATCH_IN_PROGRESS",
      mayBeOwn: true,
      cause: { code: "TRANSPORT_FAILED" },
    });
    expect(service.states()).toEqual(["active"]);
  });

  test("reports until when the lock is held, and rejects with the first failure", async () => {
    breakOnce("AbortSyncBatch");
    service.server.faults.add({ on: "SyncRecords", fault: "status", status: "INVALID_ARGUMENT" });
    const seen: SyncProgress[] = [];
    const failing = run(["accounts"], writeAccounts, { onProgress: (progress) => seen.push(progress) });
    await expect(failing).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
    const failed = seen.find((progress) => progress.type === "abort-failed");
    expect(failed?.lockedUntil.getTime()).toBeLessThanOrEqual(
      service.inspect().lock?.expiresAt.getTime() ?? 0,
    );
    expect(failed?.lockedUntil.getTime()).toBeGreaterThan(service.clock.now());
  });
});

const reason = { why: "shutdown" };
const stop = (signal: NodeJS.Signals) => void process.emit(signal, signal);
/** What ends a run from outside: its options, the event, the error, and the state of a batch that is open. */
const endings: readonly (readonly [
  string,
  () => readonly [options: Partial<RunOptions>, end: () => void, error: object, state: string],
])[] = [
  [
    "the caller's signal",
    () => {
      const controller = new AbortController();
      return [{ signal: controller.signal }, () => controller.abort(reason), reason, "aborted"];
    },
  ],
  [
    "SIGTERM",
    () => [
      { stopOnSignals: true },
      () => stop("SIGTERM"),
      { code: "INTERRUPTED", signalName: "SIGTERM" },
      "aborted",
    ],
  ],
  ["its client's close", () => [{}, () => void service.sync.close(), { code: "CLOSED" }, "aborted"]],
];

test.each(endings)("ends on %s, whatever its function waits for", async (_, ending) => {
  const [options, end, error] = ending();
  const listeners = process.listenerCount("SIGTERM");
  let isWriting = false;
  const ended = run(
    ["accounts"],
    () => {
      isWriting = true;
      return new Promise<void>(() => {});
    },
    options,
  );
  ended.catch(() => {});
  await until(() => isWriting);
  end();
  await expect(ended).rejects.toMatchObject(error);
  expect(calls).toEqual([]);
  expect(process.listenerCount("SIGTERM")).toBe(listeners);
});

test.each(endings)("ends on %s while it sends", async (_, ending) => {
  const [options, end, error, state] = ending();
  const stall = service.server.faults.add({ on: "SyncRecords", fault: "stall" });
  const ended = run(["accounts"], writeAccounts, options);
  ended.catch(() => {});
  await until(() => stall.fired > 0);
  end();
  await expect(ended).rejects.toMatchObject(error);
  expect(service.states()).toEqual([state]);
});

describe("a run that listens for signals", () => {
  const listeners = () => [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
  const runs = (count: number, fn: RunFunction<"accounts">) =>
    Array.from({ length: count }, () =>
      run(["accounts"], fn, { stopOnSignals: true, installationId: service.server.createInstallation() }),
    );

  test("shares its signal handlers with all runs of the process, the last of which removes them", async () => {
    const before = listeners();
    const during: number[][] = [];
    await Promise.all(
      runs(12, async (batch) => {
        await batch.write("accounts", accounts(1));
        during.push(listeners());
      }),
    );
    expect(during).toEqual(Array(12).fill(before.map((count) => count + 1)));
    expect(listeners()).toEqual(before);
  });

  test("is aborted together with all the others", async () => {
    let writing = 0;
    const ended = Promise.allSettled(
      runs(2, () => {
        writing += 1;
        return new Promise(() => {});
      }),
    );
    await until(() => writing === 2);
    stop("SIGINT");
    const closed = { status: "rejected", reason: expect.objectContaining({ code: "INTERRUPTED" }) };
    expect(await ended).toEqual([closed, closed]);
  });
});

describe("a run that ends before the answer to CompleteSyncBatch", () => {
  /** The run's result. */
  const endOf = async (options: Partial<RunOptions>, end: () => void, abort: "answered" | "lost") => {
    const { faults } = service.server;
    const kind = { fault: "stall", at: "answer" } as const;
    const stall = faults.add({ on: "CompleteSyncBatch", ...kind });
    if (abort === "lost") faults.add({ on: "AbortSyncBatch", times: 20, fault: "drop" });
    const ended = run(["accounts"], writeAccounts, options).catch((error: unknown) => error);
    await until(() => stall.fired > 0 && service.states()[0] === "completed");
    end();
    service.clock.advance(100_000);
    return ended;
  };
  const ways = endings.filter(([name]) => name === "SIGTERM");

  test.each(ways)("by %s rejects with an unknown outcome and its cause", async (_, ending) => {
    const [options, end, cause] = ending();
    expect(await endOf(options, end, "lost")).toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      batchId: service.inspect().batches[0]?.id,
      cause,
    });
  });

  test.each(ways)("by %s succeeds if the service says that the batch is completed", async (_, ending) => {
    const [options, end] = ending();
    expect(await endOf(options, end, "answered")).toMatchObject({
      restarts: 0,
      collections: { accounts: { stats: { sent: 2 } } },
    });
  });

  test("by its client's close rejects with an unknown outcome and its cause", async () => {
    expect(await endOf({}, () => void service.sync.close(), "answered")).toMatchObject({
      code: "BATCH_OUTCOME_UNKNOWN",
      cause: { code: "CLOSED" },
    });
  });

  test("by the caller's signal rejects with its reason, and logs a warning about the unknown outcome", async () => {
    const own = new TransportError("the caller's own", { retryable: true });
    const controller = new AbortController();
    const end = () => controller.abort(own);
    expect(await endOf({ signal: controller.signal }, end, "lost")).toBe(own);
    expect(warnings).toContainEqual(expect.stringContaining("its outcome is unknown"));
  });
});

test("logs the beginning and the end of a run once: as completed, as held with its figures, or as failed", async () => {
  const { installationId } = service;
  const lines: unknown[] = [];
  const note = (level: string) => (message: string, details?: object) => {
    if (message.startsWith("saas-management: run "))
      lines.push({ level, message: message.slice(17), ...details });
  };
  const logger = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const sync = service.syncClient({ logger });
  const options = { installationId, ledger: memoryLedger() };
  const writing = (count: number) =>
    connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(count)));
  await sync.run(writing(40), { ...options, firstRun: true });
  await rejection(sync.run(writing(10), options));
  const failure = new Error("my vendor is down");
  await rejection(
    sync.run(
      connectorOf(["accounts"], () => Promise.reject(failure)),
      options,
    ),
  );
  const started = { level: "info", message: "run started", installationId };
  const reasons = [{ collection: "accounts", rule: "removed", known: 40, sent: 10, added: 0, removed: 30 }];
  expect(lines).toEqual([
    started,
    expect.objectContaining({
      level: "info",
      message: "run completed",
      installationId,
      restarts: 0,
      records: 40,
    }),
    started,
    { level: "warn", message: "run held", installationId, reasons },
    started,
    { level: "error", message: "run failed", installationId, error: failure },
  ]);
});
