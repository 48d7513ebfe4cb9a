import { readFile } from "node:fs/promises";
import { type RunOptions, type Store, type SyncProgress, storeLedger } from "@saas-management/sdk";
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { memoryStore } from "../../../src/runs/ledger/store.js";
import { ofSnapshots } from "../../support/adopted.js";
import { connectorOf } from "../../support/connector.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();

test("passes a first run and reports that there was no baseline", async () => {
  const { collections } = await service.runAccounts(ids(10));
  expect(collections.accounts).toMatchObject({
    expected: { baseline: "none", known: 0, added: 10, kept: 0, removed: 0, duplicates: 0 },
    ...ofSnapshots({ reported: { added: 10 } }),
  });
});

test("passes removals below the threshold and reports them", async () => {
  await service.runAccounts(ids(10));
  const receipt = await service.runAccounts(ids(8));
  expect(receipt.collections.accounts).toMatchObject({
    expected: { baseline: "completed", known: 10, added: 0, kept: 8, removed: 2 },
    ...ofSnapshots({ reported: { removed: 2 } }),
  });
  const said = ofSnapshots(/^accounts +8 +0 +8 +2 +0 +8 +2$/m);
  expect(`${receipt}`).toMatch(said ?? /^accounts +8 +0 +8 +2 +– +– +–$/m);
  expect(service.present()).toEqual(ids(8));
});

test("holds a run that would remove more than a quarter, and sends nothing", async () => {
  await service.runAccounts(ids(10));
  const error = await heldBy(service.runAccounts([...ids(6), "new"]));
  expect(error.error).toMatchObject({ code: "RUN_HELD", retryable: false });
  const { report } = error.error;
  expect(report).toMatchObject({
    installationId: service.installationId,
    ledger: service.directory,
    approval: { id: expect.stringMatching(/^[\da-f]{32}$/), expiresAt: expect.any(Date) },
    reasons: [
      {
        collection: "accounts",
        rule: "removed",
        diff: { known: 10, sent: 7, added: 1, kept: 6, removed: 4 },
        examples: ["u6", "u7", "u8", "u9"],
      },
    ],
  });
  const lines = `${report}`.split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "Held: 4 of 10 accounts would be removed. Nothing was sent.",
    "accounts  10 → 7",
  ]);
  expect(lines[2]).toMatch(
    /^- accounts: 4 of 10 known ids would be removed \(40%\), such as "u6", "u7", "u8"; the limit is 2$/,
  );
  expect(lines.join(" ")).toContain(error.message.slice(error.message.indexOf("Check the filter")));
  expect(Object.keys(JSON.parse(JSON.stringify(report)))).toEqual([
    "installationId",
    "ledger",
    "summary",
    "reasons",
    "notes",
    "approval",
  ]);
  expect(service.present()).toEqual(ids(10));
  expect(service.states()).toEqual(["completed"]);
});

test("holds an empty snapshot, no matter how few records there were", async () => {
  await service.runAccounts(["u0"]);
  const error = await heldBy(service.runAccounts([]));
  expect(error.reasons[0]).toMatchObject({ known: 1, sent: 0, removed: 1 });
  expect(service.present()).toEqual(["u0"]);
});

test("holds a flood of new ids and lists them, and an approval covers at most these ids", async () => {
  await service.runAccounts(ids(1));
  const { approvalId, reasons } = await heldBy(service.runAccounts(ids(100)));
  expect(reasons).toMatchObject([{ rule: "added", known: 1, added: 99, removed: 0, examples: [] }]);
  const lines = (await readFile(reasons[0]?.listedIn ?? "", "utf8")).trimEnd().split("\n");
  expect(lines.slice(1, -1)).toEqual(ids(100).slice(1));
  const { collections } = await service.runAccounts(ids(90), { approve: approvalId });
  expect(collections.accounts).toMatchObject({ expected: { known: 1, added: 89, removed: 0 } });
});

test("stores and compares ids with any characters and of any length", async () => {
  const odd = [
    "\ufeffu",
    "a\nb",
    "a\\nb",
    "\\",
    "\\end {}",
    "ü€😀",
    "x".repeat(70_000),
    "\r",
    " ",
    "\\head {}",
    "\u{1b}[31m",
  ];
  await service.runAccounts(odd);
  const { collections } = await service.runAccounts(odd);
  expect(collections.accounts).toMatchObject({
    expected: { known: odd.length, kept: odd.length, removed: 0 },
  });
  const error = await heldBy(service.runAccounts([]));
  expect(error.reasons[0]?.examples).toEqual(odd.map((id) => id.slice(0, 200)));
  // The list of removals is text for people, and the approval reads it back.
  await service.runAccounts([], { approve: error.approvalId });
});

test("names at most 20 ids, and the file that lists all of them", async () => {
  await service.runAccounts(ids(3000));
  const [held] = (await heldBy(service.runAccounts(ids(100)))).reasons;
  expect(held?.examples).toEqual(ids(120).slice(100));
  const lines = (await readFile(held?.listedIn ?? "", "utf8")).trimEnd().split("\n");
  expect(lines.slice(1, -1)).toEqual(ids(3000).slice(100));
});

