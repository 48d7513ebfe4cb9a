import { readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileLedger, type Store, type SyncProgress, storeLedger } from "@saas-management/sdk";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { Journal } from "../../../src/runs/ledger/journal.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { connectorOf } from "../../support/connector.js";
import { editFields, editTime, fieldsOf } from "../../support/ledger-values.js";
import { quietLogger } from "../../support/observed.js";
import { rejection, until } from "../../support/promises.js";
import { isPutOf, watchedStore } from "../../support/stores.js";
import { accounts, ids, testService } from "../../support/test-service.js";

const MINUTE_MS = 60_000;
const logged: (readonly [string, object | undefined])[] = [];
const log = (...line: readonly [string, object?]) => void logged.push([line[0], line[1]]);
const service = testService({ sync: { logger: quietLogger({ info: log, warn: log }), retry: false } });
beforeEach(() => {
  logged.length = 0;
});

const entries = () => service.journal();
/** Does something while a run's batch is open. The run's ids are saved only afterwards. */
const during = (meanwhile: () => Promise<void>, below: Store = new FileStore(service.directory)) =>
  storeLedger(
    watchedStore(below, async (call, go) => {
      if (isPutOf("ids")(call)) await meanwhile();
      return go();
    }),
  );
const run = (meanwhile: () => Promise<void> = async () => {}) =>
  service.runAccounts(ids(1), { ledger: during(meanwhile) });
const heartbeatOf = (path: string) => Number(path.split(".").at(-3));

function otherJournal() {
  const { clock, installationId, server } = service;
  const endpoint = new URL(server.syncUrl).origin;
  const ledger = openLedger(fileLedger(service.directory), { endpoint, installationId });
  const call = { abort: async () => {}, ended: new AbortController().signal };
  return new Journal(ledger, { clock, logger: quietLogger({}) }, call);
}

/** Starts a batch with another process's entry, whose last heartbeat was this long ago. */
async function orphan(ageMs: number, owner: object = { host: "another" }): Promise<string> {
  const { id } = await service.startBatch();
  const journal = otherJournal();
  await journal.opened(id);
  await journal.ended(id, { error: undefined });
  const [path = ""] = await entries();
  await editFields(path, owner);
  return age(path, ageMs);
}

/** Makes an entry's last heartbeat this old; returns the entry's path. */
const age = (path: string, ms: number) => editTime(path, service.clock.now() - ms);

test("aborts the batch of another machine after 10 seconds without a heartbeat, and not before", async () => {
  const path = await orphan(5000);
  await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(service.states()).toEqual(["active"]);
  await age(path, 10_000);
  const { waitedForLockMs } = await run();
  expect(waitedForLockMs).toBe(0);
  expect(service.states()).toEqual(["aborted", "completed"]);
  expect(await entries()).toEqual([]);
  const [aborted] = service.inspect().batches;
  expect(logged).toContainEqual([
    expect.stringContaining("aborted the batch of a dead process"),
    { batchId: aborted?.id, batchState: "aborted" },
  ]);
});

test("records heartbeats that a later run understands, even with a clock that has fractions of milliseconds", async () => {
  const clock = { now: () => service.clock.now() + 0.5 };
  let noted: readonly string[] = [];
  const ledger = during(async () => {
    noted = await entries();
  });
  const { installationId } = service;
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(1)));
  await service.syncClient({ clock }).run(connector, { installationId, ledger, firstRun: true });
  expect(noted).toEqual([expect.stringMatching(/\/journal\.\d+\.[0-9a-f]{12}\.batch$/)]);
});

const GONE = 2 ** 22 + 1;
test.runIf(process.platform === "linux").each([
  ["aborts at once a batch of a process that is gone", {}, ["aborted", "completed"]],
  ["waits for the heartbeat if the process id is of another host", { host: "another" }, ["active"]],
  ["waits for the heartbeat if the process id is of an earlier boot", { bootId: "earlier" }, ["active"]],
  ["waits for the heartbeat if the process lives", { pid: process.pid }, ["active"]],
])("%s", async (_, owner, states) => {
  await orphan(0, { pid: GONE, ...owner });
  await run().catch(() => {});
  expect(service.states()).toEqual(states);
});

