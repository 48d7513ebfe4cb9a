import {
  fileLedger,
  InvalidInputError,
  type PreviewOptions,
  type RunOptions,
  SaasManagementClient,
  type SnapshotCollection,
  type SyncProgress,
  storeLedger,
} from "@saas-management/sdk";
import { fromCsv } from "@saas-management/sdk/sources";
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/runs/ledger/store.js";
import type { SyncClientOptions } from "../../src/sync/options.js";
import type { RunFunction } from "../support/connector.js";
import { connectorOf, previewOf } from "../support/connector.js";
import { watchedStore } from "../support/stores.js";
import { accounts, heldBy, ids, testService } from "../support/test-service.js";

/** Length of the id that a preview uses in place of a batch's id. */
const LONG_ID = 64;
const service = testService();

/** Previews a run of the test's installation. */
function preview<const S extends SnapshotCollection>(
  snapshots: readonly S[],
  fn: RunFunction<S>,
  options: Partial<PreviewOptions> = {},
  client = service.sync,
) {
  const { installationId, directory } = service;
  return client.preview(connectorOf(snapshots, fn), {
    ledger: fileLedger(directory),
    installationId,
    ...options,
  });
}

/** Previews a run of these accounts without a ledger. */
function previewAccounts(accounts: readonly unknown[], client?: Partial<SyncClientOptions>) {
  // @ts-expect-error the records may be invalid
  return previewOf(["accounts"], (batch) => batch.write("accounts", accounts), {}, client);
}

test("runs a connector without a server, and tells the connector that this is a preview", async () => {
  const told: boolean[] = [];
  const fn: RunFunction<"accounts"> = async (batch, attempt) => {
    told.push(attempt.preview);
    await batch.write("accounts", accounts(["a", "b"]));
  };
  const { collections, refusals } = await previewOf(["accounts"], fn);
  expect(collections.accounts).toMatchObject({ stats: { sent: 2, messages: 1 }, issues: [] });
  expect(refusals).toEqual([]);
  await service.run(["accounts"], fn);
  expect(told).toEqual([true, false]);
});

test("counts records, messages and bytes as the run's receipt does, but leaves room for a long batch id", async () => {
  const sizes = { messageBytes: 4096, windowBytes: 10_000 };
  const { installationId } = service;
  const client = service.syncClient(sizes);
  const fn: RunFunction<"accounts" | "plans"> = async (batch) => {
    await batch.write(
      "accounts",
      (async function* () {
        for (let page = 0; page < 20; page += 1) yield accounts(ids(50, `page${page}-`));
      })(),
    );
    await batch.write("plans", []);
    await batch.write("usage", [
      { id: "e1", sourceActorId: "page0-0", lastActivity: "2026-01-01T00:00:00Z" },
    ]);
  };
  const snapshots = ["accounts", "plans"] as const;
  const { collections } = await preview(snapshots, fn, {}, client);
  const receipt = await client.run(connectorOf(snapshots, fn), { installationId, ledger: "none" });
  for (const name of ["accounts", "plans", "usage"] as const) {
    const { accepted = 0, messages = 0, bytes = 0 } = receipt.collections[name]?.stats ?? {};
    const room = messages * (LONG_ID - receipt.batchId.length);
    expect(collections[name]?.stats).toMatchObject({ accepted, messages, bytes: bytes + room });
  }
  expect(collections.accounts?.stats.messages).toBeGreaterThan(5);
});

test("continues after invalid records, and lists up to maxIssues of them with their locations", async () => {
  const rows = ids(300).map((id, i) => `${i % 3 === 0 ? "" : id},${id}@example.com`);
  const file = await service.writeFile("users.csv", ["id,email", ...rows].join("\n"));
  const source = () => fromCsv(file, { map: (row) => ({ id: row["id"] ?? "", email: row["email"] }) });
  const write: RunFunction<"accounts"> = async (batch) => void (await batch.write("accounts", source()));
  const { collections, refusals } = await preview(["accounts"], write, { maxIssues: 7, firstRun: true });
  expect(collections.accounts?.stats.accepted).toBe(200);
  expect(collections.accounts?.issues).toHaveLength(7);
  expect(collections.accounts?.issues[1]).toMatchObject({
    collection: "accounts",
    index: 3,
    location: expect.stringMatching(/users\.csv:5$/),
    path: "id",
  });
  expect(refusals).toEqual(["accounts has 100 invalid records."]);
  await expect(service.run(["accounts"], write)).rejects.toBeInstanceOf(InvalidInputError);
  const all = await preview(["accounts"], write);
  expect(all.collections.accounts?.issues).toHaveLength(100);
});

test("lists records that are too large for a message", async () => {
  const large = { id: "large", name: "n".repeat(5000) };
  const { collections } = await previewAccounts([large, ...accounts(["a"])], { maxSendMessageBytes: 1000 });
  expect(collections.accounts).toMatchObject({ stats: { sent: 1 }, issues: [{ id: "large" }] });
});