test("reports its figures as progress, with numbers only", async () => {
  await service.runAccounts(ids(4));
  const seen: SyncProgress[] = [];
  await heldBy(service.runAccounts([], { onProgress: (progress) => seen.push(progress) }));
  expect(seen.filter(({ type }) => type === "judged")).toEqual([
    {
      type: "judged",
      collection: "accounts",
      held: true,
      diff: { baseline: "completed", known: 4, sent: 0, added: 0, kept: 0, removed: 4, duplicates: 0 },
      rules: ["removed"],
    },
  ]);
});

test("refuses two records with one id and different contents", async () => {
  const run = service.run(["accounts"], async (batch) => {
    const hr = { id: "u1", name: "of HR" };
    await batch.write("accounts", [hr, ...accounts(1), { id: "u1", name: "of the vendor" }]);
  });
  await expect(run).rejects.toMatchObject({
    code: "INVALID_INPUT",
    issues: [{ collection: "accounts", index: 2, id: "u1", expected: expect.stringContaining("at index 0") }],
    message: expect.not.stringMatching(/of HR|of the vendor/),
  });
  expect(service.states()).toEqual([]);
});

test("counts duplicates with equal contents, unless guard and ledger are both off", async () => {
  for (const ledger of [memoryLedger(), "none" as const]) {
    const { collections } = await service.runAccounts(["u0", "u1", "u0", "u0"], { ledger });
    expect(collections.accounts).toMatchObject({ stats: { sent: 4 }, expected: { duplicates: 2 } });
  }
  const { collections } = await service.runAccounts(["u0", "u1", "u0"], { ledger: "none", guard: false });
  expect(collections.accounts).toMatchObject({ stats: { sent: 3, accepted: 3 } });
  expect(collections.accounts).not.toHaveProperty("duplicates");
  expect(collections.accounts).not.toHaveProperty("baseline");
});

test("accepts a user's store that is a class with private fields", async () => {
  class Own implements Store {
    readonly #below = memoryStore();
    putIfAbsent(key: string, value: AsyncIterable<Uint8Array>) {
      return this.#below.putIfAbsent(key, value);
    }
    get(key: string) {
      return this.#below.get(key);
    }
    list(prefix: string) {
      return this.#below.list(prefix);
    }
    delete(key: string) {
      return this.#below.delete(key);
    }
  }
  const ledger = storeLedger(new Own());
  expect(ledger.location).toBe("store");
  await service.runAccounts(ids(4), { ledger });
  const error = await heldBy(service.runAccounts([], { ledger }));
  expect(error.reasons[0]).toMatchObject({
    examples: ids(4),
    listedIn: expect.stringMatching(/^[a-z0-9._/-]+\.removals\.txt$/),
  });
  expect(error.message).toContain(`ids are listed in the ledger, as ${error.reasons[0]?.listedIn}`);
  const { installationId, sync } = service;
  const { collections } = await sync.preview(
    { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(4)) },
    { installationId, ledger },
  );
  expect(collections.accounts?.diff).toMatchObject({ known: 4, kept: 4 });
  const { collections: removed } = await service.runAccounts([], {
    ledger,
    approve: error.approvalId,
  });
  expect(removed.accounts).toMatchObject({ ...ofSnapshots({ reported: { removed: 4 } }) });
});

test("compares nothing without a ledger", async () => {
  await service.runAccounts(ids(4), { ledger: "none" });
  const { collections } = await service.runAccounts([], { ledger: "none" });
  expect(collections.accounts).toMatchObject({
    expected: { baseline: "off" },
    ...ofSnapshots({ reported: { removed: 4 } }),
  });
  expect(await service.files()).toEqual([]);
});

const rules = [
  [{ removed: { maxShare: 0.5 }, window: false }, 10, 5, "passes"],
  [{ removed: { maxShare: 0.5 } }, 10, 4, "is held"],
  [{ removed: { min: 8 }, window: false }, 10, 3, "passes"],
  [{ removed: { min: 7 } }, 10, 3, "is held"],
  [{ removed: { min: 1 } }, 2, 1, "is held"],
  [{}, 4, 2, "passes"],
  [{}, 12, 9, "passes"],
  [{}, 11, 8, "is held"],
  [{ removed: { max: 1 } }, 100, 98, "is held"],
  [{ removed: { max: 2 } }, 100, 98, "passes"],
  [{ removed: { max: 0 } }, 100, 99, "is held"],
  [{ collections: { accounts: false } }, 10, 0, "passes"],
  [{ collections: { accounts: { removed: { maxShare: 0.7 }, window: false } } }, 10, 4, "passes"],
  [{ removed: { maxShare: 1 }, collections: { accounts: { removed: { max: 3 } } } }, 10, 6, "is held"],
  [{ removed: false, window: false, changed: false }, 10, 0, "passes"],
  [{ removed: false }, 10, 0, "is held"],
  [{ added: false }, 10, 100, "passes"],
  [
    { removed: { maxShare: 0.7 }, window: false, collections: { accounts: { removed: { min: 2 } } } },
    10,
    4,
    "passes",
  ],
  [{ removed: false, collections: { accounts: { removed: {} } } }, 10, 0, "is held"],
  [{ collections: { plans: false } }, 10, 0, "is held"],
  [false, 10, 0, "passes"],
] as const;

