import type { RunOptions, SyncProgress } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { connectorOf } from "../support/connector.js";
import { quietLogger } from "../support/observed.js";
import { accounts, testService } from "../support/test-service.js";

const UNAVAILABLE = { fault: "status", status: "UNAVAILABLE" } as const;
const warnings: string[] = [];
const service = testService({
  sync: { retry: false, logger: quietLogger({ warn: (text) => void warnings.push(text) }) },
});

/** Runs, and advances the clock by each pause. */
async function runAway(options: Partial<RunOptions> = {}) {
  const { clock, installationId } = service;
  warnings.length = 0;
  const pauses: number[] = [];
  let extractions = 0;
  const ends: number[] = [];
  const onProgress = (progress: SyncProgress) => {
    if (progress.type !== "service-away") return;
    pauses.push(progress.delayMs);
    ends.push(progress.until.getTime());
    // The run reports a pause before the pause begins.
    setImmediate(() => clock.advance(progress.delayMs));
  };
  const ended = await service.sync
    .run(
      connectorOf(["accounts"], (batch) => {
        extractions += 1;
        return batch.write("accounts", accounts(3));
      }),
      { installationId, ledger: "none", onProgress, ...options },
    )
    .then(
      (receipt) => ({ receipt }),
      (error: unknown) => ({ error }),
    );
  // The time counts from the first failure, and is reported as a date.
  expect(Math.max(0, ...ends) - Math.min(...ends, Math.max(0, ...ends))).toBeLessThan(5);
  return { ended, pauses, extractions };
}

test.each(["StartSyncBatch", "SyncRecords", "CompleteSyncBatch"] as const)(
  "a run survives an outage of %s with growing pauses, and calls its connector once",
  async (on) => {
    service.server.faults.add({ on, times: 9, ...UNAVAILABLE });
    const { ended, pauses, extractions } = await runAway();
    expect(ended).toMatchObject({
      receipt: { restarts: 9, collections: { accounts: { stats: { sent: 3 } } } },
    });
    expect(extractions).toBe(1);
    expect(service.present()).toHaveLength(3);
    expect(pauses[0]).toBe(0);
    expect(pauses).toHaveLength(9);
    for (const [i, most] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000].entries()) {
      expect(pauses[i + 1]).toBeGreaterThanOrEqual(most / 2);
      expect(pauses[i + 1]).toBeLessThanOrEqual(most);
    }
    expect(
      warnings.filter((text) => text.includes("the service is unavailable; retrying until")),
    ).toHaveLength(9);
  },
);

test("a run gives up when retryForMs is over, with the error of the service", async () => {
  service.server.faults.add({ on: "StartSyncBatch", times: 999, ...UNAVAILABLE });
  const { ended, pauses } = await runAway({ retryForMs: 60_000 });
  expect(ended).toMatchObject({ error: { code: "TRANSPORT_FAILED" } });
  const waited = pauses.reduce((sum, pause) => sum + pause, 0);
  expect(waited).toBeGreaterThan(15_000);
  expect(waited).toBeLessThan(60_000);
  expect(service.states()).toEqual([]);
});

test("a refusal is not retried", async () => {
  service.server.faults.add({ on: "StartSyncBatch", times: 9, fault: "status", status: "PERMISSION_DENIED" });
  const { ended, pauses } = await runAway();
  expect(ended).toMatchObject({ error: { code: "PERMISSION_DENIED" } });
  expect(pauses).toEqual([]);
});

test("an abort during a pause ends the run at once, with the caller's reason", async () => {
  service.server.faults.add({ on: "StartSyncBatch", times: 99, ...UNAVAILABLE });
  const { installationId } = service;
  const controller = new AbortController();
  let told = 0;
  const running = service.sync.run(
    connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3))),
    {
      installationId,
      ledger: "none",
      signal: controller.signal,
      onProgress: ({ type }) => {
        if (type === "service-away" && ++told === 2)
          setImmediate(() => controller.abort(new Error("enough")));
      },
    },
  );
  await expect(running).rejects.toThrow("enough");
  expect(told).toBe(2);
});
