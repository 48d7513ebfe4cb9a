import { type Store, storeStaging } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { EncodedRecords } from "../../../src/sync/encoding/encoded-records.js";
import { SyncEngine } from "../../../src/sync/engine.js";
import { memoryLedger, memoryStore } from "../../../src/sync/ledger/memory-ledger.js";
import { resolveSyncOptions } from "../../../src/sync/options.js";
import { OFFLINE } from "../../../src/sync/run/offline.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();

/** A staging that notes how often a segment was read. */
function watchedStaging() {
  const store = memoryStore();
  const reads: string[] = [];
  const watched: Store = {
    putIfAbsent: (key, value) => store.putIfAbsent(key, value),
    list: (prefix) => store.list(prefix),
    delete: (key) => store.delete(key),
    get: (key) => {
      if (key.includes("/s/")) reads.push(key);
      return store.get(key);
    },
  };
  return { staging: storeStaging(watched), reads };
}

test("a run reads what it has just extracted once: to send it", async () => {
  const { staging, reads } = watchedStaging();
  const ledger = memoryLedger();
  await service.runAccounts(ids(3), { staging, ledger, firstRun: true });
  expect(reads).toHaveLength(1);
  // Its ids are known.
  await service.runAccounts(ids(10), { staging, ledger });
  await heldBy(service.runAccounts(ids(2), { staging, ledger }));
});

test.each([
  ["the records are the same", "Ann", 2],
  ["the records differ", "Bob", undefined],
])("an id that comes twice, and %s", async (_, name, sent) => {
  const { staging } = watchedStaging();
  const ledger = memoryLedger();
  const twice = [...accounts(["a", "b"]), ...accounts(["a"])].map((account, i) => ({
    ...account,
    name: i === 2 ? name : "Ann",
  }));
  const run = service.run(["accounts"], async (batch) => void (await batch.write("accounts", twice)), {
    staging,
    ledger,
    firstRun: true,
  });
  if (sent === undefined) {
    await expect(run).rejects.toThrow("has the same id and different contents");
    expect(service.states()).toEqual([]);
    return;
  }
  await expect(run).resolves.toMatchObject({
    collections: { accounts: { expected: { sent, duplicates: 1 } } },
  });
});

test.each([
  ["are 16 MiB", {}, [15, 5]],
  ["are what the client says", { windowBytes: 6 * 1024 * 1024 }, [5, 5, 5, 5]],
])("windows of encoded records %s", async (_, options, sizes) => {
  const windows: number[] = [];
  const transport = {
    ...OFFLINE,
    syncRecords: async (window: readonly Uint8Array[]) => {
      windows.push(window.length);
      return { accepted: undefined };
    },
  };
  const engine = new SyncEngine(
    resolveSyncOptions({ endpoint: "http://127.0.0.1:1", apiKey: "key-1", ...options }),
    transport,
  );
  // One record of a bit more than 1 MiB: tag, length in three bytes, an unknown field.
  const bytes = Buffer.alloc(1024 * 1024 + 100);
  bytes[0] = 0x0a;
  let length = bytes.length - 4;
  for (let at = 1; at < 4; at += 1, length >>>= 7) bytes[at] = (length & 0x7f) | (at < 3 ? 0x80 : 0);
  const batch = await engine.startBatch({ installationId: "installation-1" });
  const blocks = Array.from({ length: 20 }, () => new EncodedRecords(bytes, "a block"));
  await batch.write("accounts", blocks as never);
  batch.close();
  await engine.close();
  expect(windows).toEqual(sizes);
});
