import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RecordOf, RunOptions } from "@saas-management/sdk";
import { memoryLedger } from "@saas-management/sdk/testing";
import { describe, expect, test } from "vitest";
import { ofSnapshots } from "../../support/adopted.js";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const DAY_MS = 24 * 60 * 60 * 1000;
const COMPLETED = /accounts\..+\.ids$/;

test("an approval lets the same run pass exactly once", async () => {
  await service.runAccounts(ids(10));
  const { approvalId } = await heldBy(service.runAccounts(ids(4)));
  const { collections } = await service.runAccounts(ids(4), { approve: approvalId });
  expect(collections.accounts).toMatchObject({
    expected: { known: 10, removed: 6 },
    ...ofSnapshots({ reported: { removed: 6 } }),
  });
  expect(service.present()).toEqual(ids(4));
  // An approval of a run that was completed may stay in the configuration.
  await service.runAccounts(ids(4), { approve: approvalId });
  const again = await heldBy(service.runAccounts([], { approve: approvalId }));
  expect(again.approvalId).not.toBe(approvalId);
});

test("an approval keeps its id if the next run is held for the same reason, and is valid for seven more days", async () => {
  await service.runAccounts(ids(10));
  const first = await heldBy(service.runAccounts(ids(4)));
  expect(first.error.report.approval?.expiresAt.getTime()).toBeGreaterThan(
    service.clock.now() + 6.9 * DAY_MS,
  );
  service.clock.advance(6 * DAY_MS);
  const second = await heldBy(service.runAccounts(ids(4)));
  expect(second.approvalId).toBe(first.approvalId);
  service.clock.advance(6 * DAY_MS);
  await service.runAccounts(ids(4), { approve: first.approvalId });
  expect(service.present()).toEqual(ids(4));
});

function people(count: number, more: Partial<RecordOf<"accounts">> = {}): RecordOf<"accounts">[] {
  return ids(count).map((id) => ({
    id,
    name: `name ${id}`,
    email: `${id}@example.com`,
    username: id,
    active: true,
    ...more,
  }));
}

function send(records: readonly RecordOf<"accounts">[], options: Partial<RunOptions> = {}) {
  return service.run(["accounts"], (batch) => batch.write("accounts", records), options);
}

test.each([
  ["lost values", "changed", () => people(40, { email: "" })],
  ["a boolean", "changed", () => people(40, { active: false })],
  ["other people", "changed", () => people(40).map((one) => ({ ...one, name: `n ${one.id}` }))],
  ["new ids", "added", () => people(100)],
] as const)(
  "of %s keeps its id if the run is held again for the same reason, and is used once",
  async (_, rule, records) => {
    await send(people(40));
    const first = await heldBy(send(records()));
    expect(first.reasons.map((reason) => reason.rule)).toEqual([rule]);
    expect((await heldBy(send(records()))).approvalId).toBe(first.approvalId);
    const receipt = await send(records(), { approve: first.approvalId });
    expect(receipt.collections.accounts?.approved).toEqual([rule]);
    expect(`${receipt}`).toContain(`accounts: approved: ${rule}.`);
    // A used approval may stay in the configuration, but no longer covers anything.
    await send(records(), { approve: first.approvalId });
    const next = await heldBy(send(people(5, { username: "" }), { approve: first.approvalId }));
    expect(next.message).toContain("no approval is pending");
  },
);

test("lists and ids remain until the next completed run deletes them", async () => {
  const lists = async () => (await service.files()).filter((path) => /\.(txt|held)$/.test(path));
  await service.runAccounts(ids(10));
  await heldBy(service.runAccounts(ids(100, "other")));
  expect(await lists()).toHaveLength(3);
  await service.runAccounts(ids(10));
  expect(await lists()).toEqual([]);
});

const damage = async () => truncate(await service.file(COMPLETED), 60);
const lose = async () => rm(dirname(await service.file(COMPLETED)), { recursive: true });
const leaveDamaged = async () => {
  const path = join(dirname(await service.file(COMPLETED)), "accounts.00000009.abcdefabcdef.ids");
  await writeFile(path, "damaged", { mode: 0o600 });
};
const losses = [
  ["damaged", "unreadable-ledger", damage],
  ["lost", "no-baseline", lose],
  ["partly damaged", "unreadable-ledger", leaveDamaged],
] as const;

describe.each(losses)("an approval of a new baseline, if the ledger is %s,", (_, rule, lose) => {
  const heldRun = async () => {
    await service.runAccounts(ids(40));
    await lose();
    return heldBy(service.runAccounts(ids(40)));
  };

  test("lists the ids of the held run", async () => {
    const { reasons } = await heldRun();
    expect(reasons).toMatchObject([{ rule, sent: 40 }]);
    const listed = await readFile(reasons[0]?.listedIn ?? "", "utf8");
    expect(listed.split("\n").slice(1, -2)).toEqual(ids(40));
  });

  test.each([
    ["a truncated snapshot", ids(2)],
    ["an empty snapshot", []],
    ["other ids", ids(40, "other")],
  ])("does not cover %s", async (_, sent) => {
    const { approvalId } = await heldRun();
    await heldBy(service.runAccounts(sent, { approve: approvalId }));
    expect(service.present()).toEqual(expect.arrayContaining(ids(40)));
  });

  test("covers any run that the guard would let through after the held one", async () => {
    const { approvalId } = await heldRun();
    const sent = [...ids(38), ...ids(20, "new")];
    await service.runAccounts(sent, { approve: approvalId });
    const { collections } = await service.runAccounts(sent);
    expect(collections.accounts).toMatchObject({ expected: { baseline: "completed", known: 58 } });
  });
});

test("an approval has no effect if all readable ids are gone, no matter how many ids the held run had", async () => {
  await service.runAccounts(ids(10));
  await leaveDamaged();
  const { approvalId } = await heldBy(service.runAccounts([...ids(10), ...ids(90, "new")]));
  await heldBy(service.runAccounts(ids(90, "new"), { approve: approvalId }));
  expect(service.present()).toEqual(expect.arrayContaining(ids(10)));
});

test("calls onHeld of the client or of the run with a held run, and waits for it", async () => {
  const told: string[] = [];
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const client = service.client({
    logger: { debug: log, info: log, warn: log, error: log },
    sync: {
      installationId: service.installationId,
      ledger: memoryLedger(),
      onHeld: async (report) => {
        await new Promise(setImmediate);
        told.push(`client: ${report.reasons[0]?.collection} ${report.reasons[0]?.diff.removed}`);
      },
    },
  });
  const run = (count: number, options?: RunOptions) =>
    client.sync.run(
      { snapshots: ["accounts"], run: (batch) => batch.write("accounts", accounts(count)) },
      options,
    );
  await run(10, { firstRun: true });
  await heldBy(run(4));
  expect(told).toEqual(["client: accounts 6"]);
  const broken = () => Promise.reject(new Error("no mail"));
  await heldBy(run(4, { onHeld: broken }));
  expect(told).toHaveLength(1);
  expect(logged).toContain("saas-management: onHeld failed");
  await expect(run(4, JSON.parse('{"onHeld":1}'))).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
