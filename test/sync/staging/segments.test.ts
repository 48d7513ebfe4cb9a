import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Collection, RecordOf } from "@saas-management/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EncodedRecords } from "../../../src/sync/encoding/encoded-records.js";
import { SyncEngine } from "../../../src/sync/engine.js";
import { memoryStore } from "../../../src/sync/ledger/memory-ledger.js";
import { resolveSyncOptions } from "../../../src/sync/options.js";
import { OFFLINE } from "../../../src/sync/run/offline.js";
import { requireStaged } from "../../../src/sync/staging/parts.js";
import type { Plan } from "../../../src/sync/staging/plan.js";
import { readSealedRun } from "../../../src/sync/staging/sealed-run.js";
import type { StagedRun } from "../../../src/sync/staging/staged-run.js";
import { fileStaging, storeStaging } from "../../../src/sync/staging/staging.js";
import { accounts } from "../../support/accounts.js";
import { LIMITS, RUNS, TIMEOUT_MS } from "../../support/property-runs.js";
import { COLLECTION_NAMES, RECORDS } from "../../support/record-arbitraries.js";
import { blocksOf, directory, filesIn, offlineClient, PLAN, stage } from "../../support/staged.js";

/** As long as the id with which records are extracted, so that messages are cut at the same places. */
const BATCH_ID = "b".repeat(64);

/** The messages that writes send, one after the other. */
async function messagesOf(
  messageBytes: number,
  writes: readonly (readonly [Collection, unknown])[],
): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = [];
  const transport = {
    ...OFFLINE,
    startBatch: async () => ({ batchId: BATCH_ID }),
    syncRecords: async (window: readonly Uint8Array[]) => {
      messages.push(...window.map((message) => Buffer.from(message)));
      return { accepted: undefined };
    },
  };
  const options = { endpoint: "http://127.0.0.1:1", apiKey: "key-1", messageBytes };
  const engine = new SyncEngine(resolveSyncOptions(options), transport);
  const batch = await engine.startBatch({ installationId: "installation-1" });
  for (const [collection, records] of writes) await batch.write(collection, records as never);
  batch.close();
  await engine.close();
  return messages;
}

async function* encoded(run: StagedRun): AsyncGenerator<EncodedRecords> {
  const { segments } = await readSealedRun(requireStaged(run));
  for (const list of segments.values()) for (const segment of list) yield* segment.blocks();
}

test("a commit's messages are those of a plain run, byte for byte", { timeout: TIMEOUT_MS }, async () => {
  const write = fc.constantFrom(...COLLECTION_NAMES).chain((collection) => {
    const record: fc.Arbitrary<RecordOf<Collection>> = RECORDS[collection];
    return fc.record({
      collection: fc.constant(collection),
      records: fc.array(record, { maxLength: 30, size: "max" }),
      messageBytes: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 100_000 })),
    });
  });
  const property = fc.asyncProperty(write, async ({ collection, records, messageBytes }) => {
    const partitions: Plan = { [collection]: ["all"] };
    const run = await stage<Plan>(storeStaging(memoryStore()), { partitions }, { messageBytes });
    await run.extract(collection, "all", records);
    const plain = await messagesOf(messageBytes, [[collection, records]]);
    expect(await messagesOf(messageBytes, [[collection, encoded(run)]])).toEqual(plain);
  });
  await fc.assert(property, { ...LIMITS, numRuns: RUNS });
});

test("records of several partitions follow each other", async () => {
  const run = await stage(undefined, {}, { messageBytes: 300 });
  await run.extract("accounts", "n-z", accounts(["n", "z"]));
  await run.extract("accounts", "a-m", accounts(["a", "b", "c"]));
  const all = await messagesOf(1e6, [
    ["accounts", [new EncodedRecords(Buffer.concat(await blocksOf(run)), "all")]],
  ]);
  expect(all).toEqual(await messagesOf(1e6, [["accounts", accounts(["a", "b", "c", "n", "z"])]]));
});

test("a block that is damaged or too large for a message is not sent", async () => {
  const run = await stage();
  await run.extract("accounts", "a-m", accounts(["a"]));
  await run.extract("accounts", "n-z", []);
  const [block = new Uint8Array()] = await blocksOf(run);
  const send = (bytes: Uint8Array) =>
    messagesOf(1e6, [["accounts", [new EncodedRecords(bytes, "The block")]]]);
  await expect(send(block.subarray(0, -1))).rejects.toThrow("The block is damaged: a record has no end.");
  const large = Buffer.concat(Array.from({ length: 16 * 1024 * 10 }, () => block));
  await expect(send(large)).rejects.toThrow("The block has a message of");
});