test.each(rules)("with guard %j, a run from %i to %i records %s", async (guard, from, to, expected) => {
  await service.runAccounts(ids(from));
  const run = service.runAccounts(ids(to), { guard });
  if (expected === "is held") await heldBy(run);
  else await run;
  expect(service.present()).toHaveLength(expected === "is held" ? from : to);
});

test("holds a run whose ledger does not know the installation, until it is approved", async () => {
  const notSaid = { firstRun: false };
  const error = await heldBy(service.runAccounts(ids(4), notSaid));
  expect(error.reasons).toMatchObject([{ rule: "no-baseline", known: 0, sent: 4 }]);
  expect(error.message).toContain(service.directory);
  expect(service.states()).toEqual([]);
  await service.runAccounts(ids(4), { ...notSaid, approve: error.approvalId });
  await service.runAccounts(ids(4), notSaid);
  expect(service.states()).toEqual(["completed", "completed"]);
});

test("holds each snapshot of a run whose ledger does not know the installation, unless its guard is off", async () => {
  const run = (options: Partial<RunOptions>) =>
    service.run(
      ["accounts", "plans", "employees"],
      async (batch) => {
        await batch.write("accounts", accounts(2));
        await batch.write("plans", []);
        await batch.write("employees", []);
      },
      { firstRun: false, ...options },
    );
  const error = await heldBy(run({ guard: { collections: { employees: false } } }));
  expect(error.reasons.map(({ collection, rule }) => [collection, rule])).toEqual([
    ["accounts", "no-baseline"],
    ["plans", "no-baseline"],
  ]);
  await run({ guard: false });
  await run({});
  await run({ ledger: "none" });
});

test("does not hold a first run that has only events", async () => {
  const run = service.run([], (batch) => batch.write("usage", []), { firstRun: false });
  expect((await run).collections.usage?.stats).toMatchObject({ sent: 0 });
});

test("refuses firstRun before a batch is started if the ledger knows the installation", async () => {
  const first = { firstRun: true };
  await service.runAccounts(ids(4), first);
  await expect(service.runAccounts(ids(4), first)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(service.directory),
  });
  expect(service.states()).toEqual(["completed"]);
});

test("restarts a first run, even if its first batch may have been completed", async () => {
  for (const fault of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
    for (const nth of [1, 2]) service.server.faults.add({ on: fault, nth, fault: "drop", at: "request" });
  const run = service.runAccounts(ids(4), { firstRun: true, waitForLockMs: 20 * 60_000 });
  expect((await run).restarts).toBe(1);
});

const invalid = [
  { ledger: "/tmp/ledger" },
  { ledger: {} },
  { ledger: { location: "ledger" } },
  { guard: true },
  { guard: { removed: { maxShare: 25 } } },
  { guard: { removed: { maxShare: true } } },
  { guard: { removed: { maxShare: "1" } } },
  { guard: { removed: { min: 0 } } },
  { guard: { removed: { max: -1 } } },
  { guard: { removed: { max: "5" } } },
  { guard: { removed: { maxRatio: 0.5 } } },
  { guard: { removed: true } },
  { guard: { requireBaseline: true } },
  { firstRun: 1 },
  { guard: { window: { days: 0 } } },
  { guard: { window: { days: 32 } } },
  { guard: { changed: { max: 5 } } },
  { guard: { flipped: { maxShare: 0.5 } } },
  { guard: { flipped: { maxDistance: 1.5 } } },
  { guard: { added: { maxShare: -1 } } },
  { guard: { values: { min: 0.5 } } },
  { guard: { offUntil: "tomorrow" } },
  { guard: { offUntil: "2026-02-30" } },
  { guard: { offUntil: new Date(Number.NaN) } },
  { guard: { offUntil: 1_798_761_600_000 } },
  { guard: { collections: [] } },
  { guard: { collections: { acounts: false } } },
  { guard: { collections: { accounts: true } } },
  { guard: { collections: { accounts: { removed: { maxShare: Number.NaN } } } } },
  { approve: "" },
  { stopOnSignals: "yes" },
  { retryForMs: -1 },
  { retryForMs: 0.5 },
  { installationId: "" },
  { signal: {} },
];

test.each(invalid)("refuses the option %j before it calls the connector", async (wrong) => {
  const { installationId } = service;
  let called = false;
  const connector = connectorOf(["accounts"], (batch) => {
    called = true;
    return batch.write("accounts", []);
  });
  const options = { installationId, ledger: memoryLedger(), firstRun: true, ...wrong };
  const run: unknown = Reflect.apply(service.sync.run, service.sync, [connector, options]);
  await expect(run).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(called).toBe(false);
  expect(service.states()).toEqual([]);
});
