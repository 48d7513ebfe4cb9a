import type { RunReceipt } from "@saas-management/sdk";
import { expect } from "vitest";
import { until } from "../../../support/promises.js";
import type { TestService } from "../../../support/test-service.js";
import {
  attack,
  behind,
  breakTwice,
  held,
  LEASE_MS,
  overtaken,
  people,
  reaching,
  refused,
  send,
  testAttacks,
  timeLimit,
  WHOLE,
} from "./attacks.js";

const rejectWindows = ({ server }: TestService) =>
  server.faults.add({
    on: "SyncRecords",
    nth: 2,
    times: 100,
    fault: "status",
    status: "INVALID_ARGUMENT",
  });

testAttacks([
  attack("half of the windows are rejected", reaching("records", refused("SYNC_PROTOCOL")), (service) => {
    rejectWindows(service);
    return send(service, people());
  }),
  attack(
    "the outcome of a window is unknown",
    reaching("records", refused("TRANSPORT_FAILED")),
    (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      return send(service, people(), { retryForMs: 0 });
    },
  ),
  attack("the outcome of a window is unknown, and the run sends again", WHOLE, (service) => {
    breakTwice(service, "SyncRecords", "answer", 2);
    return send(service, people());
  }),
  attack("the outcome of a window is unknown, and so is that of the abort", WHOLE, {
    attack: (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      breakTwice(service, "AbortSyncBatch");
      return send(service, people());
    },
    check: (service, [receipt]) => {
      service.server.faults.assertFired();
      expect(receipt).toMatchObject({ restarts: 1 });
    },
  }),
  attack("a window takes too long", reaching("records", refused("TIMEOUT")), (service) =>
    duringSecondWindow(service, () => service.clock.advance(100_000)),
  ),
  attack("the run takes too long", { kind: "refused", error: { name: "TimeoutError" } }, (service) => {
    const time = timeLimit(service);
    return send(
      service,
      async function* () {
        yield people(0, 20);
        service.clock.advance(60_000);
        await new Promise((resolve) => setImmediate(resolve));
        yield people(20);
      },
      { signal: time },
    );
  }),
  attack(
    "another process aborts the batch",
    reaching("records", refused("BATCH_STATE", { reason: "aborted" })),
    (service) =>
      duringSecondWindow(service, async () => {
        await service.sync.abortBatch(service.inspect().lock?.batchId ?? "");
        service.clock.advance(10_000);
      }),
  ),
  attack("the lease ends", reaching("records", refused("BATCH_STATE", { reason: "expired" })), (service) => {
    service.server.faults.add({ on: "SyncRecords", nth: 2, fault: "lease-expiry" });
    return send(service, people(), { retryForMs: 0 });
  }),
  attack("the source takes longer than a lease, and ends quietly if its signal fires", WHOLE, (service) =>
    send(
      service,
      async function* ({ signal }) {
        yield people(0, 20);
        service.clock.advance(2 * LEASE_MS);
        if (!signal.aborted) yield people(20);
      },
      { retryForMs: 0 },
    ),
  ),
  attack("another batch is in progress", reaching("start", refused("BATCH_IN_PROGRESS")), {
    prepare: (service) => service.startBatch(),
    attack: (service) => send(service, people(0, 35)),
  }),
  attack(
    "a run reads its source while another one sends records that it does not know",
    refused("RUN_OUTDATED"),
    {
      ...overtaken(
        (service) => send(service, people(0, 60)),
        (service, others) =>
          send(service, async function* () {
            yield people();
            await others();
          }),
      ),
      heldAfterwards: true,
    },
  ),
  attack(
    "a run waits for another one, whose records it does not know",
    reaching("start", refused("RUN_OUTDATED")),
    {
      ...behind(
        (service) => send(service, people(0, 60)),
        (service, options) => send(service, people(), options),
      ),
      heldAfterwards: true,
    },
  ),
  attack("the completion is refused", reaching("records", refused("PERMISSION_DENIED")), (service) => {
    const kind = { fault: "status", status: "PERMISSION_DENIED" } as const;
    service.server.faults.add({ on: "CompleteSyncBatch", ...kind });
    return send(service, people(0, 35));
  }),
  attack(
    "a window is rejected, and the service says that the batch was completed",
    reaching("records", refused("SYNC_PROTOCOL")),
    (service) => {
      rejectWindows(service);
      const trailers = { "batch-state": "completed" };
      service.server.faults.add({
        on: "AbortSyncBatch",
        fault: "status",
        status: "FAILED_PRECONDITION",
        trailers,
      });
      return send(service, people());
    },
  ),
  attack(
    "many new ids of an unclear completion hide that all known ids are gone",
    held({ known: 240, removed: 40 }),
    {
      prepare: async (service) => {
        for (const operation of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
          service.server.faults.add({ on: operation, times: 2, fault: "drop" });
        await send(service, [...people(), ...people(100, 300)], { retryForMs: 0, guard: false }).catch(
          () => {},
        );
        service.clock.advance(LEASE_MS);
      },
      attack: (service) => send(service, people(100, 300)),
      heldAfterwards: true,
    },
  ),
]);

/** Makes a run that never restarts. The run calls `happens` while its second window is on its way. */
async function duringSecondWindow(service: TestService, happens: () => unknown): Promise<RunReceipt> {
  const slow = service.server.faults.add({ on: "SyncRecords", nth: 2, fault: "delay", ms: 10_000 });
  const run = send(service, people(), { retryForMs: 0 });
  run.catch(() => {});
  await until(() => slow.fired > 0);
  await happens();
  return run;
}
