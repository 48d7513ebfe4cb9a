import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileLedger } from "@saas-management/sdk";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linesOfIds } from "../../src/sync/ledger/id-lines.js";
import { entryName, readEntry, writeEntry } from "../../src/sync/ledger/journal-entry.js";
import type { LedgerScope } from "../../src/sync/ledger/ledger.js";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { flippedBits, mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";

const GROUP = "ledger and journal files";
const SCOPE: LedgerScope = {
  endpoint: "https://sync.example.com",
  installationId: "../installation",
  collection: "accounts",
};
const ENTRY = { endpoint: SCOPE.endpoint, installationId: SCOPE.installationId, batchId: "batch-1" };
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

let root: string;
let ledgerFile: string;
let ledgerBytes: Buffer;
let entryPath: string;
let entryBytes: Buffer;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fuzz-ledger-"));
  const draft = await fileLedger(root).draft(SCOPE, "batch-1");
  draft.write(linesOfIds(IDS));
  await draft.save();
  await draft.promote();
  const [folder = ""] = await readdir(root);
  const [file = ""] = await readdir(join(root, folder));
  ledgerFile = join(root, folder, file);
  ledgerBytes = await readFile(ledgerFile);
  entryPath = join(root, entryName(ENTRY));
  await writeEntry(entryPath, ENTRY, 0);
  entryBytes = await readFile(entryPath);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The ids that the ledger knows; undefined if it refuses. */
async function known(): Promise<string | undefined> {
  const outcome = await outcomeOf(async () => {
    const pieces: Uint8Array[] = [];
    const sets = await fileLedger(root).known(SCOPE);
    expect(sets.length).toBe(1);
    for (const { lines } of sets) for await (const piece of lines()) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  });
  if (outcome?.error !== undefined) expect(outcome.error.code).toBe("INVALID_CONFIGURATION");
  return outcome?.error === undefined ? outcome?.value : undefined;
}

test("a damaged ledger file is refused, or has the ids that were written", {
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

test("no name of an installation leads out of the ledger's directory", { timeout: TIMEOUT_MS }, async () => {
  const directory = join(root, "inside");
  await mkdir(directory);
  const property = fc.asyncProperty(fc.string({ unit: fc.constantFrom(..."./\\~ab\0\n") }), async (name) => {
    const scope = { ...SCOPE, installationId: `../${name}` };
    const draft = await fileLedger(directory).draft(scope, "b");
    await draft.discard();
    const folders = await readdir(root);
    expect(folders.filter((folder) => folder !== "inside").sort()).toEqual(
      [dirname(ledgerFile), entryPath].map((path) => path.slice(root.length + 1)).sort(),
    );
  });
  await holds({ group: GROUP, what: "names of installations", share: 0.05 }, property);
});

test("a damaged entry of the journal names the batch that was written, or none", {
  timeout: TIMEOUT_MS,
}, async () => {
  const property = fc.asyncProperty(
    fc.oneof(mutatedBytes([entryBytes]), flippedBits([entryBytes])),
    async (bytes) => {
      await writeFile(entryPath, bytes, { mode: 0o600 });
      const outcome = await outcomeOf(() => readEntry(entryPath));
      const { endpoint, batchId } = ENTRY;
      if (outcome?.error === undefined && outcome?.value?.content !== undefined)
        expect(outcome.value.content).toMatchObject({ endpoint, batchId });
    },
  );
  await holds({ group: GROUP, what: "damaged journal entries", share: 0.5 }, property);
});
