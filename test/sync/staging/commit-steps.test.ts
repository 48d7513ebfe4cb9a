/** The steps of a commit, over the wire: each rule of the protocol, and what happens at it. */
import { type Store, storeLedger } from "@saas-management/sdk";
import { beforeEach, expect, test } from "vitest";
import { CollectionLedger } from "../../../src/sync/ledger/collection-ledger.js";
import { memoryStore } from "../../../src/sync/ledger/memory-ledger.js";
import { storeStaging } from "../../../src/sync/staging/staging.js";
import { quietLogger } from "../../support/observed.js";
import { failingStore, isPutOf, type StoreCall, watchedStore } from "../../support/stores.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const calls: string[] = [];
const service = testService({
  sync: {
    logger: quietLogger({}),
    onEvent: (event) => void (event.type === "request" && calls.push(event.operation)),
  },
});
let staging: Store;
let ledger: Store;
beforeEach(() => {
  calls.length = 0;
  staging = memoryStore();
  ledger = memoryStore();
});

const stagingKey = (kind: "fate" | "receipt" | "b") => (call: StoreCall) =>
  call.method === "putIfAbsent" && call.key.split("/")[2] === kind;
const broken = new Error("EIO");

/** Opens a run whose partitions are extracted, and which may be committed over other stores than it was opened with. */
async function stage(
  runKey: string,
  partitions: Readonly<Record<string, readonly string[]>>,
  over: { readonly staging?: Store; readonly ledger?: Store; readonly keep?: boolean } = {},
) {
  const open = (stagingStore: Store, ledgerStore: Store) =>
    service.sync.stage(storeStaging(stagingStore, { keep: over.keep }), {
      runKey,
      version: "1",
      partitions: { accounts: Object.keys(partitions), groups: ["all"] },
      installationId: service.installationId,
      ledger: storeLedger(ledgerStore),
    });
  const extracted = await open(staging, ledger);
  for (const { collection, partition, state } of await extracted.status())
    if (state !== "sealed")
      await extracted.extract(
        collection === "groups" ? "groups" : "accounts",
        partition,
        collection === "groups" ? accounts(["g"]) : accounts(partitions[partition] ?? []),
      );
  return open(over.staging ?? staging, over.ledger ?? ledger);
}

async function committed(runKey: string, count: number) {
  const firstRun = !service.states().includes("completed");
  return service.sync.commit(await stage(runKey, { all: ids(count) }), { firstRun });
}

const breakTwice = (on: "SyncRecords" | "CompleteSyncBatch" | "AbortSyncBatch", at: "request" | "answer") => {
  for (let nth = 1; nth <= 2; nth += 1) service.server.faults.add({ on, nth, fault: "drop", at });
};

async function segments() {
  const keys: string[] = [];
  for await (const key of staging.list("")) if (key.split("/")[2] === "s") keys.push(key);
  return keys;
}

async function ledgerKeys(kind: string) {
  const keys: string[] = [];
  for await (const key of ledger.list(""))
    if (key.includes("/accounts.") && key.endsWith(kind)) keys.push(key);
  return keys;
}

test("1: refuses a discarded run", async () => {
  const staged = await stage("one", { all: ids(3) });
  await staged.discard();
  await expect(service.sync.commit(staged)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("discarded"),
  });
  expect(calls).toEqual([]);
});

test("2: a held run calls nothing, also if it is held for its baseline", async () => {
  const first = await heldBy(service.sync.commit(await stage("first", { all: ids(9) })));
  expect(first.reasons.map(({ rule }) => rule)).toEqual(["no-baseline", "no-baseline"]);
  expect(calls).toEqual([]);
  await service.sync.commit(await stage("first", { all: [] }), { approve: first.approvalId });
  calls.length = 0;
  const held = await heldBy(service.sync.commit(await stage("second", { a: ids(1), b: ids(1, "b") })));
  expect(held.reasons[0]).toMatchObject({ rule: "removed", known: 9, sent: 2, removed: 8 });
  expect(held.message).toContain("Nothing was sent.");
  expect(held.message).not.toContain("visible");
  expect(calls).toEqual([]);
});

test("2: partitions with one id and different contents are refused, and both are named", async () => {
  const staged = await service.sync.stage(storeStaging(staging), {
    runKey: "one",
    version: "1",
    partitions: { accounts: ["a-m", "n-z"] },
    installationId: service.installationId,
    ledger: storeLedger(ledger),
  });
  await staged.extract("accounts", "a-m", accounts(ids(3)));
  await staged.extract("accounts", "n-z", [...accounts(["x"]), { id: "u1", name: "another" }]);
  const refused = service.sync.commit(staged, { firstRun: true });
  await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(refused).rejects.toThrow(/"u1".*n-z.*the record at index 1 of .*a-m.* different contents/);
  expect(calls).toEqual([]);
});