test.runIf(process.platform === "linux").each([
  ["16 minutes ahead", 16 * MINUTE_MS],
  ["a day ahead", 24 * 60 * MINUTE_MS],
  ["an hour behind", -60 * MINUTE_MS],
  ["two years behind", -2 * 365 * 24 * 60 * MINUTE_MS],
])("aborts the batch of a dead process at once, even if the clock is %s now", async (_, ageMs) => {
  await orphan(ageMs, { pid: GONE });
  await run();
  expect(service.states()).toEqual(["aborted", "completed"]);
  expect(await entries()).toEqual([]);
});

test("looks for orphans again while the run waits for the lock", async () => {
  await orphan(0);
  let waitedMs = 0;
  const { waitedForLockMs } = await service.runAccounts(ids(1), {
    waitForLockMs: 10 * MINUTE_MS,
    onProgress: async (progress) => {
      if (progress.type !== "waiting-for-lock") return;
      if (waitedMs >= 10_000) await until(() => service.states()[0] === "aborted");
      // Lets the journal read its entries first, because its limit of 5 seconds is on the same clock.
      for (let i = 0; i < 60; i += 1) await entries();
      waitedMs += progress.nextAttemptMs;
      service.clock.advance(progress.nextAttemptMs);
    },
  });
  expect(waitedForLockMs).toBeGreaterThan(0);
  expect(service.states()).toEqual(["aborted", "completed"]);
});

test("looks for orphans once more when the waiting time is over", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  await orphan(0);
  // Attempts after 0, 0.5, 1.5, 3.5, 7.5 and 15 seconds: only at the last one is the heartbeat old enough.
  const onProgress = async (progress: SyncProgress) => {
    if (progress.type !== "waiting-for-lock") return;
    for (let i = 0; i < 60; i += 1) await entries();
    service.clock.advance(progress.nextAttemptMs);
  };
  await service.runAccounts(ids(1), { waitForLockMs: 15_000, onProgress });
  expect(service.states()).toEqual(["aborted", "completed"]);
});

test("renews the heartbeat while the batch is open", async () => {
  await run(async () => {
    const newest = async () => Math.max(...(await entries()).map(heartbeatOf));
    const before = await newest();
    service.clock.advance(MINUTE_MS);
    await until(async () => (await newest()) >= before + MINUTE_MS);
    await until(async () => (await entries()).length === 1);
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  });
  expect(service.states()).toEqual(["completed"]);
  expect(await entries()).toEqual([]);
});

test("never mistakes a run of the same process for an orphan, even if its heartbeat is late", async () => {
  await run(async () => {
    const [path = ""] = await entries();
    await age(path, MINUTE_MS);
    await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  });
  expect(service.states()).toEqual(["completed"]);
});

test("warns a run whose entry another process removed", async () => {
  await run(async () => {
    const [path = ""] = await entries();
    await rm(path);
    service.clock.advance(5000);
    await until(() => logged.some(([message]) => message.includes("took this run for dead")));
  });
});

test("every ledger keeps a journal", async () => {
  const store = memoryStore();
  const keys = async () => {
    const found: string[] = [];
    for await (const key of store.list("")) if (key.includes("/journal.")) found.push(key);
    return found;
  };
  const ledger = during(async () => {
    expect(await keys()).toHaveLength(1);
    failAbort();
    throw new Error("the store failed");
  }, store);
  const lost = service.runAccounts(ids(1), { ledger });
  await expect(lost).rejects.toMatchObject({ cause: { message: "the store failed" } });
  expect(service.states()).toEqual(["active"]);
  await service.runAccounts(ids(1), { ledger: storeLedger(store) });
  expect(service.states()).toEqual(["aborted", "completed"]);
  expect(await keys()).toEqual([]);
});

