import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileLedger, type LedgerScope } from "@saas-management/sdk/sync";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entryName, readEntry, writeEntry } from "../../src/sync/ledger/journal-entry.js";
import { holds } from "../support/fuzz.js";
import { outcomeOf } from "../support/hostile.js";
import { flippedBits, mutatedBytes } from "../support/mutated-bytes.js";
import { TIMEOUT_MS } from "../support/property-runs.js";

const SCOPE: LedgerScope = {
  endpoint: "https://sync.example.com",
  installationId: "../installation",
  collection: "accounts",
};
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
const ENTRY = {
  endpoint: SCOPE.endpoint,
  installationId: SCOPE.installationId,
  batchId: "batch-1",
  owner: { boot: "b", namespace: "n", pid: 7, startedAt: "1" },
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "fuzz-ledger-"));
  const draft = await fileLedger(root).draft(SCOPE, "batch-1");
  const lines = IDS.map((id) => `${id.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`).join("");
  await draft.write(new TextEncoder().encode(lines));
  await draft.save();
  await draft.promote();
  const [folder = ""] = await readdir(root);
  const [file = ""] = await readdir(join(root, folder));
  ledgerFile = join(root, folder, file);
  ledgerBytes = await readFile(ledgerFile);
  entryPath = join(root, entryName(ENTRY));
  await writeEntry(entryPath, ENTRY);
  entryBytes = await readFile(entryPath);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The ids that the ledger says it knows; undefined where it says that it cannot tell. */
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

describe("a file of the ledger that was damaged", { timeout: TIMEOUT_MS }, () => {
  it("holds the run, or gives the very ids that were written", async () => {
    const whole = await known();
    expect(whole?.split("\n")).toHaveLength(IDS.length + 1);
    const text = gunzipSync(ledgerBytes);
    const damaged = fc.oneof(
      mutatedBytes([ledgerBytes]),
      mutatedBytes([text]).map((bytes) => gzipSync(bytes)),
      flippedBits([text]).map((bytes) => gzipSync(bytes)),
    );
    const seen = { whole: 0, refused: 0 };
    const property = fc.asyncProperty(damaged, async (bytes) => {
      await writeFile(ledgerFile, bytes, { mode: 0o600 });
      const ids = await known();
      seen[ids === undefined ? "refused" : "whole"] += 1;
      if (ids !== undefined) expect(ids).toBe(whole);
    });
    await holds({ group: "ledger and journal files", what: "damaged ledger files", share: 0.5 }, property);
    expect(seen.refused).toBeGreaterThan(0);
    await writeFile(ledgerFile, ledgerBytes);
  });

  it("is never written outside of the ledger's directory, whatever the installation is called", async () => {
    const directory = join(root, "inside");
    await mkdir(directory);
    const property = fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(..."./\\~ab\0\n") }),
      async (installationId) => {
        const draft = await fileLedger(directory).draft(
          { ...SCOPE, installationId: `../${installationId}` },
          "b",
        );
        await draft.discard();
        const folders = await readdir(root);
        expect(folders.filter((name) => name !== "inside").sort()).toEqual(
          [dirname(ledgerFile), entryPath].map((path) => path.slice(root.length + 1)).sort(),
        );
      },
    );
    await holds({ group: "ledger and journal files", what: "names of installations", share: 0.05 }, property);
  });
});

describe("an entry of the journal that was damaged", { timeout: TIMEOUT_MS }, () => {
  it("is known as that, or says what was written: no batch is aborted that it does not name", async () => {
    const property = fc.asyncProperty(
      fc.oneof(mutatedBytes([entryBytes]), flippedBits([entryBytes])),
      async (bytes) => {
        await writeFile(entryPath, bytes, { mode: 0o600 });
        const outcome = await outcomeOf(() => readEntry(entryPath));
        if (outcome?.error === undefined && outcome?.value.kind === "entry")
          expect(outcome.value.entry).toEqual(ENTRY);
      },
    );
    await holds({ group: "ledger and journal files", what: "damaged journal entries", share: 0.5 }, property);
  });
});
