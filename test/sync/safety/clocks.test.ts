/** One run with a wrong clock weakens the guard for that run at most: times from the future count as now. */
import { memoryLedger } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { connectorOf } from "../../support/connector.js";
import { heldBy, ids, testService } from "../../support/test-service.js";

const service = testService();
const DAY_MS = 24 * 60 * 60_000;
const START = Date.UTC(2026, 0, 1);

/** Runs of one installation, each with a clock of its own. */
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
  return { run, history };
}

const AHEAD = [
  ["the first run", 0, 730 * DAY_MS],
  ["the first run", 0, 10 * DAY_MS],
  ["the second run", 1, 730 * DAY_MS],
  ["the fifth run", 4, 300 * DAY_MS],
] as const;

test.each(AHEAD)(
  "if the clock of %s (%i) was %i ms ahead, changed fields are held as ever",
  async (_, wrong, ahead) => {
    const { run } = runsOf();
    for (let day = 0; day < 14; day += 1) await run(START + day * DAY_MS + (day === wrong ? ahead : 0), 100);
    const { reasons } = await heldBy(run(START + 14 * DAY_MS, 100, "name", 60));
    expect(reasons).toMatchObject([{ rule: "changed", fields: [{ name: "name" }] }]);
  },
);

test.each(AHEAD)(
  "if the clock of %s (%i) was %i ms ahead, its size is forgotten like that of others",
  async (_, wrong, ahead) => {
    const { run } = runsOf();
    for (let day = 0; day < 6; day += 1) await run(START + day * DAY_MS + (day === wrong ? ahead : 0), 140);
    for (let day = 6; day < 20; day += 1) await run(START + day * DAY_MS, 120);
    // Of 140, they would be too few.
    for (let day = 20; day < 30; day += 1) await run(START + day * DAY_MS, 100);
    await heldBy(run(START + 30 * DAY_MS, 70));
  },
);

test("a receipt from the future was completed now, and no later run is late because of it", async () => {
  const { run, history } = runsOf();
  await run(START + 730 * DAY_MS, 10);
  await run(START, 10);
  const times = (await history()).runs.map(({ completedAt }) => completedAt.getTime());
  expect(times).toEqual([START, START]);
});
