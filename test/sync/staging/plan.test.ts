import { writeFile } from "node:fs/promises";
import { fileLedger } from "@saas-management/sdk";
import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { memoryStore } from "../../../src/sync/ledger/memory-ledger.js";
import { requireStaged } from "../../../src/sync/staging/parts.js";
import { fileStaging, storeStaging } from "../../../src/sync/staging/staging.js";
import { accounts } from "../../support/accounts.js";
import { directory, filesIn, offlineClient, PLAN, stage, statesOf } from "../../support/staged.js";
import { syncClient } from "../../support/sync-client.js";
import { testService } from "../../support/test-service.js";

const service = testService();
const LONG = "x".repeat(1001);

test.each<[unknown, object, string]>([
  ["staging", {}, "staging must be fileStaging(directory), storeStaging(store) or postgresStaging(pool)."],
  [undefined, { partitions: {} }, "partitions must name at least one collection"],
  [
    undefined,
    { partitions: { accounts: [] } },
    "partitions.accounts must be an array with at least one name, got an empty one. Leave accounts out",
  ],
  [undefined, { partitions: { accounts: "a-m" } }, "at least one name, got a string"],
  [
    undefined,
    { partitions: ["accounts"] },
    'must be an object such as { accounts: ["a-m", "n-z"] }, got an array',
  ],
  [undefined, { partitions: { accounts: ["a", "b", "a"] } }, 'partitions.accounts has "a" twice'],
  [
    undefined,
    { partitions: { accounts: [""] } },
    "Each of partitions.accounts must be a string of 1 to 1,000 characters, got an empty string",
  ],
  [undefined, { partitions: { accounts: [LONG] } }, "got 1001 characters"],
  [
    undefined,
    { partitions: { Accounts: ["a"] } },
    'There is no collection "Accounts". Did you mean accounts?',
  ],
  [undefined, { runKey: "" }, "runKey must be a string of 1 to 1,000 characters, got an empty string"],
  [undefined, { runKey: LONG }, "runKey must be a string of 1 to 1,000 characters, got 1001 characters"],
  [undefined, { version: 3 }, "version must be a string of 1 to 1,000 characters, got a number"],
  [undefined, { ledger: undefined }, "No ledger"],
  [undefined, { ledger: {} }, "ledger must be fileLedger(directory)"],
  [undefined, { installationId: "" }, "installationId must be the id"],
  [undefined, { runkey: "x" }, "stage: unknown option runkey. Did you mean runKey?"],
])("refuses the staging %j with %j", async (staging, options, message) => {
  const opened = offlineClient().stage(
    (staging ?? storeStaging(memoryStore())) as never,
    { ...PLAN, ...options } as never,
  );
  await expect(opened).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(message),
  });
});

test("all that open a run get the same one", async () => {
  const root = directory();
  const first = await stage(fileStaging(root));
  await first.extract("accounts", "a-m", accounts(["a"]));
  const again = await stage(fileStaging(root), { partitions: { accounts: ["n-z", "a-m"] } });
  await again.extract("accounts", "n-z", accounts(["z"]));
  expect(await statesOf(first)).toEqual([
    "a-m: sealed, 1 records, 1 attempts",
    "n-z: sealed, 1 records, 1 attempts",
  ]);
  expect(requireStaged(again).plan).toEqual(requireStaged(first).plan);
  expect([...(await filesIn(root)).keys()].filter((name) => name.includes("plan"))).toHaveLength(1);
});

test("of processes that open a run at once, all get the same one", async () => {
  const store = memoryStore();
  const runs = await Promise.all(Array.from({ length: 8 }, () => stage(storeStaging(store))));
  expect(new Set(runs.map((run) => requireStaged(run).plan.id)).size).toBe(1);
});

test.each<[object, object, string]>([
  [{ version: "2.0" }, {}, 'version ("1.0"; now "2.0")'],
  [{ installationId: "other" }, {}, 'installationId ("installation-1"; now "other")'],
  [{}, { endpoint: "http://127.0.0.1:2" }, 'endpoint ("http://127.0.0.1:1"; now "http://127.0.0.1:2")'],
  [{ partitions: { accounts: ["all"] } }, {}, 'partitions of accounts ("a-m", "n-z"; now "all")'],
  [
    { partitions: { accounts: ["a-m", "n-z"], usage: ["today"] } },
    {},
    'partitions of usage (none; now "today")',
  ],
])("refuses to open a run with %j and %j that was opened otherwise", async (options, client, difference) => {
  const staging = storeStaging(memoryStore());
  await stage(staging);
  await expect(stage(staging, options, client)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: `The run "nightly" was opened before with another plan: ${difference}. Open it as before, discard it first, or choose another runKey.`,
  });
});

