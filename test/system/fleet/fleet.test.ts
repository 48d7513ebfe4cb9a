import { describe, expect, onTestFinished, test } from "vitest";
import { chaos } from "./chaos.js";
import { Fleet } from "./fleet.js";
import { skipped, whySkipped } from "./node-24.js";

const DELAY_MS = 20;

async function fleetOf(count: number): Promise<Fleet> {
  const fleet = await Fleet.start(count, DELAY_MS);
  onTestFinished(() => fleet.close(), 30_000);
  return fleet;
}

describe.skipIf(skipped)(`a fleet of installations on pg-boss${whySkipped}`, () => {
  test("kills, a restart of the database and two schedulers leave each snapshot as its source", async () => {
    const fleet = await fleetOf(40);
    const figures = await chaos(fleet, { kills: 10, mostPauseMs: 1500, seed: 7 });
    expect(figures).toMatchObject({ differences: [], overlaps: [], dead: 0 });
    expect(figures.longestWaitMs).toBeLessThan(15_000);
  });
});
