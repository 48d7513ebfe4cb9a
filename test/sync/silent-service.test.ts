import { memoryLedger, TestClock } from "@saas-management/sdk/testing";
import { expect, test } from "vitest";
import { connectorOf } from "../support/connector.js";
import { quietLogger } from "../support/observed.js";
import { rejection, until } from "../support/promises.js";
import { accounts, testService } from "../support/test-service.js";

const warnings: string[] = [];
const service = testService({
  server: { clock: new TestClock({ startAt: new Date("2026-01-01T12:00:00Z") }) },
  sync: { logger: quietLogger({ warn: (text) => void warnings.push(text) }), retry: false },
});

test("a service that never answers is reported once, after 30 s, and not as a dead process", async () => {
  const { clock, server, installationId } = service;
  const ledger = memoryLedger();
  const run = () =>
    service.sync.run(
      connectorOf(["accounts"], (batch) => batch.write("accounts", accounts(3))),
      { installationId, ledger, firstRun: true, retryForMs: 0 },
    );
  // Leaves a batch for the next run to abort.
  server.faults.add({ on: "SyncRecords", fault: "status", status: "INTERNAL" });
  server.faults.add({ on: "AbortSyncBatch", fault: "drop" });
  await rejection(run());
  warnings.length = 0;
  const stall = server.faults.add({ on: "sync", fault: "stall", times: 99 });
  const begunAt = clock.now();
  const ended = rejection(run());
  await until(() => stall.fired === 1);
  clock.advance(30_000);
  await until(() => stall.fired === 2);
  clock.advance(100_000);
  expect(await ended).toMatchObject({ code: "TIMEOUT", timeoutMs: 100_000 });
  expect(warnings).toEqual([`saas-management: ${server.syncUrl} hasn't answered AbortSyncBatch for 30 s`]);
  expect(clock.now() - begunAt).toBeLessThan(140_000);
  // The client waits for the start that was never answered.
  let isClosed = false;
  const closed = service.sync.close().finally(() => {
    isClosed = true;
  });
  // The client may not be waiting yet.
  await until(() => {
    clock.advance(1000);
    return isClosed;
  });
  await closed;
});
