import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { CollectionLedger } from "../../src/runs/ledger/collection-ledger.js";
import { batchToken, randomToken } from "../../src/runs/ledger/installation-ledger.js";
import { Journal } from "../../src/runs/ledger/journal.js";
import { fileLedger, openLedger, storeLedger } from "../../src/runs/ledger/ledger.js";
import { memoryStore, type Store } from "../../src/runs/ledger/store.js";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { complete } from "../support/ledgers.js";
import { flippedBits, mutatedBytes } from "../support/mutated-bytes.js";
import { quietLogger } from "../support/observed.js";
import { TIMEOUT_MS } from "../support/property-runs.js";

const GROUP = "ledger and journal files";
const SCOPE = { endpoint: "https://sync.example.com", installationId: "../installation" };
const BATCH = "batch-1";
const IDS = [
  "u1",
  "a\\b",
  "line\nbreak",
  "\\end {}",
  "\\head {}",
  "日本語",
  "\u0000",
  ...Array.from({ length: 50 }, (_, i) => `id-${i}`),
];

const TOKEN = batchToken(randomToken());
async function* lines(): AsyncGenerator<Uint8Array> {
  for (const id of IDS) yield Buffer.from(`${id.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`);
}

const ledgerIn = (directory: string, scope = SCOPE) =>
  new CollectionLedger(openLedger(fileLedger(directory), scope), "accounts");
const putIn = async (directory: string, scope = SCOPE) => {
  const ledger = ledgerIn(directory, scope);
  return ledger.put("ids", await ledger.read(), TOKEN, {
    collection: "accounts",
    lines,
    lists: {},
    pasts: [],
  });
};
const NEVER = new AbortController().signal;
const journalIn = (store: Store, abort = async (_: string) => {}) => {
  const ledger = openLedger(storeLedger(store), SCOPE);
  return new Journal(ledger, { clock: systemClock, logger: quietLogger({}) }, { abort, ended: NEVER });
};

let root: string;
let ledgerFile: string;
let ledgerBytes: Buffer;
let entryKey: string;
let entryBytes: Buffer;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fuzz-ledger-"));
  const { baseline } = await putIn(root);
  await complete(openLedger(fileLedger(root), SCOPE), { accounts: baseline });
  const [folder = ""] = await readdir(root);
  const file = (await readdir(join(root, folder))).find((name) => name.endsWith(".ids"));
  ledgerFile = join(root, folder, file ?? "");
  ledgerBytes = await readFile(ledgerFile);
  const store = memoryStore();
  const journal = journalIn(store);
  await journal.opened(BATCH);
  await journal.ended(BATCH, { error: undefined });
  for await (const key of store.list("")) entryKey = key;
  const pieces: Uint8Array[] = [];
  for await (const piece of (await store.get(entryKey)) ?? []) pieces.push(piece);
  entryBytes = Buffer.concat(pieces);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The ids that the ledger knows; undefined if the ledger is refused. */
async function known(): Promise<string | undefined> {
  const outcome = await outcomeOf(async () => {
    const pieces: Uint8Array[] = [];
    const ledger = ledgerIn(root);
    const sets = ledger.known(await ledger.read());
    expect(sets.length).toBe(1);
    for (const { lines } of sets) for await (const piece of lines()) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  });
  if (outcome?.error !== undefined) expect(outcome.error.code).toBe("INVALID_CONFIGURATION");
  return outcome?.error === undefined ? outcome?.value : undefined;
}

test("a damaged ledger file is refused, or yields the ids that were written", {
  timeout: TIMEOUT_MS,
}, async () => {
  const whole = await known();
  expect(whole?.split("\n")).toHaveLength(IDS.length + 1);
  const seen = { whole: 0, refused: 0 };
  const damaged = fc.oneof(mutatedBytes([ledgerBytes]), flippedBits([ledgerBytes]));
  const property = fc.asyncProperty(damaged, async (bytes) => {
    await writeFile(ledgerFile, bytes, { mode: 0o600 });
    const ids = await known();
    seen[ids === undefined ? "refused" : "whole"] += 1;
    if (ids !== undefined) expect(ids).toBe(whole);
  });
  await holds({ group: GROUP, what: "damaged ledger files", share: 0.5 }, property);
  expect(seen.refused).toBeGreaterThan(0);
  await writeFile(ledgerFile, ledgerBytes);
});

test("no installation name leads outside the ledger's directory", { timeout: TIMEOUT_MS }, async () => {
  const directory = join(root, "inside");
  await mkdir(directory);
  const property = fc.asyncProperty(fc.string({ unit: fc.constantFrom(..."./\\~ab\0\n") }), async (name) => {
    await putIn(directory, { ...SCOPE, installationId: `../${name}` });
    expect((await readdir(root)).sort()).toEqual(["inside", basename(dirname(ledgerFile))].sort());
  });
  await holds({ group: GROUP, what: "names of installations", share: 0.05 }, property);
});

test("a damaged journal entry names the right batch, or none", {
  timeout: TIMEOUT_MS,
}, async () => {
  const seen = { ended: 0, ignored: 0 };
  const property = fc.asyncProperty(
    fc.oneof(mutatedBytes([entryBytes]), flippedBits([entryBytes])),
    async (bytes) => {
      const store = memoryStore();
      const value = async function* () {
        yield bytes;
      };
      await store.putIfAbsent(entryKey, value());
      const ended: string[] = [];
      const journal = journalIn(store, async (batchId) => void ended.push(batchId));
      await journal.releaseOrphans();
      seen[ended.length > 0 ? "ended" : "ignored"] += 1;
      if (ended.length > 0) expect(ended).toEqual([BATCH]);
    },
  );
  await holds({ group: GROUP, what: "damaged journal entries", share: 0.5 }, property);
  expect(seen.ignored).toBeGreaterThan(0);
});
