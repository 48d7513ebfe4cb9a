import { mkdtemp, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Store, storeLedger } from "@saas-management/sdk";
import { testStore } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { FileStore } from "../../../src/runs/ledger/file-store.js";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { complete } from "../../support/ledgers.js";
import { failingStore, isPutOf, type StoreCall, watchedStore } from "../../support/stores.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const fileStore = async () => new FileStore(await mkdtemp(join(service.directory, "store-")));

test("an in-memory store keeps the contract", () => testStore(memoryStore));

test("a file store keeps the contract", () => testStore(fileStore));

test("of several file stores that put the same key in one directory, only one wins", async () => {
  const root = join(service.directory, "shared");
  const stores = Array.from({ length: 8 }, () => new FileStore(root));
  async function* value() {
    yield Buffer.from("value");
  }
  const won = await Promise.all(stores.map((store) => store.putIfAbsent("a/key", value())));
  expect(won.filter((first) => first)).toHaveLength(1);
  expect(await readdir(join(root, "a"))).toEqual(["key"]);
});

test.each(["../a", "a/../b", "/a", "a//b", "a/", "", ".a", "a/.b", "a\0b", "a b"])(
  "a file store refuses the key %j",
  async (key) => {
    const store = await fileStore();
    for (const call of [() => store.get(key), () => store.delete(key)])
      await expect(call()).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  },
);

test("a file store does not list other files", async () => {
  const store = await fileStore();
  const [name = ""] = await readdir(service.directory);
  await writeFile(join(service.directory, name, ".DS_Store"), "");
  await writeFile(join(service.directory, name, "a copy.txt"), "");
  await symlink(service.directory, join(service.directory, name, "link"));
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  expect(keys).toEqual(["link"]);
  await expect(store.get("link")).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
});

test.each([{}, { get: () => {} }, "path", 7, null, undefined])(
  "storeLedger refuses the store %j",
  (store) => {
    expect(() => Reflect.apply(storeLedger, undefined, [store])).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  },
);

/** A store that throws in its nth call: before it has done anything, or afterwards. */
function throwingStore(below: Store, nth: number, when: "before" | "after") {
  const state = { calls: 0 };
  const failure = new Error("the store failed");
  const call = async <T>(go: () => Promise<T>): Promise<T> => {
    state.calls += 1;
    const fails = state.calls === nth;
    if (fails && when === "before") throw failure;
    const result = await go();
    if (fails) throw failure;
    return result;
  };
  const store: Store = {
    putIfAbsent: (key, value) => call(() => below.putIfAbsent(key, value)),
    get: (key) => call(() => below.get(key)),
    async *list(prefix) {
      await call(async () => {});
      yield* below.list(prefix);
    },
    delete: (key) => call(() => below.delete(key)),
  };
  return { store, state };
}

test.each(["before", "after"] as const)(
  "a store that throws %s any one of its calls never lets a wrong run pass",
  { timeout: 120_000 },
  async (when) => {
    const seen = { held: 0, failed: 0, completed: 0 };
    for (let nth = 1, struck = true; struck; nth += 1) {
      const installationId = service.server.createInstallation();
      const below = memoryStore();
      const run = (count: number, store: Store = below) =>
        service.runAccounts(ids(count), { installationId, ledger: storeLedger(store) });
      const present = () =>
        service.server.inspect(installationId).snapshots.accounts.filter(({ removed }) => !removed);
      await run(40);
      const half = throwingStore(below, nth, when);
      const wrong = await heldBy(run(20, half.store)).then(
        () => "held" as const,
        () => "failed" as const,
      );
      seen[wrong] += 1;
      expect(present()).toHaveLength(40);
      expect(service.server.inspect(installationId).batches).toHaveLength(1);
      const whole = throwingStore(below, nth, when);
      await run(44, whole.store).then(
        () => {
          seen.completed += 1;
        },
        () => {},
      );
      expect([40, 44]).toContain(present().length);
      // No matter what the store kept of these runs, half of the records are still too few.
      await heldBy(run(20));
      await run(44);
      struck = Math.max(half.state.calls, whole.state.calls) >= nth;
    }
    expect(Math.min(seen.held, seen.completed)).toBeGreaterThan(5);
  },
);