test.runIf(process.platform !== "win32")(
  "writes private entries without the key, and leaves none after the run",
  async () => {
    await run(async () => {
      const [path = "", ...others] = await entries();
      expect(others).toEqual([]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
      const text = await readFile(path, "utf8");
      expect(fieldsOf(text)).toMatchObject({ host: hostname(), pid: process.pid });
      expect(text).not.toContain(service.server.apiKey);
    });
    expect(await entries()).toEqual([]);
  },
);

const failAbort = () => service.server.faults.add({ on: "AbortSyncBatch", fault: "drop" });

test("keeps an orphan that cannot be aborted, for the next run", async () => {
  await orphan(10_000);
  failAbort();
  await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(await entries()).toHaveLength(1);
  await run();
  expect(service.states()).toEqual(["aborted", "completed"]);
});

test.each([
  ["completed", "FAILED_PRECONDITION", { "batch-state": "completed" }],
  ["unknown", "NOT_FOUND", {}],
] as const)(
  "reports the state %s of an orphan that had already ended",
  async (batchState, status, trailers) => {
    const path = await orphan(0);
    const [ended] = service.inspect().batches;
    service.clock.advance(15 * MINUTE_MS);
    await age(path, 10_000);
    service.server.faults.add({ on: "AbortSyncBatch", fault: "status", status, trailers });
    await run();
    expect(logged).toContainEqual([expect.any(String), { batchId: ended?.id, batchState }]);
    expect(await entries()).toEqual([]);
  },
);

test("removes an entry whose lease is over, and aborts nothing", async () => {
  await orphan(16 * MINUTE_MS);
  await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(service.states()).toEqual(["active"]);
  expect(await entries()).toEqual([]);
});

test("leaves the batches of other installations alone", async () => {
  await orphan(10_000);
  const installationId = service.server.createInstallation();
  await service.runAccounts(ids(1), { installationId });
  expect(service.states()).toEqual(["active"]);
  expect(await entries()).toHaveLength(1);
});

test("never aborts a batch without an entry", async () => {
  await service.startBatch();
  await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(service.states()).toEqual(["active"]);
});

test.each<[string, (path: string) => Promise<void>]>([
  [
    "names another batch",
    async (path) => writeFile(path, (await readFile(path, "utf8")).replace(/"batchId":"./, '"batchId":"x')),
  ],
  ["is truncated", async (path) => writeFile(path, (await readFile(path, "utf8")).slice(0, 80))],
  ["is empty", (path) => writeFile(path, "")],
  [
    "is a link",
    async (path) => {
      const elsewhere = join(service.directory, "elsewhere.json");
      await writeFile(elsewhere, await readFile(path));
      await rm(path);
      await symlink(elsewhere, path);
    },
  ],
])("ignores an entry that %s, and warns", async (_, damage) => {
  const path = await orphan(10_000);
  await damage(path);
  await expect(run()).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(service.states()).toEqual(["active"]);
  expect(logged).toContainEqual([
    expect.stringContaining("unusable journal entry"),
    expect.objectContaining({ key: expect.stringContaining(basename(path)) }),
  ]);
});

test("lets the run continue if the journal does not answer for 5 seconds", async () => {
  const store = memoryStore();
  let asked = false;
  async function* list(prefix: string) {
    if (prefix.endsWith("/journal.")) {
      asked = true;
      await new Promise(() => {});
    }
    yield* store.list(prefix);
  }
  const run = service.runAccounts(ids(1), { ledger: storeLedger({ ...store, list }) });
  await until(() => asked && service.clock.sleeping > 0);
  service.clock.advance(5000);
  await run;
  expect(service.states()).toEqual(["completed"]);
  expect(logged.filter(([message]) => message.includes("the journal"))).toEqual([
    [expect.stringContaining("the journal could not be read"), expect.anything()],
  ]);
});

test("lets the run continue if the journal cannot be written", async () => {
  const store = memoryStore();
  const putIfAbsent: typeof store.putIfAbsent = async (key, value) => {
    if (key.includes("/journal.")) throw new Error("away");
    return store.putIfAbsent(key, value);
  };
  await service.runAccounts(ids(1), { ledger: storeLedger({ ...store, putIfAbsent }) });
  expect(service.states()).toEqual(["completed"]);
  expect(logged).toContainEqual([
    expect.stringContaining("could not note a batch"),
    expect.objectContaining({ batchId: expect.any(String) }),
  ]);
});

/** Another process is killed after the service answers its StartSyncBatch, before it can note the batch. */
async function killedStart(ageMs: number, owner: object = { host: "another" }): Promise<void> {
  await otherJournal().noteStart();
  await service.startBatch();
  const [path = ""] = await entries();
  // The entry must look like another process's.
  const other = path.replace(/[0-9a-f]+\.start$/, "0123456789ab.start");
  await rename(path, other);
  await editFields(await age(other, ageMs), { host: "here", bootId: "", pid: 7, ...owner });
}

test("a run says what it is waiting for if a process was killed before recording its batch", async () => {
  await killedStart(10_000);
  const until = new Date(service.clock.now() + 15 * MINUTE_MS).toISOString().slice(0, 16);
  const failed = run();
  await expect(failed).rejects.toMatchObject({
    code: "BATCH_IN_PROGRESS",
    message: expect.stringContaining(`Process 7 on host "another" may have started a batch`),
  });
  await expect(failed).rejects.toThrow(`Its lock ends at ${until}`);
  expect(service.states()).toEqual(["active"]);
  expect(await entries()).toHaveLength(1);
});

test("a run warns once about the start that it waits for, and forgets the start when it gets the lock", async () => {
  await killedStart(10_000);
  await service.runAccounts(ids(1), {
    waitForLockMs: 20 * MINUTE_MS,
    onProgress: async (progress) => {
      if (progress.type !== "waiting-for-lock") return;
      for (let i = 0; i < 60; i += 1) await entries();
      service.clock.advance(progress.nextAttemptMs);
    },
  });
  const warnings = logged.filter(([message]) => message.includes("waiting for the lock"));
  expect(warnings).toEqual([[expect.stringContaining("Its lock ends at"), undefined]]);
  expect(await entries()).toEqual([]);
});

test.each<[string, () => Promise<void>, boolean]>([
  ["may be under way", () => killedStart(9000), false],
  ["is older than the lease", () => killedStart(16 * MINUTE_MS), false],
  ["names nobody", () => killedStart(10_000, { pid: "?" }), true],
  ["is of a live process whose clock is behind", () => killedStart(-60 * MINUTE_MS), false],
])("a recorded start that %s", async (_, leave, isTold) => {
  await leave();
  const error = await run().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(String(error).includes("without learning its id")).toBe(isTold);
});

test.runIf(process.platform === "linux").each([
  ["an hour ahead", 60 * MINUTE_MS],
  ["an hour behind", -60 * MINUTE_MS],
  ["right", 1000],
])(
  "after the start of a dead process, says what it is waiting for, and until when, with a clock that is %s",
  async (_, ageMs) => {
    await killedStart(ageMs, { pid: GONE, ...(await thisHost()) });
    const error = await run().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "BATCH_IN_PROGRESS" });
    const [, until = ""] = /Its lock ends at (\S+) at the latest/.exec(String(error)) ?? [];
    const leftMs = Date.parse(until) - service.clock.now();
    expect(leftMs).toBeGreaterThan(14 * MINUTE_MS);
    expect(leftMs).toBeLessThan(16 * MINUTE_MS);
  },
);

/** What an entry from this host says about its process. */
async function thisHost(): Promise<object> {
  const journal = otherJournal();
  await journal.noteStart();
  const [path = ""] = (await entries()).filter((entry) => !entry.includes("0123456789ab"));
  const { host, bootId } = { host: "", bootId: "", ...fieldsOf(await readFile(path, "utf8")) };
  await rm(path);
  return { host, bootId };
}

test("forgets a start once it has been refused, and remembers a start whose answer was lost", async () => {
  await service.startBatch();
  const store = memoryStore();
  const keys = async () => {
    const found: string[] = [];
    for await (const key of store.list("")) if (key.endsWith(".start")) found.push(key);
    return found;
  };
  const options = { installationId: service.installationId, ledger: storeLedger(store) };
  const connector = { snapshots: [], run: async () => {} };
  await expect(service.sync.run(connector, options)).rejects.toMatchObject({ code: "BATCH_IN_PROGRESS" });
  expect(await keys()).toEqual([]);
  const slow = service.server.faults.add({ on: "StartSyncBatch", fault: "delay", ms: 1000, at: "answer" });
  const stop = new AbortController();
  const stopped = rejection(service.sync.run(connector, { ...options, signal: stop.signal }));
  await until(() => slow.fired > 0);
  stop.abort("enough");
  expect(await stopped).toBe("enough");
  expect(await keys()).toHaveLength(1);
  service.clock.advance(1000);
  await until(async () => (await keys()).length === 0);
  service.server.faults.add({ on: "StartSyncBatch", fault: "drop", at: "answer" });
  const lost = service.sync.run(connector, { ...options, retryForMs: 0 });
  await expect(lost).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  expect(await keys()).toHaveLength(1);
});