test("2: a damaged segment is found before anything is sent, also one of events", async () => {
  const staged = await service.sync.stage(storeStaging(staging), {
    runKey: "one",
    version: "1",
    partitions: { usage: ["all"] },
    installationId: service.installationId,
    ledger: storeLedger(ledger),
  });
  await staged.extract("usage", "all", [
    { id: "e", sourceActorId: "u", lastActivity: new Date("2026-01-01T00:00:00Z") },
  ]);
  const [key = ""] = await segments();
  const pieces: Buffer[] = [];
  for await (const piece of (await staging.get(key)) ?? []) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  const at = bytes.lastIndexOf('{"records"') - 6;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await staging.delete(key);
  await staging.putIfAbsent(
    key,
    (async function* () {
      yield bytes;
    })(),
  );
  await expect(service.sync.commit(staged)).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect(calls).toEqual([]);
});

test("3: what is being committed cannot be discarded, and a discard just before wins", async () => {
  await committed("one", 3);
  const during = watchedStore(staging, async (call, go) => {
    const result = await go();
    if (stagingKey("b")(call)) await expect(two.discard()).rejects.toMatchObject({ code: "INVALID_INPUT" });
    return result;
  });
  const two = await stage("two", { all: ids(4) }, { staging: during });
  await service.sync.commit(two);
  expect(service.present()).toEqual(ids(4));
  const before = watchedStore(staging, async (call, go) => {
    if (stagingKey("fate")(call) && calls.push("discard") === 1) await three.discard();
    return go();
  });
  calls.length = 0;
  const three = await stage("three", { all: ids(5) }, { staging: before });
  await expect(service.sync.commit(three)).rejects.toThrow("discarded");
  expect(calls.filter((call) => call !== "discard")).toEqual([]);
});

test("5a: the second of two committers returns the receipt of the first", async () => {
  let first: unknown;
  const late = watchedStore(staging, async (call, go) => {
    const result = await go();
    if (stagingKey("fate")(call)) first ??= await service.sync.commit(early, { firstRun: true });
    return result;
  });
  const early = await stage("one", { all: ids(3) });
  const receipt = await service.sync.commit(await stage("one", { all: ids(3) }, { staging: late }), {
    firstRun: true,
  });
  expect(receipt).toEqual(first);
  expect(service.states()).toEqual(["completed", "aborted"]);
});

test("5a: waits for the lock of another committer", async () => {
  const staged = await stage("one", { all: ids(3) });
  const receipts = await Promise.all(
    [service.sync, service.syncClient()].map((client) =>
      client.commit(staged, { firstRun: true, waitForLockMs: 60_000 }),
    ),
  );
  expect(receipts[0]).toEqual(receipts[1]);
  expect(service.states().filter((state) => state === "completed")).toHaveLength(1);
});

test("5b: a run that the ledger has as completed is not sent again, also as a first run", async () => {
  const staged = await stage(
    "one",
    { all: ids(3) },
    { staging: failingStore(staging, stagingKey("receipt"), broken) },
  );
  const { batchId } = await service.sync.commit(staged, { firstRun: true });
  calls.length = 0;
  const receipt = await service.sync.commit(await stage("one", { all: [] }), { firstRun: true });
  expect(receipt).toMatchObject({ batchId, collections: { accounts: { stats: { accepted: 3 } } } });
  expect(calls).toEqual([]);
  expect(await segments()).toEqual([]);
});

test("5b: finishes a promotion that was cut off, with the approval that it used", async () => {
  await committed("one", 9);
  const cut = failingStore(
    ledger,
    ({ method, key }) => method === "putIfAbsent" && /groups.*completed/.test(key),
    broken,
  );
  const { approvalId: approve } = await heldBy(service.sync.commit(await stage("two", { all: ids(2) })));
  const failing = failingStore(staging, stagingKey("receipt"), broken);
  await service.sync.commit(await stage("two", { all: [] }, { ledger: cut, staging: failing }), { approve });
  calls.length = 0;
  const receipt = await service.sync.commit(await stage("two", { all: [] }), { approve });
  expect(receipt.collections.groups?.stats.accepted).toBe(1);
  expect(calls).toEqual([]);
  const scope = { endpoint: new URL(service.server.syncUrl).origin, installationId: service.installationId };
  for (const collection of ["accounts", "groups"] as const) {
    const known = await new CollectionLedger(
      { store: ledger, hashIds: false },
      { ...scope, collection },
    ).known();
    expect(known.map(({ state }) => state)).toEqual(["completed"]);
  }
});