test("invalid records count towards expectedCount", async () => {
  const invalid = { id: "" };
  const whole = previewOf(["accounts"], async (batch) => {
    await batch.write("accounts", [invalid, ...accounts(["a"])], { expectedCount: 2 });
  });
  await expect(whole).resolves.toMatchObject({ collections: { accounts: { stats: { sent: 1 } } } });
  const open = previewOf(["accounts"], async (batch) => {
    const writer = batch.writer("accounts", { expectedCount: 2 });
    await writer.write([invalid, ...accounts(["a"])]);
    await writer.end();
  });
  await expect(open).resolves.toMatchObject({ collections: { accounts: { stats: { sent: 1 } } } });
});

test("counts repeated ids, and compares the contents of their records", async () => {
  const twice = { id: "b", name: "somebody else" };
  const { collections, refusals } = await previewAccounts([...accounts(["a", "b", "a"]), twice]);
  expect(collections.accounts).toMatchObject({
    stats: { sent: 3 },
    diff: { sent: 2, duplicates: 1 },
    duplicates: ["a", "b"],
    issues: [{ index: 3, id: "b", expected: expect.stringContaining("the record at index 1") }],
  });
  expect(refusals).toEqual(["accounts has 1 repeated id with different contents."]);
});

test("counts repeated ids but refuses none if the run does not check ids", async () => {
  const twice = [...accounts(["b"]), { id: "b", name: "somebody else" }];
  const { collections, refusals } = await previewOf(["accounts"], (batch) => batch.write("accounts", twice), {
    guard: false,
  });
  expect(collections.accounts).toMatchObject({ stats: { sent: 1 }, duplicates: ["b"] });
  expect(refusals).toEqual([]);
});

test("counts repeated events that have an id; a run accepts them", async () => {
  const at = "2026-01-01T00:00:00Z";
  const use = (sourceActorId: string) => ({ id: "e1", sourceActorId, lastActivity: at });
  const found = { sourceActorId: "a", lastActivity: at };
  const { collections, refusals } = await previewOf([], async (batch) => {
    await batch.write("usage", [use("a"), use("b")]);
    await batch.write("usage", [use("a")]);
    await batch.write("externallyDiscoveredUsage", [found, found]);
  });
  expect(collections.usage).toMatchObject({ stats: { sent: 3 }, duplicates: ["e1"] });
  expect(collections.usage?.diff).toBeUndefined();
  expect(collections.externallyDiscoveredUsage).toMatchObject({ stats: { sent: 2 }, duplicates: [] });
  expect(refusals).toEqual([]);
});

test("uses memory only for windows and ids, no matter how large the records are", async () => {
  const [pages, page, mib] = [50, 1000, 1024 * 1024];
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const { collections } = await previewOf(["accounts"], async (batch) => {
    await batch.write(
      "accounts",
      (function* () {
        for (let number = 0; number < pages; number += 1) {
          most = Math.max(most, process.memoryUsage().arrayBuffers - before);
          yield ids(page, `${number}-`).map((id) => ({ id, name: "n".repeat(2048) }));
        }
      })(),
    );
  });
  expect(collections.accounts?.stats.bytes).toBeGreaterThan(90 * mib);
  expect(most).toBeLessThan(30 * mib);
});

test("reports which accounts a run would add, keep and remove", async () => {
  await service.runAccounts(ids(40));
  const { collections, held, refusals } = await preview(["accounts"], async (batch) => {
    await batch.write("accounts", accounts([...ids(36), "new1", "new2"]));
  });
  expect(collections.accounts?.diff).toEqual({
    baseline: "completed",
    known: 40,
    sent: 38,
    added: 2,
    kept: 36,
    removed: 4,
    duplicates: 0,
  });
  expect(held).toBeUndefined();
  expect(refusals).toEqual([]);
});

test("reports that the guard would hold the run, judged by the preview's rules", async () => {
  await service.runAccounts(ids(40));
  const write: RunFunction<"accounts"> = async (batch) =>
    void (await batch.write("accounts", accounts(ids(20))));
  const progress: SyncProgress[] = [];
  const options: RunOptions = { onProgress: (event) => void progress.push(event) };
  const held = await preview(["accounts"], write, options);
  expect(progress.at(-1)).toMatchObject({ type: "judged", collection: "accounts", held: true });
  expect(held.held).toMatchObject({
    installationId: service.installationId,
    ledger: service.directory,
    reasons: [
      { collection: "accounts", rule: "removed", diff: { removed: 20 }, examples: ids(40).slice(20) },
    ],
    approval: undefined,
  });
  expect(held.refusals).toEqual(["A run would be held: 20 of 40 accounts would be removed."]);
  expect(`${held}`).toContain(` removed\n${held.held}`);
  const guard = { collections: { accounts: { removed: { maxShare: 0.5 }, window: false } } } as const;
  expect((await preview(["accounts"], write, { guard })).refusals).toEqual([]);
  const elsewhere = { installationId: "another" };
  expect((await preview(["accounts"], write, elsewhere)).held?.reasons).toMatchObject([
    { rule: "no-baseline", diff: { baseline: "none" } },
  ]);
  expect((await preview(["accounts"], write, { ...elsewhere, firstRun: true })).refusals).toEqual([]);
  await expect(preview(["accounts"], write, { firstRun: true })).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
  expect((await preview(["accounts"], write, { guard: false })).refusals).toEqual([]);
});

