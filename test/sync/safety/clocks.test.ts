/** One run with a wrong clock weakens the guard for that run at most: times from the future count as now. */
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { openLedger } from "../../../src/runs/ledger/ledger.js";
import { noteApproved } from "../../../src/runs/ledger/notes.js";
import { connectorOf } from "../../support/connector.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const DAY_MS = 24 * 60 * 60_000;
const START = Date.UTC(2026, 0, 1);

/** Runs of one installation, each with its own clock. */
function runsOf() {
  const ledger = memoryLedger();
  const installationId = service.server.createInstallation();
  let time = START;
  let isFirst = true;
  const sync = service.syncClient({ clock: { now: () => time } });
  const run = (at: number, count: number, name = "name", changed = 0) => {
    time = at;
    const firstRun = isFirst;
    isFirst = false;
    const records = ids(count).map((id, i) => ({ id, name: `${i < changed ? "other" : name} ${id}` }));
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", records));
    return sync.run(connector, { ledger, installationId, firstRun });
  };
  const history = () => sync.history({ ledger, installationId });
  const scope = { endpoint: new URL(service.server.syncUrl).origin, installationId };
  const approve = (id = "") => noteApproved(openLedger(ledger, scope), id);
  const setClock = (at: number) => {
    time = at;
  };
  return { run, history, approve, setClock };
}

const AHEAD = [
  ["the first run", 0, 730 * DAY_MS],
  ["the first run", 0, 10 * DAY_MS],
  ["the second run", 1, 730 * DAY_MS],
  ["the fifth run", 4, 300 * DAY_MS],
] as const;

test.each(AHEAD)(
  "if the clock of %s (%i) was %i ms ahead, changed fields are held as usual",
  async (_, wrong, ahead) => {
    const { run } = runsOf();
    for (let day = 0; day < 14; day += 1) await run(START + day * DAY_MS + (day === wrong ? ahead : 0), 100);
    const { reasons } = await heldBy(run(START + 14 * DAY_MS, 100, "name", 60));
    expect(reasons).toMatchObject([{ rule: "changed", fields: [{ name: "name" }] }]);
  },
);

test.each(AHEAD)(
  "if the clock of %s (%i) was %i ms ahead, the size of that run is forgotten like any other",
  async (_, wrong, ahead) => {
    const { run } = runsOf();
    for (let day = 0; day < 6; day += 1) await run(START + day * DAY_MS + (day === wrong ? ahead : 0), 140);
    for (let day = 6; day < 20; day += 1) await run(START + day * DAY_MS, 120);
    // Runs with 100 ids would be held if they were still compared with 140.
    for (let day = 20; day < 30; day += 1) await run(START + day * DAY_MS, 100);
    await heldBy(run(START + 30 * DAY_MS, 70));
  },
);

test("treats a receipt from the future as completed now, so that no later run is late because of it", async () => {
  const { run, history } = runsOf();
  await run(START + 730 * DAY_MS, 10);
  await run(START, 10);
  const times = (await history()).runs.map(({ completedAt }) => completedAt.getTime());
  expect(times).toEqual([START, START]);
});

const WEEK_MS = 7 * DAY_MS;

test.each([
  ["two years", 730 * DAY_MS],
  ["eight days", 8 * DAY_MS],
  ["an hour", 60 * 60_000],
])(
  "an approval of a run held by a clock %s ahead ends seven days after the ledger's next entry",
  async (_, ahead) => {
    const { run, history, approve } = runsOf();
    await run(START, 100);
    const { approvalId } = await heldBy(run(START + ahead, 20));
    const [held] = (await history()).held;
    expect(held?.approval.expiresAt.getTime()).toBe(START + ahead + WEEK_MS);
    // This is another clean-up, with a correct clock.
    await approve(approvalId);
    await heldBy(run(START, 5));
    const [approved] = (await history()).held;
    expect(approved?.isApproved).toBe(true);
    expect(approved?.approval.expiresAt.getTime()).toBe(START + WEEK_MS);
    expect(approved?.heldAt.getTime()).toBe(START);
    expect(approved?.toString()).toContain(`before ${new Date(START + WEEK_MS).toISOString()}`);
    const late = await heldBy(run(START + WEEK_MS, 20));
    expect(late.message).toContain("it has expired");
  },
);

test("a run that is held again while the clock is ahead keeps the time of its approval", async () => {
  const { run, history, setClock } = runsOf();
  await run(START, 100);
  await heldBy(run(START, 20));
  await heldBy(run(START + 5 * DAY_MS, 20));
  setClock(START + DAY_MS);
  const [held] = (await history()).held;
  expect(held?.heldAt.getTime()).toBe(START);
  expect(held?.approval.expiresAt.getTime()).toBe(START + DAY_MS + WEEK_MS);
});
