import { stat } from "node:fs/promises";
import { InvalidInputError } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { memoryStore } from "../../../src/sync/ledger/memory-ledger.js";
import { fileStaging, storeStaging } from "../../../src/sync/staging/staging.js";
import { accounts } from "../../support/accounts.js";
import {
  aroundSegments,
  blocksOf,
  directory,
  filesIn,
  offlineClient,
  PLAN,
  pausedSource,
  stage,
  statesOf,
} from "../../support/staged.js";

const EMPTY = ["a-m: missing, 0 records, 0 attempts", "n-z: missing, 0 records, 0 attempts"];

test("seals a partition when its source has ended", async () => {
  const run = await stage(fileStaging(directory()));
  expect(await statesOf(run)).toEqual(EMPTY);
  const progress: unknown[] = [];
  const stats = await run.extract("accounts", "a-m", accounts(["a", "b", "c"]), {
    expectedCount: 3,
    onProgress: (event) => progress.push(event),
  });
  expect(stats).toMatchObject({ accepted: 3 });
  expect(progress).toEqual([
    { type: "progress", collection: "accounts", accepted: 0, bytes: 0, total: 3 },
    { type: "progress", collection: "accounts", accepted: 3, bytes: stats.bytes, total: 3 },
  ]);
  await run.extract("accounts", "n-z", []);
  expect(await statesOf(run)).toEqual([
    "a-m: sealed, 3 records, 1 attempts",
    "n-z: sealed, 0 records, 1 attempts",
  ]);
});

test("keeps records in files that only their owner may read, under names that tell nothing", async () => {
  const root = directory();
  const run = await stage(fileStaging(root), {
    runKey: "Nightly ../x",
    partitions: { accounts: ["A/b", "a/B"] },
  });
  await run.extract("accounts", "A/b", [{ id: "a", name: "Kim" }]);
  await run.extract("accounts", "a/B", [{ id: "b", name: "Lee" }]);
  const files = await filesIn(root);
  expect(files.size).toBe(7);
  for (const name of files.keys()) {
    expect(name).toMatch(/^[0-9a-f]{32}\/[0-9a-z./]+$/);
    expect((await stat(`${root}/${name}`)).mode & 0o777).toBe(0o600);
  }
  await run.discard();
  expect([...(await filesIn(root)).values()].join()).not.toMatch(/Kim|Lee/);
});

const failure = new Error("The vendor is down.");

test.each([
  [
    "a source that throws",
    async function* () {
      yield { id: "a", name: "A" };
      throw failure;
    },
    {},
    failure,
  ],
  [
    "an expectedCount that differs",
    () => accounts(["a"]),
    { expectedCount: 2 },
    expect.any(InvalidInputError),
  ],
  ["an invalid record", () => [{ id: "a", name: "A" }, { id: "" }], {}, expect.any(InvalidInputError)],
  ["a signal", () => accounts(["a"]), { signal: AbortSignal.abort(failure) }, failure],
])("keeps nothing of a partition after %s", async (_what, source, options, error) => {
  const root = directory();
  const run = await stage(fileStaging(root));
  await expect(run.extract("accounts", "a-m", source(), options)).rejects.toEqual(error);
  expect((await statesOf(run))[0]).toMatch(/^a-m: missing, 0 records/);
  expect([...(await filesIn(root)).keys()].filter((name) => name.includes("/s/"))).toEqual([]);
  await run.extract("accounts", "a-m", accounts(["a"]));
  expect((await statesOf(run))[0]).toMatch(/^a-m: sealed, 1 records/);
});

test("ends at a signal although the source is stuck, and drops what it had", async () => {
  const controller = new AbortController();
  const run = await stage();
  const { records, begun } = pausedSource(accounts(["a"]), []);
  const extracted = run.extract("accounts", "a-m", records, { signal: controller.signal });
  await begun;
  expect((await statesOf(run))[0]).toBe("a-m: extracting, 0 records, 1 attempts");
  controller.abort(failure);
  await expect(extracted).rejects.toBe(failure);
  expect((await statesOf(run))[0]).toBe("a-m: missing, 0 records, 1 attempts");
});

test("of two extractions of one partition, one seals and the other is told", async () => {
  const run = await stage();
  const slow = pausedSource(accounts(["a"]), accounts(["b"]));
  const late = run.extract("accounts", "a-m", slow.records);
  await slow.begun;
  await run.extract("accounts", "a-m", accounts(["c"]));
  slow.goOn();
  await expect(late).rejects.toThrow(
    'The partition "a-m" of accounts in the run "nightly" is sealed: another extraction has stored it, so the records of this extraction were dropped.',
  );
  expect((await statesOf(run))[0]).toBe("a-m: sealed, 1 records, 2 attempts");
});

test("reads nothing for a partition that is sealed", async () => {
  const run = await stage();
  await run.extract("accounts", "a-m", accounts(["a"]));
  const read = pausedSource(accounts(["a"]), []);
  await expect(run.extract("accounts", "a-m", read.records)).rejects.toThrow("so nothing was read");
  expect(await read.records.next()).toMatchObject({ done: false });
});