const partitions = { accounts: ["a-m"] } as const;

/** A sealed run in files, and the path of its segment. */
async function sealed() {
  const root = directory();
  const run = await stage(fileStaging(root), { partitions }, { messageBytes: 120 });
  await run.extract("accounts", "a-m", accounts(3, 20));
  const [name = ""] = [...(await filesIn(root)).keys()].filter((key) => key.includes("/s/"));
  return { run, path: join(root, name) };
}

test("notices any byte of a segment that changed", { timeout: TIMEOUT_MS }, async () => {
  const { run, path } = await sealed();
  const bytes = await readFile(path);
  for (let at = 0; at < bytes.length; at += 1) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x01;
    await writeFile(path, damaged);
    await expect(blocksOf(run), `byte ${at}`).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  }
  await writeFile(path, bytes);
  await expect(blocksOf(run)).resolves.toHaveLength(3);
});

test.each<[string, (bytes: Buffer) => Buffer | string, string]>([
  ["is empty", () => "", "it does not begin like a segment"],
  ["is cut", (bytes) => bytes.subarray(0, bytes.indexOf("\n") + 1), "its end is missing"],
  ["is cut in a record", (bytes) => bytes.subarray(0, 300), "it is damaged"],
  ["has more behind its end", (bytes) => Buffer.concat([bytes, Buffer.from("x")]), "data follows its end"],
  ["has a long line", () => "x".repeat(100_000), "it does not begin like a segment"],
  [
    "has another version",
    (bytes) => bytes.toString("latin1").replace('"version":1', '"version":2'),
    "its format version is not 1",
  ],
  [
    "has another plan",
    (bytes) =>
      bytes
        .toString("latin1")
        .replace(/"id":"."/, '"id":"x"')
        .replace(/"id":"\w+"/, '"id":"x"'),
    "its id is another one",
  ],
  [
    "has another partition",
    (bytes) => bytes.toString("latin1").replace('"a-m"', '"n-z"'),
    "its partition is another one",
  ],
  [
    "has another contract",
    (bytes) => bytes.toString("latin1").replace(/"contract":"\w+"/, '"contract":"0"'),
    "another version of the SDK extracted it, whose records differ. Discard the run, and extract it again with one version",
  ],
])("refuses a segment that %s, by name", async (_what, change, why) => {
  const { run, path } = await sealed();
  await writeFile(path, change(await readFile(path)), "latin1");
  await expect(blocksOf(run)).rejects.toThrow(
    `The staged segment of the partition "a-m" of accounts cannot be used: ${why}.`,
  );
});

test("refuses a segment that another extraction wrote, and one that is missing", async () => {
  const { run, path } = await sealed();
  const other = await sealed();
  const id = (of: typeof run) => requireStaged(of).plan.id;
  const foreign = (await readFile(other.path, "latin1")).replace(id(other.run), id(run));
  await writeFile(path, foreign, "latin1");
  await expect(blocksOf(run)).rejects.toThrow("cannot be used: it is damaged.");
  const { segments } = await readSealedRun(requireStaged(run));
  const [segment] = segments.get("accounts") ?? [];
  await offlineClient().stage(fileStaging(directory()), PLAN);
  await writeFile(path, "");
  await expect(segment?.blocks()[Symbol.asyncIterator]().next()).rejects.toThrow(
    "does not begin like a segment",
  );
});

test("names the partitions that are missing", async () => {
  const run = await stage();
  await run.extract("accounts", "a-m", []);
  await expect(readSealedRun(requireStaged(run))).rejects.toThrow(
    'The run "nightly" is not wholly extracted. Extract what is missing, then commit it: "accounts n-z".',
  );
});

test("knows what a process sealed right before it died", async () => {
  const { run, path } = await sealed();
  const root = path.slice(0, path.indexOf("/s/"));
  const before = await run.status();
  for (const [name] of await filesIn(root))
    if (name.endsWith(".ended")) await writeFile(join(root, name), "{");
  expect(await run.status()).toEqual(before);
  expect(await blocksOf(run)).toHaveLength(3);
});
