import { describe, expect, onTestFinished, test } from "vitest";
import { skipped, whySkipped } from "../../support/redis.js";
import { testService } from "../../support/test-service.js";
import { FanOut } from "./fan-out.js";

const RECORDS = 80_000;

describe.skipIf(skipped)(`one installation across many workers, with BullMQ${whySkipped}`, () => {
  const service = testService();

  async function fanOutOf(records: number): Promise<FanOut> {
    const fanOut = await FanOut.start(service.server, records);
    onTestFinished(() => fanOut.close());
    return fanOut;
  }

  test("sends all partitions in one run, exactly, even if all workers are killed while reading and sending", async () => {
    const fanOut = await fanOutOf(RECORDS);
    const line = await fanOut.runWithKills(service.installationId);
    expect(line).toMatchObject({ event: "completed", records: RECORDS });
    expect(service.present()).toEqual([...fanOut.ids()].sort());
    // The worker that was killed while sending left a batch, and the next one aborted it.
    expect(service.states()).toEqual(["aborted", "completed"]);
    // The killed workers left no unfinished files either.
    await expect.poll(() => fanOut.left()).toEqual([]);
  });

  test("refuses to send anything if a partition fails for good, and names it", async () => {
    const fanOut = await fanOutOf(8000);
    fanOut.broken = "part3";
    await fanOut.flow(service.installationId);
    fanOut.work();
    expect(await fanOut.committed()).toMatchObject({
      event: "failed",
      message: expect.stringContaining(
        "Nothing is sent: part3 could not be extracted: The vendor answered with status 500",
      ),
    });
    expect(service.inspect().batches).toEqual([]);
  });

  test("a worker that stalls while it sends ends its run when another worker has its job, and then takes more jobs", async () => {
    const fanOut = await fanOutOf(8000);
    const sending = service.server.faults.add({ on: "SyncRecords", fault: "stall" });
    await fanOut.flow(service.installationId);
    const stalled = fanOut.work();
    await expect.poll(() => sending.fired, { timeout: 60_000 }).toBe(1);
    stalled.kill("SIGSTOP");
    const other = fanOut.work();
    expect(await fanOut.committed()).toMatchObject({ event: "completed" });
    other.kill("SIGKILL");
    fanOut.lines.length = 0;
    stalled.kill("SIGCONT");
    const next = service.server.createInstallation();
    await fanOut.flow(next);
    await expect
      .poll(() => fanOut.lines, { timeout: 60_000 })
      .toContainEqual(expect.objectContaining({ event: "completed", name: "commit" }));
    expect(service.states()).toEqual(["aborted", "completed"]);
    expect(service.server.inspect(next).snapshots.accounts).toHaveLength(8000);
  });
});
