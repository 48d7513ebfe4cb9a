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
    expect(figures.runs).toBeGreaterThan(80);
  });

  test("holds every run of a release that derives ids otherwise, and goes on after the roll-back by itself", async () => {
    const fleet = await fleetOf(10);
    const { vendor, workers } = fleet;
    workers.start();
    await fleet.schedule(1);
    await fleet.settled();
    expect(fleet.differences()).toEqual([]);
    const before = fleet.inspected();

    vendor.badRelease = true;
    await fleet.schedule(1);
    await fleet.settled();
    const held = workers.lines.filter(({ event }) => event === "failed");
    expect(held.map(({ installationId }) => installationId).sort()).toEqual([...fleet.ids].sort());
    expect(new Set(held.map(({ code, next }) => `${code} ${next}`))).toEqual(
      new Set(["RUN_HELD needs-approval"]),
    );
    // No batch was started: nobody who reads sees a difference.
    expect(fleet.inspected()).toEqual(before);

    vendor.badRelease = false;
    vendor.version += 1;
    await fleet.schedule(1);
    await fleet.settled();
    expect(fleet.differences()).toEqual([]);
  });

  test("a worker that is stopped ends its runs first", async () => {
    const fleet = await fleetOf(4);
    const worker = fleet.workers.start();
    await fleet.schedule(1);
    await expect.poll(() => fleet.workers.lines.length).toBeGreaterThan(0);
    expect(await fleet.workers.kill(worker, "SIGTERM")).toBe(0);
    const ids = (of: string) =>
      fleet.workers.lines.flatMap((line) => (line.event === of ? [line.installationId] : []));
    expect(ids("completed").sort()).toEqual(ids("began").sort());
    // What had not begun is left for the next worker.
    fleet.workers.start();
    await fleet.settled();
    expect(fleet.differences()).toEqual([]);
  });
});