test("a store that fails stops the source, and its partition can be extracted again", async () => {
  let isFull = true;
  const store = aroundSegments(memoryStore(), async (go, value) => {
    if (!isFull) return go();
    for await (const _ of value) throw failure;
    return false;
  });
  const run = await stage(storeStaging(store), {}, { messageBytes: 100, windowBytes: 100 });
  let taken = 0;
  const records = async function* () {
    for (; ; taken += 1) yield { id: `u${taken}`, name: "n".repeat(100) };
  };
  await expect(run.extract("accounts", "a-m", records())).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
    message: expect.stringContaining(
      'could not store the partition "a-m" of accounts; nothing of it is kept',
    ),
    cause: failure,
  });
  expect(taken).toBeLessThan(10);
  isFull = false;
  await run.extract("accounts", "a-m", accounts(["a"]));
  expect((await statesOf(run))[0]).toBe("a-m: sealed, 1 records, 2 attempts");
});

test.each([
  [
    "its answer is lost",
    async (go: () => Promise<boolean>) => {
      await go();
      throw failure;
    },
  ],
  [
    "it was asked twice",
    async (go: () => Promise<boolean>) => {
      await go();
      return false;
    },
  ],
])("a partition is sealed if the store has stored it and %s", async (_what, put) => {
  const run = await stage(storeStaging(aroundSegments(memoryStore(), put)));
  await run.extract("accounts", "a-m", accounts(["a"]));
  expect((await statesOf(run))[0]).toBe("a-m: sealed, 1 records, 1 attempts");
});

test("reads the source no faster than the store takes its records", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = aroundSegments(memoryStore(), async (go) => {
    await released;
    return go();
  });
  const run = await stage(storeStaging(store), {}, { messageBytes: 1000, windowBytes: 1000 });
  let taken = 0;
  const turns = { left: 500 };
  const records = function* () {
    for (; taken < 200; taken += 1) yield { id: `u${taken}`, name: "n".repeat(100) };
  };
  const extracted = run.extract("accounts", "a-m", records());
  for (; turns.left > 0; turns.left -= 1) await new Promise((resolve) => setImmediate(resolve));
  // Two windows of one message, each of up to 9 records, and the message that is encoded.
  expect(taken).toBeGreaterThan(9);
  expect(taken).toBeLessThanOrEqual(36);
  release();
  await extracted;
  expect((await statesOf(run))[0]).toBe("a-m: sealed, 200 records, 1 attempts");
});

test("a source may be silent for longer than any lease or timeout", async () => {
  const clock = new TestClock({ startAt: new Date("2026-11-22") });
  const run = await stage(undefined, {}, { clock });
  const { records, begun, goOn } = pausedSource(accounts(["a"]), accounts(["b"]));
  const extracted = run.extract("accounts", "a-m", records);
  await begun;
  clock.advance(7 * 24 * 60 * 60 * 1000);
  goOn();
  await extracted;
  expect((await statesOf(run))[0]).toBe("a-m: sealed, 2 records, 1 attempts");
});

test("a run that is discarded in mid-extraction keeps nothing", async () => {
  const root = directory();
  const run = await stage(fileStaging(root));
  const { records, begun, goOn } = pausedSource([{ id: "a", name: "Kim" }], []);
  const extracted = run.extract("accounts", "a-m", records);
  await begun;
  await run.discard();
  goOn();
  await expect(extracted).rejects.toThrow('The run "nightly" was discarded');
  expect([...(await filesIn(root)).values()].join()).not.toContain("Kim");
  await expect(run.extract("accounts", "n-z", [])).rejects.toThrow('The run "nightly" was discarded');
  await expect(run.status()).rejects.toThrow('The run "nightly" was discarded');
  await run.discard();
});

test("a store's late segment of a discarded run is deleted", async () => {
  const store = memoryStore();
  const run = await stage(storeStaging(store));
  const { records, begun, goOn } = pausedSource(accounts(["a"]), []);
  const extracted = run.extract("accounts", "a-m", records);
  await begun;
  await run.discard();
  goOn();
  await expect(extracted).rejects.toThrow('The run "nightly" was discarded');
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  expect(keys.filter((key) => key.includes("/s/"))).toEqual([]);
});

test("a closed client extracts nothing more", async () => {
  const client = offlineClient();
  const run = await client.stage(storeStaging(memoryStore()), PLAN);
  const { records, begun } = pausedSource(accounts(["a"]), []);
  const extracted = run.extract("accounts", "a-m", records);
  await begun;
  await client.close();
  await expect(extracted).rejects.toMatchObject({ code: "CLOSED" });
  await expect(run.extract("accounts", "n-z", [])).rejects.toMatchObject({ code: "CLOSED" });
});

test("partitions are read in the order of the plan, in whatever order they were extracted", async () => {
  const run = await stage();
  await run.extract("accounts", "n-z", [{ id: "z1" }]);
  await run.extract("accounts", "a-m", [{ id: "a1" }]);
  const bytes = Buffer.concat(await blocksOf(run)).toString("latin1");
  expect(bytes.indexOf("a1")).toBeLessThan(bytes.indexOf("z1"));
});
