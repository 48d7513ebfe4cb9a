/**
 * `old-ledger/` was written by version 0.1, and `ledger-without-history/` by the version that remembered ids only. `clear/`
 * has ids, `hashed/` was written with `hashIds`.
 */
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileLedger } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { connectorOf } from "../../support/connector.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const FOLDERS = {
  "old-ledger": "Inst_1-a8cda51e2185",
  "ledger-without-history": "inst_1-a8cda51e2185",
} as const;
type OldLedger = keyof typeof FOLDERS;
const pathOf = (old: OldLedger) => fileURLToPath(new URL(old, import.meta.url));
const APPROVAL_OF_REMOVALS = "00000000-0000-4000-8000-000000000001";
const APPROVAL_OF_BASELINE = "00000000-0000-4000-8000-000000000002";

/** A copy of the old files; they are of the installation `Inst/1` of another service. */
async function oldLedger(old: OldLedger, kind: "clear" | "hashed") {
  await cp(join(pathOf(old), kind), service.directory, { recursive: true });
  await chmod(join(service.directory, FOLDERS[old]), 0o700);
  return fileLedger(service.directory, { hashIds: kind === "hashed" });
}

/** The old files as if they were of the test's installation. */
async function ownLedger(old: OldLedger) {
  const from = join(pathOf(old), "clear", FOLDERS[old]);
  const endpoint = new URL(service.server.syncUrl).origin;
  const { installationId } = service;
  const hash = createHash("sha256").update(JSON.stringify([endpoint, installationId]));
  const folder = join(service.directory, `${installationId}-${hash.digest("hex").slice(0, 12)}`);
  await mkdir(folder, { mode: 0o700 });
  const own = (text: string) =>
    text.replace("https://sync.example.com", endpoint).replace("Inst/1", installationId);
  for (const name of await readdir(from)) {
    const bytes = await readFile(join(from, name));
    const changed = name.endsWith(".gz")
      ? gzipSync(own(gunzipSync(bytes).toString()))
      : own(bytes.toString());
    await writeFile(join(folder, name), changed, { mode: 0o600 });
  }
}

const members = (count: number, approve?: string) =>
  service.run(
    ["groupMembers"],
    (batch) =>
      batch.write(
        "groupMembers",
        ids(count).map((id) => ({ id, sourceGroupId: "g1", sourceMemberId: "u1" })),
      ),
    { approve, firstRun: false },
  );

test.each([
  ["clear", "old-ledger"],
  ["hashed", "old-ledger"],
  ["clear", "ledger-without-history"],
  ["hashed", "ledger-without-history"],
] as const)("gives the same verdicts with old files with %s ids of %s", async (kind, old) => {
  const ledger = await oldLedger(old, kind);
  const client = service.client({ syncUrl: "https://sync.example.com" });
  const changes = async (collection: "accounts" | "devices" | "groups", sent: readonly string[]) => {
    const connector = connectorOf([collection], (batch) => batch.write(collection, accounts(sent)));
    const { collections, held } = await client.sync.preview(connector, {
      ledger,
      installationId: "Inst/1",
    });
    const { diff } = collections[collection] ?? {};
    return { ...diff, held: held?.reasons[0]?.rule };
  };
  const odd = ["a\\b", "line\nbreak"];
  const before = await readdir(service.directory, { recursive: true });
  expect(await changes("devices", ids(9))).toMatchObject({ baseline: "completed", known: 10, removed: 1 });
  expect(await changes("devices", [])).toMatchObject({ held: "removed", removed: 10 });
  expect(await changes("accounts", [...ids(40), ...odd])).toMatchObject({
    baseline: "unclear",
    known: 62,
    removed: 20,
    held: "removed",
  });
  expect(await changes("accounts", [...ids(40), ...odd, ...ids(20, "new")])).toMatchObject({ kept: 62 });
  expect(await changes("groups", ids(4))).toMatchObject({ baseline: "none", known: 0 });
  expect(await readdir(service.directory, { recursive: true })).toEqual(before);
});

test.each([
  ["old-ledger", /accounts\.(completed|.*pending)\.gz$/],
  ["ledger-without-history", /accounts\.0000000[12]\./],
] as const)("replaces files of %s by the first completed snapshot", async (old, oldFiles) => {
  await ownLedger(old);
  await heldBy(service.runAccounts(ids(40), { firstRun: false }));
  const both = [...ids(40), ...ids(20, "new"), "a\\b", "line\nbreak"];
  for (const baseline of ["unclear", "completed"]) {
    const { collections } = await service.runAccounts(both, { firstRun: false });
    expect(collections.accounts).toMatchObject({ expected: { baseline, known: 62, kept: 62 } });
  }
  expect((await service.files()).filter((path) => oldFiles.test(path))).toEqual([]);
});

const OLD_LEDGERS = ["old-ledger", "ledger-without-history"] as const;

test.each(OLD_LEDGERS)("an approval of removals of %s is used once, and covers nothing else", async (old) => {
  await ownLedger(old);
  await members(4, APPROVAL_OF_REMOVALS);
  expect((await service.files()).filter((path) => /groupMembers|removals/.test(path))).toEqual(
    old === "old-ledger" ? [expect.stringMatching(/plans\.removals\.txt$/)] : [],
  );
  await heldBy(members(0, APPROVAL_OF_REMOVALS));
});

test.each(OLD_LEDGERS)("an approval of removals of %s does not cover more", async (old) => {
  await ownLedger(old);
  await heldBy(members(3, APPROVAL_OF_REMOVALS));
});

test("an approval of an old baseline covers it", async () => {
  await ownLedger("old-ledger");
  const details = { model: "SEAT_BASED", seatBased: {} } as const;
  const sent = [...ids(10), "\u202eodd"].map((id) => ({ id, externalPlanName: "Plan", details }));
  const plans = (approve?: string) =>
    service.run(["plans"], (batch) => batch.write("plans", sent), { firstRun: false, approve });
  await plans(APPROVAL_OF_BASELINE);
  expect((await plans()).collections.plans?.expected).toMatchObject({ baseline: "completed", kept: 11 });
});

test("a ledger without a history gets one run by run, and is guarded by ids until then", async () => {
  await ownLedger("ledger-without-history");
  const people = (count: number, email = true) => [
    ...ids(count).map((id) => ({ id, name: id, ...(email ? { email: `${id}@example.com` } : {}) })),
    ...[...ids(20, "new"), "a\\b", "line\nbreak"].map((id) => ({ id, name: id })),
  ];
  const send = (records: ReturnType<typeof people>, approve?: string) =>
    service.run(["accounts"], (batch) => batch.write("accounts", records), { firstRun: false, approve });
  const rules = async (records: ReturnType<typeof people>) =>
    (await heldBy(send(records))).reasons.map(({ rule }) => rule);
  expect(await rules(people(5))).toEqual(["removed"]);
  expect(await rules(people(150))).toEqual(["added"]);
  // Nobody knows yet which fields had values.
  await send(people(40, false));
  await send(people(40));
  expect(await rules(people(40, false))).toEqual(["emptied"]);
  await send(people(30));
  expect(await rules(people(20))).toEqual(["window", "emptied"]);
  const { collections } = await send(people(40));
  expect(collections.accounts?.expected).toMatchObject({ baseline: "completed", known: 52, added: 10 });
});
