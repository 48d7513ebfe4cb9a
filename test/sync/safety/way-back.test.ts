/** The error about a damaged state is right: without the state's file, runs continue from the previous state. */
import { existsSync } from "node:fs";
import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileLedger, type RunReceipt } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { accounts, heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();

type Job = (sent: readonly string[], hashIds?: boolean) => Promise<RunReceipt>;
const ledgerOf = (hashIds = false) => fileLedger(service.directory, { hashIds });

/** Sends the accounts and one event, whose number is the watermark. */
const job =
  (snapshots: ["accounts"] | [], hasEvents: boolean): Job =>
  (sent, hashIds) =>
    service.run(
      snapshots,
      async (batch, context) => {
        if (snapshots.length > 0) await batch.write("accounts", accounts(sent));
        if (!hasEvents) return;
        const next = Number(context.watermark("usage") ?? 0) + 1;
        await batch.write("usage", [{ id: `e${next}`, sourceActorId: "a", lastActivity: new Date(1e12) }]);
        context.advance("usage", String(next));
      },
      { ledger: ledgerOf(hashIds) },
    );
const SETUPS: readonly (readonly [string, readonly Job[]])[] = [
  ["one job", [job(["accounts"], true)]],
  ["events only", [job([], true)]],
  ["two jobs", [job(["accounts"], false), job([], true)]],
];

/** The newest state, by its number. */
async function newestState(): Promise<string> {
  const states = (await service.files()).filter((path) => /state\.\d+$/.test(path));
  return states.at(-1) ?? "";
}

const DAMAGES: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ["cut", (path) => truncate(path, 50)],
  ["emptied", (path) => writeFile(path, "")],
  [
    "replaced by the one before",
    async (path) => {
      const before = path.replace(/\d+$/, (number) => String(Number(number) - 1).padStart(8, "0"));
      await writeFile(path, await readFile(before));
    },
  ],
];

/** The files that the error of a run names. */
async function namedBy(run: Promise<unknown>): Promise<string> {
  const error: unknown = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({
    message: expect.stringContaining("If it is deleted, runs continue from the previous state"),
  });
  const [, path = ""] = /ledger file (\S+?) cannot be used/.exec(String(error)) ?? [];
  expect(existsSync(path)).toBe(true);
  return path;
}

for (const [setup, jobs] of SETUPS)
  test.each(DAMAGES)(
    `${setup}: a state that was %s is reported until it is deleted, and then runs continue`,
    async (_, damage) => {
      for (let round = 0; round < 3; round += 1) for (const run of jobs) await run(ids(40));
      const path = await newestState();
      await damage(path);
      // Several nights.
      for (let night = 0; night < 3; night += 1)
        for (const run of jobs) expect(await namedBy(run(ids(40)))).toBe(path);
      await rm(path);
      for (let night = 0; night < 2; night += 1)
        for (const run of jobs) {
          const { collections, surprises } = await run(ids(40));
          expect(surprises).toEqual([]);
          if (collections.accounts !== undefined)
            expect(collections.accounts.expected).toMatchObject({ known: 40, kept: 40, removed: 0 });
        }
      const { installationId } = service;
      const history = await service.sync.history({ installationId, ledger: ledgerOf() });
      expect(history.runs.length).toBeGreaterThan(2);
      // The guard still works.
      if (setup !== "events only") await heldBy(jobs[0]?.(ids(5)) ?? Promise.resolve());
    },
  );

test("after going back to the previous state, the ids of both states count", async () => {
  const [, [run] = []] = SETUPS[0] ?? [];
  if (run === undefined) throw new Error("There is no job.");
  await run(ids(40));
  await run([...ids(40), ...ids(8, "late-")]);
  const path = await newestState();
  await truncate(path, 10);
  await rm(path);
  const { reasons } = await heldBy(run(ids(20)));
  expect(reasons[0]).toMatchObject({ baseline: "unclear", known: 48, removed: 28 });
  await run([...ids(40), ...ids(8, "late-")]);
  expect((await run([...ids(40), ...ids(8, "late-")])).collections.accounts?.expected).toMatchObject({
    baseline: "completed",
    known: 48,
  });
});

test("an approval ends the hold for a damaged state, and deletes the state", async () => {
  const [, [run] = []] = SETUPS[0] ?? [];
  await service.runAccounts(ids(40));
  await run?.(ids(40));
  const path = await newestState();
  await truncate(path, 10);
  const { approvalId: approve } = await heldBy(service.runAccounts(ids(30)));
  expect(existsSync(path)).toBe(true);
  await service.runAccounts(ids(30), { approve });
  expect(existsSync(path)).toBe(false);
  expect((await service.runAccounts(ids(30))).collections.accounts?.expected).toMatchObject({
    baseline: "completed",
    known: 30,
  });
});

test("two damaged states are reported one after the other", async () => {
  for (let round = 0; round < 3; round += 1) await service.runAccounts(ids(40));
  const first = await newestState();
  await truncate(first, 10);
  await heldBy(service.runAccounts(ids(40)));
  const second = await newestState();
  await truncate(second, 10);
  expect(await namedBy(service.runAccounts(ids(40)))).toBe(second);
  await rm(second);
  expect(await namedBy(service.runAccounts(ids(40)))).toBe(first);
  await rm(first);
  expect((await service.runAccounts(ids(40))).collections.accounts?.expected).toMatchObject({ known: 40 });
});

test("the very first state says correctly that the next run is a first one", async () => {
  await service.runAccounts(ids(40));
  const path = await newestState();
  await truncate(path, 10);
  await expect(service.run([], async () => {})).rejects.toThrow(
    "If it is deleted, the next run is a first one.",
  );
  await rm(path);
  await service.runAccounts(ids(40), { firstRun: true });
});

test("keeps the ids of the remaining state, and no older ids", async () => {
  for (let round = 0; round < 5; round += 1) await service.runAccounts(ids(40));
  const folder = dirname(await newestState());
  const kept = (await readdir(folder)).filter((name) => /\.ids$|^state/.test(name)).sort();
  expect(kept.map((name) => name.replace(/\.[0-9a-f]+-[0-9a-f]+\./, "."))).toEqual([
    "accounts.00000004.ids",
    "accounts.00000005.ids",
    "state.00000004",
    "state.00000005",
  ]);
});

test("with hashIds, keeps only hashed ids of the earlier state", async () => {
  const [, [run] = []] = SETUPS[0] ?? [];
  if (run === undefined) throw new Error("There is no job.");
  await run(ids(40, "clear-"));
  await run(ids(40, "clear-"), true);
  for (const path of await service.files()) expect(await readFile(path, "utf8")).not.toContain("clear-");
  await run(ids(40, "clear-"), true);
  const hashed = (await service.files()).filter((path) => path.endsWith(".ids"));
  expect(hashed).toHaveLength(2);
  await rm(await newestState());
  expect((await run(ids(40, "clear-"), true)).collections.accounts?.expected).toMatchObject({
    known: 40,
    kept: 40,
  });
});