test("5c: a completion of unknown outcome is asked about, and nothing is sent again", async () => {
  await committed("one", 3);
  const staged = await stage("two", { all: ids(4) });
  breakTwice("CompleteSyncBatch", "answer");
  breakTwice("AbortSyncBatch", "request");
  await expect(service.sync.commit(staged, { restarts: 0 })).rejects.toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
  });
  calls.length = 0;
  const receipt = await service.sync.commit(staged);
  expect(receipt.batchId).toBe(service.inspect().batches[1]?.id);
  expect(calls).not.toContain("SyncRecords");
  expect(service.states()).toEqual(["completed", "completed", "aborted"]);
  expect(await ledgerKeys("completed")).toHaveLength(1);
});

test("5c: the same within one commit", async () => {
  breakTwice("CompleteSyncBatch", "answer");
  breakTwice("AbortSyncBatch", "request");
  const receipt = await committed("one", 3);
  expect(receipt).toMatchObject({ collections: { accounts: { stats: { accepted: 3 } } } });
  expect(service.states()).toEqual(["completed", "aborted"]);
});

test("5c: works for events only, of which the ledger knows nothing", async () => {
  const staged = await service.sync.stage(storeStaging(staging), {
    runKey: "events",
    version: "1",
    partitions: { usage: ["all"] },
    installationId: service.installationId,
    ledger: storeLedger(ledger),
  });
  const event = { sourceActorId: "u", lastActivity: new Date("2026-01-01T00:00:00Z") };
  await staged.extract("usage", "all", [
    { id: "e1", ...event },
    { id: "e2", ...event },
  ]);
  breakTwice("CompleteSyncBatch", "answer");
  breakTwice("AbortSyncBatch", "request");
  await expect(service.sync.commit(staged, { restarts: 0 })).rejects.toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
  });
  calls.length = 0;
  await service.sync.commit(staged);
  expect(calls).not.toContain("SyncRecords");
});

test("8: the ids of a batch stay beside those of the last one while its outcome is unknown", async () => {
  await committed("one", 3);
  const staged = await stage("two", { all: ids(4) });
  breakTwice("CompleteSyncBatch", "request");
  await expect(service.sync.commit(staged, { restarts: 0 })).rejects.toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
  });
  expect(await ledgerKeys("ids.gz")).toHaveLength(2);
  const receipt = await service.sync.commit(staged);
  expect(receipt.collections.accounts).toMatchObject({ expected: { baseline: "unclear", known: 4 } });
  expect(await ledgerKeys("ids.gz")).toHaveLength(1);
  expect(service.states()).toEqual(["completed", "aborted", "completed"]);
});

test("5d: another run that was completed since the run was opened supersedes it for good", async () => {
  await committed("one", 3);
  const older = await stage("two", { all: ids(4) });
  await committed("three", 5);
  const superseded = { code: "INVALID_INPUT", message: expect.stringContaining("another run") };
  await expect(service.sync.commit(older)).rejects.toMatchObject(superseded);
  calls.length = 0;
  await expect(service.sync.commit(older)).rejects.toMatchObject(superseded);
  expect(calls).toEqual([]);
  expect(await segments()).toEqual([]);
  expect(service.present()).toEqual(ids(5));
});

