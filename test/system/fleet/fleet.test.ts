import { describe, expect, onTestFinished, test } from "vitest";
import { chaos } from "./chaos.js";
import { Fleet } from "./fleet.js";
import { skipped, whySkipped } from "./node-24.js";

const DELAY_MS = 20;

async function fleetOf(count: number): Promise<Fleet> {
  const fleet = await Fleet.start(count, DELAY_MS);
  onTestFinished(() => fleet.close());
  return fleet;
}

// Without a time limit: a fleet takes longer on a busy machine, and gives up if its workers print nothing more.
describe.skipIf(skipped)(`a fleet of installations on pg-boss${whySkipped}`, { timeout: 0 }, () => {
  test("each snapshot equals its source despite kills, a database restart and two schedulers", async () => {
    const fleet = await fleetOf(40);
    const figures = await chaos(fleet, { kills: 10, mostPauseMs: 1500, seed: 7 });
    expect(figures).toMatchObject({ differences: [], earlyOverlaps: [], dead: 0 });
    expect(figures.runs).toBeGreaterThan(80);
    // A restarting database counts as out of reach, not as a configuration error.
    expect(Object.keys(figures.failed).filter((each) => /fix-|needs-/.test(each))).toEqual([]);
  });

  test("holds every run of a release that derives ids differently, and recovers by itself after a rollback", async () => {
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
    expect(new Set(held.map(({ code }) => code))).toEqual(new Set(["RUN_HELD"]));
    // No batch was started, so readers see no difference.
    expect(fleet.inspected()).toEqual(before);

    vendor.badRelease = false;
    vendor.version += 1;
    await fleet.schedule(1);
    await fleet.settled();
    expect(fleet.differences()).toEqual([]);
  });

  test("a worker that stalls and resumes after others took its jobs never restores an older state", async () => {
    const fleet = await fleetOf(8);
    const { vendor, workers } = fleet;
    const stalled = workers.start();
    await fleet.schedule(1);
    await fleet.until(() => fleet.inspected().some(({ lock }) => lock !== null));
    workers.send(stalled, "SIGSTOP");
    expect(workers.going(stalled)).toBeGreaterThan(0);
    vendor.version += 1;
    await fleet.schedule(1);
    workers.start();
    await fleet.settled();
    workers.send(stalled, "SIGCONT");
    await fleet.until(() => workers.going(stalled) === 0);
    // This shows that an installation had two runs at once, which the engine can't prevent.
    expect(workers.overlaps().map((each) => each.workers[0])).toContain(stalled);
    expect(fleet.differences()).toEqual([]);
  });

  test("a worker that stalls between claiming and starting a job leaves the job to the next owner", async () => {
    const fleet = await fleetOf(4);
    const { workers } = fleet;
    const stalled = workers.start("stall-script");
    await fleet.schedule(1);
    await fleet.until(() => workers.isStopped(stalled));
    workers.start();
    await fleet.settled();
    workers.send(stalled, "SIGCONT");
    const told = () => workers.lines.filter(({ worker }) => worker === stalled).map(({ event }) => event);
    await fleet.until(() => told().length > 0);
    expect(new Set(told())).toEqual(new Set(["lost"]));
    expect(workers.overlaps()).toEqual([]);
    expect(fleet.differences()).toEqual([]);
  });

  test("a worker reports the end of each run, even if the database is unreachable", async () => {
    const fleet = await fleetOf(40);
    const { database, workers } = fleet;
    const worker = workers.start();
    await fleet.schedule(1);
    await fleet.until(() => workers.lines.length > 0);
    await database.stop("immediate");
    await fleet.until(() => workers.going(worker) === 0);
    expect(workers.lines.some(({ event }) => event === "failed")).toBe(true);
    await database.start();
    await fleet.settled();
    expect(fleet.differences()).toEqual([]);
  });

  test("a worker that is stopped ends its runs first", async () => {
    const fleet = await fleetOf(4);
    const worker = fleet.workers.start();
    await fleet.schedule(1);
    await fleet.until(() => fleet.workers.lines.length > 0);
    expect(await fleet.workers.kill(worker, "SIGTERM")).toBe(0);
    const ids = (of: string) =>
      fleet.workers.lines.flatMap((line) => (line.event === of ? [line.installationId] : []));
    expect(ids("completed").sort()).toEqual(ids("began").sort());
    // Jobs that had not begun are left for the next worker.
    fleet.workers.start();
    await fleet.settled();
    expect(fleet.differences()).toEqual([]);
  });
});