test.each<readonly [string, (below: Store, prefix: string) => AsyncIterable<string>]>([
  ["nothing", async function* () {}],
  [
    "keys without their prefix",
    async function* (below, prefix) {
      for await (const key of below.list(prefix)) yield key.slice(prefix.length);
    },
  ],
])("a run with a store that lists %s does not complete", async (_, list) => {
  const below = memoryStore();
  const ledger = storeLedger({ ...below, list: (prefix) => list(below, prefix) });
  await expect(service.runAccounts(ids(40), { ledger })).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
    message: expect.stringContaining("doesn't list"),
  });
  expect(service.states()).toEqual(["aborted"]);
});

test("a store that lists more keys than requested loses none of them", async () => {
  const below = memoryStore();
  const ledger = storeLedger({ ...below, list: () => below.list("") });
  await service.runAccounts(ids(40), { ledger });
  await heldBy(service.runAccounts(ids(20), { ledger }));
  expect(service.present()).toHaveLength(40);
});

test.each<readonly [string, (call: StoreCall, nth: number) => boolean, readonly string[]]>([
  ["the list of removed ids", isPutOf("removals.txt"), ["additions"]],
  [
    "the list of added ids",
    ({ method, key }) => method === "putIfAbsent" && /additions/.test(key),
    ["removals"],
  ],
  // The first read compares the ids.
  ["the known ids again", ({ method, key }, nth) => method === "get" && /ids$/.test(key) && nth > 1, []],
])("a run whose store fails on %s completes without that list", async (_, fails, listed) => {
  const below = memoryStore();
  await service.runAccounts(ids(40), { ledger: storeLedger(below) });
  let reads = 0;
  const store = failingStore(
    below,
    (call) => fails(call, call.method === "get" && /ids$/.test(call.key) ? ++reads : 0),
    new Error("full"),
  );
  const { collections } = await service.runAccounts([...ids(39), "new"], { ledger: storeLedger(store) });
  expect(Object.keys(collections.accounts?.listedIn ?? {})).toEqual(listed);
  expect(service.present().toSorted()).toEqual([...ids(39), "new"].toSorted());
  const { reasons } = await heldBy(service.runAccounts(ids(20), { ledger: storeLedger(below) }));
  expect(reasons[0]).toMatchObject({ baseline: "completed", known: 40, removed: 20 });
});

test("a run is outdated, not held, if the previous run replaces its baseline in the meantime", async () => {
  const below = memoryStore();
  await service.runAccounts(ids(40), { ledger: storeLedger(below) });
  const late = failingStore(below, isPutOf("state"), new Error("not yet"));
  await service.runAccounts(ids(41), { ledger: storeLedger(late) });
  const { server, installationId } = service;
  const installation = openLedger(storeLedger(below), { endpoint: server.syncUrl, installationId });
  const replace = async () => {
    const { token = "" } = (await installation.entries("accounts")).at(-1) ?? {};
    await complete(installation, { accounts: { sequence: 2, token, pasts: [] } });
  };
  let isReplaced = false;
  const store = watchedStore(below, async ({ method, key }, go) => {
    if (method === "get" && key.endsWith(".ids") && !isReplaced) {
      isReplaced = true;
      await replace();
    }
    return go();
  });
  const run = () => service.runAccounts(ids(41), { ledger: storeLedger(store) });
  await expect(run()).rejects.toMatchObject({ code: "RUN_OUTDATED" });
  const { collections } = await run();
  expect(collections.accounts?.expected).toMatchObject({ baseline: "completed", known: 41, kept: 41 });
});