test("5d: a plain run supersedes it too, also if its outcome is unknown", async () => {
  await committed("one", 3);
  const older = await stage("two", { all: ids(4) });
  breakTwice("CompleteSyncBatch", "answer");
  breakTwice("AbortSyncBatch", "request");
  const plain = service.runAccounts(ids(6), { ledger: storeLedger(ledger), restarts: 0 });
  await expect(plain).rejects.toMatchObject({ code: "BATCH_OUTCOME_UNKNOWN" });
  await expect(service.sync.commit(older)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(service.present()).toEqual(ids(6));
  expect(service.states()).toEqual(["completed", "completed"]);
});

test("5d: a run that is completed while this one waits for the lock supersedes it", async () => {
  await committed("one", 3);
  const waiting = watchedStore(staging, async (call, go) => {
    if (stagingKey("fate")(call)) await service.runAccounts(ids(6), { ledger: storeLedger(ledger) });
    return go();
  });
  const staged = await stage("two", { all: ids(4) }, { staging: waiting });
  await expect(service.sync.commit(staged)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(service.present()).toEqual(ids(6));
  expect(service.states()).toEqual(["completed", "completed", "aborted"]);
});

test("5d: a run whose events another one has read supersedes neither snapshots nor its own receipt", async () => {
  const event = { sourceActorId: "u", lastActivity: new Date("2026-01-01T00:00:00Z") };
  const events = (id: string, value: string, store: Store) =>
    service.run(
      [],
      async (batch, { advance }) => {
        await batch.write("usage", [{ id, ...event }]);
        advance("usage", value);
        if (store !== staging) await events("e2", "later", staging);
      },
      { ledger: storeLedger(ledger), staging: storeStaging(store), firstRun: false },
    );
  // Both read the same events; the first that is completed counts.
  await expect(events("e1", "earlier", memoryStore())).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(service.states()).toEqual(["completed"]);
});

test("5d: a run does not supersede one that was opened after it was sealed", async () => {
  await committed("one", 3);
  const first = await stage("two", { all: ids(4) });
  const second = await stage("three", { all: ids(5) });
  await service.sync.commit(first);
  await service.sync.commit(second);
  expect(service.present()).toEqual(ids(5));
});

test("5e: judges again if the ledger has changed since", async () => {
  await committed("one", 9);
  const staged = await stage("two", { all: ids(9) });
  const scope = { endpoint: new URL(service.server.syncUrl).origin, installationId: service.installationId };
  const own = new CollectionLedger({ store: ledger, hashIds: false }, { ...scope, collection: "accounts" });
  // A run that was pending when this one was opened, and is completed while it is committed.
  const earlier = await own.draft();
  earlier.write(Buffer.from(`${ids(9, "v").join("\n")}\n`));
  await earlier.save();
  const pending = watchedStore(staging, async (call, go) => {
    if (stagingKey("fate")(call)) await earlier.promote();
    return go();
  });
  const three = await stage("three", { all: [...ids(9), ...ids(9, "v")] }, { staging: pending });
  const judged: string[] = [];
  await service.sync.commit(three, {
    onProgress: (event) =>
      void (event.type === "judged" && judged.push(`${event.collection} ${event.diff.baseline}`)),
  });
  expect(judged).toEqual(["accounts unclear", "groups completed", "accounts completed", "groups completed"]);
  expect(service.states()).toEqual(["completed", "aborted", "completed"]);
  await expect(service.sync.commit(staged)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test("6: a segment that is gone while it is sent ends the commit, and nothing is completed", async () => {
  let reads = 0;
  const losing = watchedStore(staging, async (call, go) => {
    if (call.method === "get" && call.key.split("/")[2] === "s" && service.states().length > 0)
      if (++reads === 1) await staging.delete((await segments())[0] ?? "");
    return go();
  });
  const staged = await stage("one", { a: ids(3), b: ids(3, "b") }, { staging: losing });
  await expect(service.sync.commit(staged, { firstRun: true })).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
  });
  expect(service.states()).toEqual(["aborted"]);
  expect(await ledgerKeys("ids.gz")).toEqual([]);
});

test("6: a batch that was lost is sent again, from the staging", async () => {
  const staged = await stage("one", { all: ids(3) });
  breakTwice("SyncRecords", "answer");
  const receipt = await service.sync.commit(staged, { firstRun: true });
  expect(receipt).toMatchObject({ restarts: 1 });
  expect(service.states()).toEqual(["aborted", "completed"]);
});

test.each(["ledger", "staging"])(
  "7: nothing is completed if the %s cannot store the pending batch",
  async (where) => {
    const over =
      where === "ledger"
        ? { ledger: failingStore(ledger, isPutOf("ids.gz"), broken) }
        : { staging: failingStore(staging, stagingKey("b"), broken) };
    const staged = await stage("one", { all: ids(3) }, over);
    await expect(service.sync.commit(staged, { firstRun: true })).rejects.toThrow();
    expect(calls).not.toContain("CompleteSyncBatch");
    expect(service.states()).toEqual(["aborted"]);
    expect(await ledgerKeys("ids.gz")).toEqual([]);
    await service.sync.commit(await stage("one", { all: [] }), { firstRun: true });
    expect(service.present()).toEqual(ids(3));
  },
);

test("9: an approval is used by the completion, not by a commit that failed", async () => {
  await committed("one", 9);
  const staged = await stage("two", { all: ids(2) });
  const { approvalId: approve } = await heldBy(service.sync.commit(staged));
  breakTwice("SyncRecords", "request");
  await expect(service.sync.commit(staged, { approve, restarts: 0 })).rejects.toMatchObject({
    code: "TRANSPORT_FAILED",
  });
  await service.sync.commit(staged, { approve });
  await committed("three", 9);
  const again = await heldBy(service.sync.commit(await stage("four", { all: ids(2) }), { approve }));
  expect(again.message).toContain("no approval is pending");
});

test("9: an approval is valid until the completion is known", async () => {
  await committed("one", 9);
  const staged = await stage("two", { all: ids(2) });
  const { approvalId: approve } = await heldBy(service.sync.commit(staged));
  breakTwice("CompleteSyncBatch", "request");
  await expect(service.sync.commit(staged, { approve, restarts: 0 })).rejects.toMatchObject({
    code: "BATCH_OUTCOME_UNKNOWN",
  });
  // The ids of that batch are pending now, and are those of this run.
  await service.sync.commit(staged, { approve });
  expect(service.present()).toEqual(ids(2));
});

test("9: an approval is of one run, and of the ledger that it was compared with", async () => {
  await committed("one", 9);
  const shown = await heldBy(service.sync.commit(await stage("two", { all: ids(2) })));
  // The same removals and new contents: nobody has seen that.
  const other = await stage("three", { all: ["u0", "u1", "new"] });
  const refused = await heldBy(service.sync.commit(other, { approve: shown.approvalId }));
  expect(refused.message).toContain("it was offered for another run");
  const plain = await heldBy(
    service.runAccounts(ids(2), { ledger: storeLedger(ledger), approve: refused.approvalId }),
  );
  expect(plain.message).toContain("it was offered for a staged run");
});

test("10: deletes the segments, unless they are kept", async () => {
  await committed("one", 3);
  expect(await segments()).toEqual([]);
  await service.sync.commit(await stage("two", { all: ids(3) }, { keep: true }));
  expect(await segments()).toHaveLength(2);
});

test("commits with the guard off", async () => {
  const staged = await stage("one", { all: ids(3) });
  expect(await service.sync.commit(staged, { guard: false })).toMatchObject({ guard: "off" });
  expect(service.present()).toEqual(ids(3));
});

test("refuses to stage without a ledger", async () => {
  const without = { code: "INVALID_INPUT", message: expect.stringContaining("needs a ledger") };
  const options = { installationId: service.installationId, ledger: "none" } as const;
  const plan = { runKey: "one", version: "1", partitions: { accounts: ["all"] }, ...options };
  await expect(service.sync.stage(storeStaging(staging), plan)).rejects.toMatchObject(without);
  const run = service.runAccounts(ids(3), { ...options, staging: storeStaging(staging) });
  await expect(run).rejects.toMatchObject(without);
});

test("refuses a run of another service, and what is not a staged run", async () => {
  const staged = await stage("one", { all: ids(3) });
  const other = service.syncClient({ endpoint: "http://localhost:1" });
  await expect(other.commit(staged)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(Reflect.apply(service.sync.commit, service.sync, [{}])).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
});

test("10: without the watermarks there is no receipt, and the next commit stores them", async () => {
  const event = { sourceActorId: "u", lastActivity: new Date("2026-01-01T00:00:00Z") };
  const isWatermark = ({ method, key }: StoreCall) => method === "putIfAbsent" && key.includes("/watermark.");
  let isRead = 0;
  const run = (store: Store, firstRun: boolean) =>
    service.run(
      ["accounts"],
      async (batch, { advance, watermark }) => {
        isRead += 1;
        await batch.write("accounts", accounts(3));
        await batch.write("usage", [{ id: "e1", ...event }]);
        advance("usage", `after ${watermark("usage")}`);
      },
      { ledger: storeLedger(store), staging: storeStaging(staging), firstRun },
    );
  await run(failingStore(ledger, isWatermark, broken), true);
  await run(ledger, true);
  expect(isRead).toBe(1);
  expect(service.states()).toEqual(["completed"]);
  const keys: string[] = [];
  for await (const key of ledger.list("")) if (key.includes("/watermark.usage")) keys.push(key);
  expect(keys).toHaveLength(1);
});

test("5b: events whose watermarks are stored are not sent again, if a service tells nothing of the batch", async () => {
  const event = { sourceActorId: "u", lastActivity: new Date("2026-01-01T00:00:00Z") };
  const run = (store: Store) =>
    service.run(
      [],
      async (batch, { advance }) => {
        await batch.write("usage", [{ id: "e1", ...event }]);
        advance("usage", "one");
      },
      { ledger: storeLedger(ledger), staging: storeStaging(store) },
    );
  await run(failingStore(staging, stagingKey("receipt"), broken));
  calls.length = 0;
  expect((await run(staging)).collections.usage?.stats.accepted).toBe(1);
  expect(calls).toEqual([]);
});