test("a discarded run may be opened again, also with another plan", async () => {
  const staging = storeStaging(memoryStore());
  const first = await stage(staging);
  await first.extract("accounts", "a-m", accounts(["a"]));
  await first.discard();
  const second = await stage(staging, { version: "2.0" });
  expect(await statesOf(second)).toEqual([
    "a-m: missing, 0 records, 0 attempts",
    "n-z: missing, 0 records, 0 attempts",
  ]);
  await expect(first.extract("accounts", "a-m", accounts(["a"]))).rejects.toThrow("was discarded");
});

test("refuses a partition or a collection that the plan does not have", async () => {
  const run = await stage();
  await expect(run.extract("accounts", "all" as never, [])).rejects.toThrow(
    'The plan of the run "nightly" does not have the partition "all" of accounts. Its partitions: "a-m", "n-z".',
  );
  await expect(run.extract("plans" as never, "all" as never, [])).rejects.toThrow(
    'The plan of the run "nightly" does not have plans. Its collections: accounts.',
  );
  await expect(run.extract("acounts" as never, "all" as never, [])).rejects.toThrow("There is no collection");
  await expect(run.extract("accounts", "a-m", [], { expectedcount: 1 } as never)).rejects.toThrow(
    "extract: unknown option expectedcount",
  );
});

test("a plan is after the runs that were completed or sealed before it, and has their watermarks", async () => {
  const staging = fileStaging(service.directory);
  const ledger = fileLedger(service.directory);
  await service.run(["accounts"], async (batch, { advance }) => {
    await batch.write("accounts", accounts(["a"]));
    advance("usage", "monday");
  });
  const client = syncClient(service.server.syncUrl);
  const open = (runKey: string) =>
    client.stage(staging, {
      ...PLAN,
      runKey,
      ledger,
      installationId: service.installationId,
      partitions: { accounts: ["all"] },
    });
  const sealed = await open("sealed");
  await sealed.extract("accounts", "all", accounts(["a"]));
  await open("open");
  const discarded = await open("discarded");
  await discarded.extract("accounts", "all", accounts(["a"]));
  await discarded.discard();
  const { plan } = requireStaged(await open("last"));
  expect(plan.watermarks).toEqual({ usage: "monday" });
  expect(plan.after).toEqual([requireStaged(sealed).plan.id, expect.stringMatching(/^[0-9a-f]{12}$/)]);
});

test("sweep discards old runs, and leaves young ones", async () => {
  const root = directory();
  const clock = new TestClock({ startAt: new Date("2026-11-22") });
  const staging = fileStaging(root, { clock });
  const old = await stage(staging, { runKey: "old" }, { clock });
  await old.extract("accounts", "a-m", [{ id: "a", name: "Kim" }]);
  clock.advance(1000);
  const young = await stage(staging, { runKey: "young" }, { clock });
  await young.extract("accounts", "a-m", [{ id: "b", name: "Lee" }]);
  await staging.sweep({ olderThanMs: 1000 });
  expect((await statesOf(young))[0]).toBe("a-m: sealed, 1 records, 1 attempts");
  clock.advance(1);
  await staging.sweep({ olderThanMs: 1000 });
  await expect(old.status()).rejects.toThrow('The run "old" was discarded');
  const left = [...(await filesIn(root)).values()].join();
  expect(left).toContain("Lee");
  expect(left).not.toContain("Kim");
  await staging.sweep({ olderThanMs: 0 });
  await expect(young.status()).rejects.toThrow('The run "young" was discarded');
  await expect(staging.sweep({ olderThanMs: -1 })).rejects.toThrow("olderThanMs must be");
  await expect(staging.sweep({} as never)).rejects.toThrow("olderThanMs must be");
});

test("a commit deletes also what a killed extraction had begun to write", async () => {
  const root = directory();
  const staging = fileStaging(root);
  const run = await service.sync.stage(staging, { ...PLAN, installationId: service.installationId });
  await run.extract("accounts", "a-m", [{ id: "a", name: "Kim" }]);
  await run.extract("accounts", "n-z", []);
  const [segment = ""] = [...(await filesIn(root)).keys()].filter((name) => name.includes("/s/"));
  await writeFile(`${root}/${segment}.0123456789ab.tmp`, "Lee");
  await service.sync.commit(run, { firstRun: true });
  expect([...(await filesIn(root)).values()].join()).not.toMatch(/Kim|Lee/);
  expect(await statesOf(run)).toEqual([
    "a-m: sealed, 1 records, 1 attempts",
    "n-z: sealed, 0 records, 1 attempts",
  ]);
});
