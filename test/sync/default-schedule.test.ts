import { memoryLedger, TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { accounts } from "../support/accounts.js";
import { connectorOf } from "../support/connector.js";
import { drawOf, drawSchedule, SeededRandom } from "../support/fault-schedule.js";
import { testService } from "../support/test-service.js";

const LEASE_MS = 15 * 60_000;
const BEFORE_ITS_END_MS = 12_345;

const service = testService({ server: { clock: new TestClock({ startAt: new Date("2026-01-01") }) } });

test.each(Array.from({ length: 20 }, (_, index) => index + 1))(
  "a run of another client begins when the lock of a start ends that a transient fault of seed %i has struck",
  async (seed) => {
    const { clock, server, installationId } = service;
    const options = { installationId, ledger: memoryLedger() };
    const connector = connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3)));
    server.faults.add(drawOf("transient")({ on: "StartSyncBatch", nth: 1 }, new SeededRandom(seed)));
    const first = service.syncClient({ retry: false }).run(connector, { ...options, firstRun: true });
    const firstRun = await first.then(
      () => false,
      () => true,
    );
    const isLocked = service.states().at(-1) === "active";
    clock.advance(LEASE_MS - BEFORE_ITS_END_MS);
    for (const fault of drawSchedule(seed, "transient")) server.faults.add(fault);
    const next = service.syncClient({ retry: { retries: 4, minDelayMs: 1, maxDelayMs: 1 } });
    const receipt = await clock.drive(next.run(connector, { ...options, firstRun, waitForLockMs: LEASE_MS }));
    expect(receipt.waitedForLockMs).toBe(isLocked ? BEFORE_ITS_END_MS : 0);
    expect(receipt.collections.accounts?.stats.accepted).toBe(3);
  },
);
