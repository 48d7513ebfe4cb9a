import {
  type RunBatch,
  type RunOptions,
  type SnapshotCollection,
  type SyncProgress,
  TransportError,
} from "@saas-management/sdk";
import { memoryLedger } from "@saas-management/sdk/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { ofSnapshots } from "../support/adopted.js";
import type { RunFunction } from "../support/connector.js";
import { connectorOf } from "../support/connector.js";
import { quietLogger } from "../support/observed.js";
import { until } from "../support/promises.js";
import { accounts, testService } from "../support/test-service.js";

const LEASE_MS = 15 * 60_000;
const warnings: string[] = [];
const service = testService({ sync: { logger: quietLogger({ warn: (text) => void warnings.push(text) }) } });
beforeEach(() => {
  warnings.length = 0;
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
/** The operation fails until its retry is used up. */
const breakOnce = (
  operation: "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch",
  at: "request" | "answer" = "request",
) => void service.server.faults.add({ on: operation, times: 2, fault: "drop", at });

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

test.each<[string, RunFunction<"accounts">]>([
  ["a write", (batch) => void batch.write("accounts", accounts(2))],
  [
    "a writer",
    (batch) => {
      const writer = batch.writer("accounts");
      void writer.write(accounts(2));
      void writer.end();
    },
  ],
])("waits for %s that its function does not await", async (_, fn) => {
  const receipt = await run(["accounts"], fn);
  expect(receipt.collections.accounts).toMatchObject({ stats: { accepted: 2 } });
  expect(service.present()).toEqual(["u0", "u1"]);
});

test("aborts when its function throws, and rejects with the same exception", async () => {
  await run(["accounts"], (batch) => batch.write("accounts", accounts(3)));
  const broken = new Error("vendor API answered 500");
  let calls = 0;
  const failing = run(["accounts"], async (batch) => {
    calls += 1;
    await batch.write("accounts", accounts(1));
    throw broken;
  });
  await expect(failing).rejects.toBe(broken);
  expect(calls).toBe(1);
  expect(service.present()).toHaveLength(3);
  expect(service.inspect().lock).toBeNull();
  expect(service.states()).toEqual(["completed", "aborted"]);
});

test("is not started again because of an exception of the source, even if it is an SDK error", async () => {
  const own = new TransportError("the connector's own GraphQL request failed", { retryable: true });
  let calls = 0;
  const failing = run(["accounts"], async (batch) => {
    calls += 1;
    const source = async function* () {
      yield accounts(1);
      throw own;
    };
    await batch.write("accounts", source());
  });
  await expect(failing).rejects.toBe(own);
  expect(calls).toBe(1);
});

test("completes nothing if a snapshot could not be opened, even if the refusal is swallowed", async () => {
  const refused = run(["accounts"], (batch) => {
    expect(() => batch.writer("accounts", { expectedCount: Number.NaN })).toThrow();
  });
  await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(service.states()).toEqual(["aborted"]);
});

test("refuses a write after the run because the batch is completed", async () => {
  const batches: RunBatch<"accounts">[] = [];
  await run(["accounts"], async (batch) => {
    batches.push(batch);
    await batch.write("accounts", accounts(1));
  });
  await expect(batches[0]?.write("accounts", accounts(1))).rejects.toMatchObject({
    code: "BATCH_STATE",
    reason: "completed",
  });
});

test("gives its function no way to complete, abort or close the batch", async () => {
  await run(["accounts"], async (batch) => {
    await batch.write("accounts", []);
    for (const method of ["complete", "abort", "close"]) expect(method in batch).toBe(false);
  });
});

test.each([undefined, "accounts", [17], [undefined], ["seats"], ["accounts", "group_members"], ["usage"]])(
  "refuses the snapshots %j before it takes the lock",
  async (snapshots) => {
    const { installationId } = service;
    const options = { installationId, ledger: "none", snapshots };
    const refused: unknown = Reflect.apply(service.sync.run, service.sync, [options, () => {}]);
    await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(service.states()).toEqual([]);
  },
);

test.each([["installation"], [() => {}], [null]])("refuses %o instead of options", async (options) => {
  const refused: unknown = Reflect.apply(service.sync.run, service.sync, [options]);
  await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test("refuses a call without a function before it takes the lock", async () => {
  const { installationId } = service;
  const options = { installationId, ledger: "none", snapshots: [] };
  const refused: unknown = Reflect.apply(service.sync.run, service.sync, [options]);
  await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(service.states()).toEqual([]);
});

test("sends snapshots in full after a transient failure, and leaves accepted events out", async () => {
  const attempts: number[] = [];
  const receipt = await run(["accounts"], async (batch, { attempt }) => {
    attempts.push(attempt);
    await batch.write("usage", usage("e1", "e2"));
    await batch.write("externallyDiscoveredUsage", discovered("a", "a", "b"));
    if (attempt === 1) breakOnce("SyncRecords");
    await batch.write("accounts", accounts(4));
    await batch.write("externallyDiscoveredUsage", discovered("a"));
  });
  expect(attempts).toEqual([1, 2]);
  expect(receipt).toMatchObject({
    restarts: 1,
    collections: {
      accounts: { stats: { sent: 4 }, ...ofSnapshots({ reported: { added: 4 } }) },
      usage: { stats: { sent: 0, alreadyAccepted: 2 } },
      externallyDiscoveredUsage: { stats: { sent: 1, alreadyAccepted: 3 } },
    },
  });
  expect(service.present()).toHaveLength(4);
  // Equal observations are not duplicates.
  expect(service.inspect().snapshots.externallyDiscoveredUsage).toHaveLength(4);
  expect(service.states()).toEqual(["aborted", "completed"]);
});

test("starts again after a lost lease, when its function has returned", async () => {
  const ends: (() => void)[] = [];
  const attempts: number[] = [];
  const restarted = run(["accounts"], async (batch, { attempt }) => {
    attempts.push(attempt);
    if (attempt === 1) await new Promise<void>((resolve) => ends.push(resolve));
    else await batch.write("accounts", accounts(2));
  });
  restarted.catch(() => {});
  await until(() => ends.length === 1);
  service.clock.advance(LEASE_MS);
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(attempts).toEqual([1]);
  for (const end of ends) end();
  expect(await restarted).toMatchObject({ restarts: 1 });
  expect(attempts).toEqual([1, 2]);
  expect(service.states()).toEqual(["expired", "completed"]);
});

test.each([
  ["the answer is lost", { fault: "status", status: "UNAVAILABLE", at: "answer" }, 0],
  ["the lease ends before the answer", { fault: "stall", at: "answer" }, LEASE_MS],
] as const)(
  'does not send events without an id again with eventDelivery: "at-most-once" if %s',
  async (_, kind, ms) => {
    const client = service.syncClient({ timeoutMs: 60 * 60_000, retry: {}, eventDelivery: "at-most-once" });
    service.server.faults.add({ on: "SyncRecords", ...kind });
    const attempts: number[] = [];
    const connector = connectorOf([], async (batch, { attempt }) => {
      attempts.push(attempt);
      await batch.write("externallyDiscoveredUsage", discovered("a"));
    });
    const failing = client.run(connector, { installationId: service.installationId, ledger: "none" });
    failing.catch(() => {});
    await until(() => (service.inspect().snapshots.externallyDiscoveredUsage.length ?? 0) > 0);
    service.clock.advance(ms);
    await expect(failing).rejects.toMatchObject({ retryable: false });
    expect(attempts).toEqual([1]);
    expect(service.inspect().snapshots.externallyDiscoveredUsage).toHaveLength(1);
  },
);

test('starts again with eventDelivery: "at-most-once" if all events without an id were accepted', async () => {
  const client = service.syncClient({ eventDelivery: "at-most-once" });
  const connector = connectorOf(["accounts"], async (batch, { attempt }) => {
    await batch.write("externallyDiscoveredUsage", discovered("a"));
    if (attempt === 1) breakOnce("SyncRecords");
    await batch.write("accounts", accounts(2));
  });
  const receipt = await client.run(connector, { installationId: service.installationId, ledger: "none" });
  expect(receipt.restarts).toBe(1);
  expect(service.inspect().snapshots.externallyDiscoveredUsage).toHaveLength(1);
});

test("fails when its restarts are used up", async () => {
  let calls = 0;
  const failing = run(
    ["accounts"],
    async (batch) => {
      calls += 1;
      breakOnce("SyncRecords");
      await batch.write("accounts", accounts(2));
    },
    { restarts: 1 },
  );
  await expect(failing).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  expect(calls).toBe(2);
  expect(service.inspect().lock).toBeNull();
});

test("is not started again if the service refuses the records", async () => {
  let calls = 0;
  const kind = { fault: "status", status: "INVALID_ARGUMENT" } as const;
  service.server.faults.add({ on: "SyncRecords", ...kind });
  const failing = run(["accounts"], async (batch) => {
    calls += 1;
    await batch.write("accounts", accounts(2));
  });
  await expect(failing).rejects.toMatchObject({ code: "SYNC_PROTOCOL" });
  expect(calls).toBe(1);
});

test("succeeds without counts if the answer to the completion was lost and the service says it was done", async () => {
  breakOnce("CompleteSyncBatch", "answer");
  const receipt = await run(["accounts"], writeAccounts);
  expect(receipt).toMatchObject({ restarts: 0, collections: { accounts: { stats: { sent: 2 } } } });
  expect(receipt.collections.accounts?.reported).toBeUndefined();
  expect(service.states()).toEqual(["completed"]);
});

test("starts again if the completion never arrived", async () => {
  breakOnce("CompleteSyncBatch");
  expect(await run(["accounts"], writeAccounts)).toMatchObject({ restarts: 1 });
  expect(service.states()).toEqual(["aborted", "completed"]);
});

test("does not hide that a batch may have been completed if a later attempt fails", async () => {
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

  test("aborts it while the restart waits for the lock", async () => {
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

  test("reports that the lock may be its own, and what failed first", async () => {
    outage(4);
    await expect(run(["accounts"], writeAccounts)).rejects.toMatchObject({
      code: "BATCH_IN_PROGRESS",
      mayBeOwn: true,
      cause: { code: "TRANSPORT_FAILED" },
    });
    expect(service.states()).toEqual(["active"]);
  });

  test("reports until when the lock is held, and rejects with the first failure", async () => {
    breakOnce("AbortSyncBatch");
    const seen: SyncProgress[] = [];
    const broken = new Error("the connector's own");
    const failing = run(["accounts"], () => Promise.reject(broken), {
      onProgress: (progress) => seen.push(progress),
    });
    await expect(failing).rejects.toBe(broken);
    const failed = seen.find((progress) => progress.type === "abort-failed");
    expect(failed?.lockedUntil.getTime()).toBeLessThanOrEqual(
      service.inspect().lock?.expiresAt.getTime() ?? 0,
    );
    expect(failed?.lockedUntil.getTime()).toBeGreaterThan(service.clock.now());
  });
});

const reason = { why: "shutdown" };
const stop = (signal: NodeJS.Signals) => void process.emit(signal, signal);
/** What ends a run from outside: its options, the event, and the error. */
const endings: readonly (readonly [
  string,
  () => readonly [options: Partial<RunOptions>, end: () => void, error: object, states: string[]],
])[] = [
  [
    "the caller's signal",
    () => {
      const controller = new AbortController();
      return [{ signal: controller.signal }, () => controller.abort(reason), reason, ["aborted"]];
    },
  ],
  [
    "maxDurationMs",
    () => [
      { maxDurationMs: 60_000 },
      () => service.clock.advance(60_000),
      { code: "TIMEOUT", timeoutMs: 60_000 },
      ["aborted"],
    ],
  ],
  [
    "SIGTERM",
    () => [
      { stopOnSignals: true },
      () => stop("SIGTERM"),
      { code: "INTERRUPTED", signalName: "SIGTERM" },
      ["aborted"],
    ],
  ],
  ["its client's close", () => [{}, () => void service.sync.close(), { code: "CLOSED" }, ["active"]]],
  [
    "the end of its lease",
    () => [
      { restarts: 0 },
      () => service.clock.advance(LEASE_MS),
      { code: "BATCH_STATE", reason: "expired" },
      ["expired"],
    ],
  ],
];

test.each(endings)("is ended by %s, whatever its function waits for", async (_, ending) => {
  const [options, end, error, states] = ending();
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
  expect(service.states()).toEqual(states);
  expect(process.listenerCount("SIGTERM")).toBe(listeners);
});

describe("a run that listens for signals", () => {
  const listeners = () => [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
  const runs = (count: number, fn: RunFunction<"accounts">) =>
    Array.from({ length: count }, () =>
      run(["accounts"], fn, { stopOnSignals: true, installationId: service.server.createInstallation() }),
    );

  test("shares its handlers with all runs of the process, and the last one removes them", async () => {
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

  test("is aborted together with all others", async () => {
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

describe("a run that is ended while the answer to CompleteSyncBatch is missing", () => {
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
  const ways = endings.filter(([name]) => ["SIGTERM", "maxDurationMs"].includes(name));

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

  test("by the caller's signal rejects with its reason, and a warning tells the unknown outcome", async () => {
    const own = new TransportError("the caller's own", { retryable: true });
    const controller = new AbortController();
    const end = () => controller.abort(own);
    expect(await endOf({ signal: controller.signal }, end, "lost")).toBe(own);
    expect(warnings).toContainEqual(expect.stringContaining("its outcome is unknown"));
  });
});