test("respects an approval as far as it covers the run, and does not use it up", async () => {
  await service.runAccounts(ids(40));
  const { approvalId: approve } = await heldBy(service.runAccounts(ids(20)));
  const previewed = (count: number) =>
    preview(["accounts"], (batch) => batch.write("accounts", accounts(ids(count))), { approve });
  expect(await previewed(20)).toMatchObject({ held: undefined, refusals: [] });
  expect(await previewed(19)).toMatchObject({ held: undefined, refusals: [] });
  const more = await previewed(9);
  expect(more.held?.reasons).toMatchObject([{ rule: "removed", diff: { removed: 31 } }]);
  expect(more.held?.notes).toEqual([
    expect.stringContaining(
      "The approval does not cover accounts: this run differs too much from the one that was held",
    ),
  ]);
  await service.runAccounts(ids(20), { approve });
});

test("never changes the ledger", async () => {
  await service.runAccounts(ids(40));
  const before = await service.files();
  await preview(["accounts"], async (batch) => void (await batch.write("accounts", [])));
  expect(await service.files()).toEqual(before);

  const calls = new Set<string>();
  const store = watchedStore(memoryStore(), (call, go) => {
    calls.add(call.method);
    return go();
  });
  await preview(["accounts"], async (batch) => void (await batch.write("accounts", [])), {
    ledger: storeLedger(store),
  });
  expect([...calls]).toEqual(["list"]);
});

test("requires an installation if there is a ledger", async () => {
  const none = async () => {};
  const previewed = previewOf(["accounts"], none, { ledger: memoryLedger() });
  await expect(previewed).rejects.toBeInstanceOf(InvalidInputError);
  await expect(previewOf([], none, { maxIssues: -1 })).rejects.toBeInstanceOf(InvalidInputError);
});

test("needs no key, and calls no hook", async () => {
  const events: unknown[] = [];
  const hook = (event: unknown) => void events.push(event);
  const { syncUrl, baseUrl } = service.server;
  const client = new SaasManagementClient({ syncUrl, baseUrl, onEvent: hook });
  const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(1)));
  const { collections } = await client.sync.preview(connector, { ledger: "none" });
  expect(collections.accounts).toMatchObject({ stats: { sent: 1 } });
  expect(events).toEqual([]);
  const noKey = { code: "AUTHENTICATION_FAILED", message: expect.stringContaining("apiKey") };
  const { installationId } = service;
  await expect(client.sync.startBatch({ installationId })).rejects.toMatchObject(noKey);
  expect(() => client.graphql).toThrow(expect.objectContaining(noKey));
  await client.close();
});

test("prints each collection without record contents, and serializes to JSON", async () => {
  await service.runAccounts(ids(10));
  const twice = { id: "u1", name: "somebody else" };
  const secret = { id: "u99", name: "Ada", email: 7 };
  const previewed = await preview(["accounts"], async (batch) => {
    await batch.write("accounts", [...accounts(ids(8)), twice, secret]);
  });
  const text = `${previewed}`;
  expect(text.replace(/[\d,]+ bytes/, "N bytes").replace(/(expected an id) .*/, "$1")).toBe(
    [
      "Preview: nothing was sent.",
      "accounts: 8 records, 1 message, N bytes",
      "  changes: 0 added, 8 kept, 2 removed",
      '  repeated ids: "u1"',
      '  - accounts[8] "u1": expected an id',
      '  - accounts[9] "u99" email: expected a string, got a number',
      "A run would not be completed. accounts has 1 invalid record. accounts has 1 repeated id with different contents.",
    ].join("\n"),
  );
  expect(text).not.toContain("Ada");
  expect(JSON.parse(JSON.stringify(previewed))).toMatchObject({
    collections: { accounts: { duplicates: ["u1"] } },
  });
  expect(Object.keys(previewed)).toEqual(["collections", "held", "refusals"]);
});

test("says in its string that changes are unknown without a ledger", async () => {
  expect(`${await previewAccounts(accounts(["a"]))}`).toMatch(
    /^Preview: nothing was sent\.\naccounts: 1 record, 1 message, \d+ bytes\n {2}changes unknown without a ledger\nA run would be completed\.$/,
  );
});
