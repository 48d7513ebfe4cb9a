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
    // The worker that was killed while it sent left a batch, which the next one aborted.
    expect(service.states()).toEqual(["aborted", "completed"]);
    // Unfinished files of the killed ones neither.
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
});
