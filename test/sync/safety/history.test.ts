import { readFile, writeFile } from "node:fs/promises";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { CollectionLedger } from "../../../src/sync/ledger/collection-ledger.js";
import { openLedger } from "../../../src/sync/ledger/ledger.js";
import type { PastSnapshot } from "../../../src/sync/ledger/past.js";
import { pastsOf } from "../../support/ledgers.js";
import { testService } from "../../support/test-service.js";

const service = testService();
const ENDPOINT = "https://sync.example.com";
const FIELDS = {
  sample: { fields: ["name"], rows: "AAAA" },
  usual: { since: 1, at: 2, comparisons: 3, shares: { name: { lost: 0, other: 0.5, merged: 0 } } },
};
const pastOf = (sent: number, more: Partial<PastSnapshot> = {}): PastSnapshot => ({
  at: 1_700_000_000_000.5,
  sent,
  filled: { name: 2, "microsoft.displayName": 1 },
  ...more,
});

const ledgerOf = (installationId: string) =>
  openLedger(fileLedger(service.directory), { endpoint: ENDPOINT, installationId });
const ledger = () => new CollectionLedger(ledgerOf("Inst/1"), "accounts");

async function* linesOf(text: string) {
  yield Buffer.from(text);
}

let batches = 0;
async function saved(text: string, past?: PastSnapshot) {
  batches += 1;
  const draft = await ledger().draft(`run-${batches}`, linesOf(text), past);
  await draft.save();
  return draft;
}

async function rewrite(name: RegExp, change: (text: string) => string) {
  const path = await service.file(name);
  await writeFile(path, change(await readFile(path, "utf8")));
}

test("remembers the last completed snapshots, and what every snapshot was", async () => {
  expect(await pastsOf(ledger())).toEqual([]);
  const first = await saved("u0\n\\\\end\n", pastOf(2));
  const pasts = [pastOf(9, { superseded: ["removed"] }), pastOf(2, { fields: FIELDS })];
  await first.promote(pasts);
  await saved("u0\n", pastOf(1));
  await saved("");
  expect(await pastsOf(ledger())).toEqual(pasts);
  const known = await ledger().known();
  expect(known.map(({ state }) => state)).toEqual(["completed", "unclear", "unclear"]);
  expect(await Promise.all(known.map((ids) => ids.pasts()))).toEqual([pasts, [pastOf(1)], []]);
  const [completed] = known;
  const pieces: Uint8Array[] = [];
  for await (const piece of completed?.lines() ?? []) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe("u0\n\\\\end\n");
});

test("reads the ids once to tell what a snapshot was", async () => {
  await saved("u0\n", pastOf(1));
  const [unclear] = await ledger().known();
  for await (const _ of unclear?.lines() ?? []);
  await rewrite(/ids$/, () => "");
  expect(await unclear?.pasts()).toEqual([pastOf(1)]);
});

test.each([
  ["empty", () => ""],
  ["of an earlier version", () => "[]\n"],
  ["without its last line", (text: string) => text.replace(/\\end .*\n/, "")],
  ["edited by hand", (text: string) => text.replace('"sent":1', '"sent":0')],
])("refuses remembered snapshots if their value is %s", async (_, change) => {
  const draft = await saved("u0\n", pastOf(1));
  await draft.promote([pastOf(1)]);
  await rewrite(/\.completed$/, change);
  await expect(pastsOf(ledger())).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
    message: expect.stringMatching(/\.completed cannot be used: /),
  });
});

test("refuses ids if what they remember was edited", async () => {
  await saved("u0\n", pastOf(1));
  await rewrite(/ids$/, (text) => text.replace('"sent":1,', '"sent":0,'));
  const [unclear] = await ledger().known();
  await expect(unclear?.pasts()).rejects.toThrow("its length or its checksum differs");
});

test("knows an installation by any snapshot that was completed", async () => {
  const lines = () => linesOf("u0\n");
  const offer = { nonce: "1", digests: {} };
  await ledger().offer({ offer, covers: [{ rule: "no-baseline" }], expiresAt: 0, lines, added: lines });
  expect(await ledgerOf("Inst/1").isKnown()).toBe(false);
  const draft = await saved("u0\n");
  expect(await ledgerOf("Inst/1").isKnown()).toBe(false);
  await draft.promote();
  expect(await ledgerOf("Inst/1").isKnown()).toBe(true);
  expect(await ledgerOf("Inst/2").isKnown()).toBe(false);
});
