import type { RunReceipt, SyncProgress } from "@saas-management/sdk";
import { until } from "../../../support/promises.js";
import type { TestService } from "../../../support/test-service.js";
import {
  type Attack,
  breakTwice,
  held,
  LEASE_MS,
  ownException,
  people,
  refused,
  send,
  testAttacks,
} from "./attacks.js";

const rejectWindows = ({ server }: TestService, times: number) =>
  server.faults.add({
    on: "SyncRecords",
    nth: 4,
    times,
    fault: "status",
    status: "INVALID_ARGUMENT",
  });

/** The service says that the batch was completed when the run aborts it. */
const answerCompleted = ({ server }: TestService) => {
  const trailers = { "batch-state": "completed" };
  server.faults.add({ on: "AbortSyncBatch", fault: "status", status: "FAILED_PRECONDITION", trailers });
};

testAttacks([
  {
    name: "half of the windows are rejected",
    ending: refused("SYNC_PROTOCOL"),
    attack: (service) => {
      rejectWindows(service, 100);
      return send(service, people());
    },
  },
  {
    name: "a window is rejected, and the failure is swallowed",
    ending: refused("SYNC_PROTOCOL"),
    attack: (service) => {
      rejectWindows(service, 1);
      return service.run(["accounts"], async (batch) => {
        await batch.write("accounts", people()).catch(() => {});
      });
    },
  },
  {
    name: "the outcome of a window is unknown",
    ending: refused("TRANSPORT_FAILED"),
    attack: (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      return send(service, people(), { restarts: 0 });
    },
  },
  {
    name: "the outcome of a window is unknown, and the run starts again",
    ending: { kind: "whole" },
    attack: (service) => {
      breakTwice(service, "SyncRecords", "answer", 2);
      return send(service, people());
    },
  },
  {
    name: "a window takes too long",
    ending: refused("TIMEOUT"),
    attack: async (service) => {
      const slow = service.server.faults.add({
        on: "SyncRecords",
        nth: 2,
        times: 100,
        fault: "delay",
        ms: LEASE_MS,
      });
      const run = send(service, people(), { restarts: 0 });
      run.catch(() => {});
      await until(() => slow.fired > 0);
      service.clock.advance(100_000);
      return run;
    },
  },
  {
    name: "the run takes too long",
    ending: refused("TIMEOUT"),
    attack: (service) =>
      send(
        service,
        async function* () {
          yield people(0, 20);
          service.clock.advance(60_000);
          await new Promise((resolve) => setImmediate(resolve));
          yield people(20);
        },
        { maxDurationMs: 60_000 },
      ),
  },
  {
    name: "another process aborts the batch during the write",
    ending: refused("BATCH_STATE", { reason: "aborted" }),
    attack: (service) =>
      send(service, async function* () {
        yield people(0, 20);
        await service.sync.openBatch(service.inspect().lock?.batchId ?? "").abort();
        yield people(20);
      }),
  },
  {
    name: "the lease ends during the write",
    ending: refused("BATCH_STATE", { reason: "expired" }),
    attack: (service) =>
      send(
        service,
        async function* () {
          yield people(0, 20);
          service.clock.advance(LEASE_MS);
          yield people(20);
        },
        { restarts: 0 },
      ),
  },
  {
    name: "the source ends quietly because the lease was lost",
    ending: refused("BATCH_STATE", { reason: "expired" }),
    attack: (service) =>
      send(
        service,
        async function* ({ signal }) {
          yield people(0, 20);
          service.clock.advance(LEASE_MS);
          if (!signal.aborted) yield people(20);
        },
        { restarts: 0 },
      ),
  },
  {
    name: "two runs are in progress at the same time",
    ending: refused("BATCH_IN_PROGRESS"),
    attack: async (service) => {
      let second: Promise<RunReceipt> | undefined;
      const first = service.run(["accounts"], async (batch) => {
        second = send(service, people(0, 20));
        await second.catch(() => {});
        await batch.write("accounts", people());
        throw new Error("enough");
      });
      await first.catch(() => {});
      return second ?? [];
    },
  },
  waitingRun(),
  {
    name: "the completion is refused",
    ending: refused("PERMISSION_DENIED"),
    attack: (service) => {
      const kind = { fault: "status", status: "PERMISSION_DENIED" } as const;
      service.server.faults.add({ on: "CompleteSyncBatch", ...kind });
      return send(service, people(0, 35));
    },
  },
  {
    name: "a run is held, and the service says that its batch was completed",
    ending: held({ known: 40, removed: 30 }),
    attack: (service) => {
      answerCompleted(service);
      return send(service, people(0, 10));
    },
  },
  {
    name: "the source throws, and the service says that its batch was completed",
    ending: ownException("vendor API answered 500"),
    attack: (service) => {
      answerCompleted(service);
      return send(service, async function* () {
        yield people(0, 20);
        throw new Error("vendor API answered 500");
      });
    },
  },
  {
    name: "many new ids of an unclear completion hide that all known ids are gone",
    ending: held({ known: 240, removed: 40 }),
    prepare: async (service) => {
      for (const operation of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
        service.server.faults.add({ on: operation, times: 2, fault: "drop" });
      await send(service, [...people(), ...people(100, 300)], { restarts: 0, guard: false }).catch(() => {});
      service.clock.advance(LEASE_MS);
    },
    attack: (service) => send(service, people(100, 300)),
    heldAfterwards: true,
  },
]);

/** The second of two runs is compared with what the first completed meanwhile. */
function waitingRun(): Attack {
  let second: Promise<RunReceipt> | undefined;
  return {
    name: "a run waits for another one, whose records it does not know",
    ending: held({ known: 80, removed: 40 }),
    prepare: (service) =>
      service.run(["accounts"], async (batch) => {
        await new Promise<void>((resolve) => {
          const onProgress = ({ type }: SyncProgress) => void (type === "waiting-for-lock" && resolve());
          second = send(service, people(), { waitForLockMs: 60_000, onProgress });
          second.catch(() => {});
        });
        await batch.write("accounts", people(0, 80));
      }),
    attack: async (service) => {
      service.clock.advance(60_000);
      return (await second) ?? [];
    },
    heldAfterwards: true,
  };
}
