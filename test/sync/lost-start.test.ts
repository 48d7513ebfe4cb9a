import { TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { rejection } from "../support/http-client.js";
import { testService } from "../support/test-service.js";

const LEASE_MS = 15 * 60_000;

const service = testService({ server: { clock: new TestClock({ startAt: new Date("2026-01-01") }) } });

test.each([1, 2, 3])(
  "a start after one whose answer was lost succeeds when that lock ends, and not later (%i)",
  async () => {
    const { clock, installationId, server } = service;
    const client = service.syncClient({ clock, retry: false });
    server.faults.add({ on: "StartSyncBatch", fault: "drop", at: "answer" });
    await rejection(client.startBatch({ installationId }));
    const refused = await rejection(client.startBatch({ installationId }));
    expect(refused).toMatchObject({ code: "BATCH_IN_PROGRESS", mayBeOwn: true });
    const since = clock.now();
    clock.advance(LEASE_MS - 12_345);
    const batch = await clock.drive(client.startBatch({ installationId, waitForLockMs: 2 * LEASE_MS }));
    expect(clock.now() - since).toBe(LEASE_MS);
    await batch.abort();
  },
);
