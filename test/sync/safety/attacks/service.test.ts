import type { RunReceipt } from "@saas-management/sdk";
import { expect } from "vitest";
import { until } from "../../../support/promises.js";
import type { TestService } from "../../../support/test-service.js";
import {
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
  {
    name: "half of the windows are rejected",
    ending: reaching("records", refused("SYNC_PROTOCOL")),
    attack: (service) => {
      rejectWindows(service);
      return send(service, people());
    },
  },
  {
    name: "the outcome of a window is unknown",
    ending: reaching("records", refused("TRANSPORT_FAILED")),
    attack: (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      return send(service, people(), { retryForMs: 0 });
    },
  },
  {
    name: "the outcome of a window is unknown, and the run sends again",
    ending: { kind: "whole" },
    attack: (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      return send(service, people());
    },
  },
  {
    name: "the outcome of a window is unknown, and so is that of the abort",
    ending: { kind: "whole" },
    attack: (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      breakTwice(service, "AbortSyncBatch");
      return send(service, people());
    },
    check: (service, [receipt]) => {
      service.server.faults.assertFired();
      expect(receipt).toMatchObject({ restarts: 1 });
    },
  },
  {
    name: "a window takes too long",
    ending: reaching("records", refused("TIMEOUT")),
    attack: (service) => duringSecondWindow(service, () => service.clock.advance(100_000)),
  },
  {
    name: "the run takes too long",
    ending: { kind: "refused", error: { name: "TimeoutError" } },
    attack: (service) => {
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
    },
  },
  {
    name: "another process aborts the batch",
    ending: reaching("records", refused("BATCH_STATE", { reason: "aborted" })),
    attack: (service) =>
      duringSecondWindow(service, async () => {
        await service.sync.abortBatch(service.inspect().lock?.batchId ?? "");
        service.clock.advance(10_000);
      }),
  },
  {
    name: "the lease ends",
    ending: reaching("records", refused("BATCH_STATE", { reason: "expired" })),
    attack: (service) => {
      service.server.faults.add({ on: "SyncRecords", nth: 2, fault: "lease-expiry" });
      return send(service, people(), { retryForMs: 0 });
    },
  },
  {
    name: "the source takes longer than a lease, and ends quietly if its signal fires",
    ending: { kind: "whole" },
    attack: (service) =>
      send(
        service,
        async function* ({ signal }) {
          yield people(0, 20);
          service.clock.advance(2 * LEASE_MS);
          if (!signal.aborted) yield people(20);
        },
        { retryForMs: 0 },
      ),
  },
  {
    name: "another batch is in progress",
    ending: reaching("start", refused("BATCH_IN_PROGRESS")),
    prepare: (service) => service.startBatch(),
    attack: (service) => send(service, people(0, 35)),
  },
  {
    name: "a run reads its source while another one sends records that it does not know",
    ending: refused("RUN_OUTDATED"),
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
  {
    name: "a run waits for another one, whose records it does not know",
    ending: reaching("start", refused("RUN_OUTDATED")),
    ...behind(
      (service) => send(service, people(0, 60)),
      (service, options) => send(service, people(), options),
    ),
    heldAfterwards: true,
  },
  {
    name: "the completion is refused",
    ending: reaching("records", refused("PERMISSION_DENIED")),
    attack: (service) => {
      const kind = { fault: "status", status: "PERMISSION_DENIED" } as const;
      service.server.faults.add({ on: "CompleteSyncBatch", ...kind });
      return send(service, people(0, 35));
    },
  },
  {
    name: "a window is rejected, and the service says that the batch was completed",
    ending: reaching("records", refused("SYNC_PROTOCOL")),
    attack: (service) => {
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
  },
  {
    name: "many new ids of an unclear completion hide that all known ids are gone",
    ending: held({ known: 240, removed: 40 }),
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
]);

/** A run without restarts. Calls `happens` while its second window is on its way. */
async function duringSecondWindow(service: TestService, happens: () => unknown): Promise<RunReceipt> {
  const slow = service.server.faults.add({ on: "SyncRecords", nth: 2, fault: "delay", ms: 10_000 });
  const run = send(service, people(), { retryForMs: 0 });
  run.catch(() => {});
  await until(() => slow.fired > 0);
  await happens();
  return run;
}
