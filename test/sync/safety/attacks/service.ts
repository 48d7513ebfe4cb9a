import type { SyncProgress, SyncReceipt } from "@saas-management/sdk/sync";
import { until } from "../../../support/sync-harness.js";
import { type Attack, held, ownException, refused } from "./attack.js";
import { LEASE_MS, people, type World } from "./world.js";

/** Ways in which the service, the lock or the network lets a run down. */
export const serviceAttacks: readonly Attack[] = [
  {
    name: "half of the windows are rejected",
    stop: "poisoned batch",
    ending: refused("SYNC_PROTOCOL", /./),
    attack: ({ send, server }) => {
      server.faults.add({
        api: "sync",
        operation: "SyncRecords",
        nth: 4,
        times: 100,
        kind: { type: "grpc-status", code: 3 },
      });
      return send(people());
    },
  },
  {
    name: "half of the windows are rejected, and the failure is swallowed",
    stop: "poisoned batch",
    ending: refused("SYNC_PROTOCOL", /./),
    attack: ({ run, server }) => {
      server.faults.add({
        api: "sync",
        operation: "SyncRecords",
        nth: 4,
        kind: { type: "grpc-status", code: 3 },
      });
      return run(["accounts"], async (batch) => {
        await batch.write("accounts", people()).catch(() => {});
      });
    },
  },
  {
    name: "the fate of one window of several is unknown",
    stop: "poisoned batch",
    ending: refused("TRANSPORT_FAILED", /./),
    attack: ({ send, breakTwice }) => {
      breakTwice("SyncRecords", "answer", 2);
      return send(people(), { restarts: 0 });
    },
  },
  {
    name: "the fate of one window of several is unknown, and the run starts anew",
    stop: "nothing lost",
    ending: { kind: "whole" },
    attack: ({ send, breakTwice }) => {
      breakTwice("SyncRecords", "answer", 2);
      return send(people());
    },
  },
  {
    name: "a window takes too long",
    stop: "poisoned batch",
    ending: refused("TIMEOUT", /./),
    attack: async ({ send, server }) => {
      const slow = server.faults.add({
        api: "sync",
        operation: "SyncRecords",
        nth: 2,
        times: 100,
        kind: { type: "delay", ms: LEASE_MS },
      });
      const run = send(people(), { restarts: 0 });
      run.catch(() => {});
      await until(() => slow.firings > 0);
      server.clock.advance(100_000);
      return run;
    },
  },
  {
    name: "the run takes too long",
    stop: "not completed",
    ending: refused("TIMEOUT", /./),
    attack: ({ send, server }) =>
      send(
        async function* () {
          yield people(0, 20);
          server.clock.advance(60_000);
          await new Promise((resolve) => setImmediate(resolve));
          yield people(20);
        },
        { maxDurationMs: 60_000 },
      ),
  },
  {
    name: "somebody else aborts the batch in mid-write",
    stop: "lock",
    ending: refused("BATCH_STATE", /aborted/),
    attack: ({ send, client, server }) =>
      send(async function* () {
        yield people(0, 20);
        const { lock } = server.inspect(server.installationId);
        await client.openBatch(lock?.batchId ?? "").abort();
        yield people(20);
      }),
  },
  {
    name: "the lease runs out in mid-write",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /lease of 15 minutes without an accepted message is over/),
    attack: ({ send, server }) =>
      send(
        async function* () {
          yield people(0, 20);
          server.clock.advance(LEASE_MS);
          yield people(20);
        },
        { restarts: 0 },
      ),
  },
  {
    name: "the source ends quietly because the lease was lost",
    stop: "poisoned batch",
    ending: refused("BATCH_STATE", /lease of 15 minutes without an accepted message is over/),
    attack: ({ send, server }) =>
      send(
        async function* ({ signal }) {
          yield people(0, 20);
          server.clock.advance(LEASE_MS);
          if (!signal.aborted) yield people(20);
        },
        { restarts: 0 },
      ),
  },
  {
    name: "two runs go on at once",
    stop: "lock",
    ending: refused("BATCH_IN_PROGRESS", /./),
    attack: async ({ run, send }) => {
      let second: Promise<SyncReceipt> | undefined;
      await run(["accounts"], async (batch) => {
        second = send(people(0, 20));
        await second.catch(() => {});
        // The first one is not what is to be lost: it gives up.
        await batch.write("accounts", people());
        throw new Error("enough");
      }).catch(() => {});
      return second ?? [];
    },
  },
  waitingRun(),
  {
    name: "the answer to the completion is lost",
    stop: "nothing lost",
    ending: { kind: "whole" },
    attack: ({ send, breakTwice }) => {
      breakTwice("CompleteSyncBatch", "answer");
      return send(people());
    },
  },
  {
    name: "the completion is refused",
    stop: "not completed",
    ending: refused("PERMISSION_DENIED", /./),
    attack: ({ send, server }) => {
      server.faults.add({
        api: "sync",
        operation: "CompleteSyncBatch",
        kind: { type: "grpc-status", code: 7 },
      });
      return send(people(0, 35));
    },
  },
  {
    name: "a run is held, and the service says of its batch that it was completed",
    stop: "removal guard",
    ending: held(),
    attack: ({ send, server }) => {
      const kind = { type: "grpc-status", code: 9, trailers: { "batch-state": "completed" } } as const;
      server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind });
      return send(people(0, 10));
    },
  },
  {
    name: "the source throws, and the service says of its batch that it was completed",
    stop: "poisoned batch",
    ending: ownException(/vendor/),
    attack: ({ send, server }) => {
      const kind = { type: "grpc-status", code: 9, trailers: { "batch-state": "completed" } } as const;
      server.faults.add({ api: "sync", operation: "AbortSyncBatch", kind });
      return send(async function* () {
        yield people(0, 20);
        throw new Error("vendor API answered 500");
      });
    },
  },
  {
    name: "a completion of many new ids that may not have been done hides that all known ids are gone",
    stop: "removal guard",
    ending: held(/among them 40 of the 40 of the last completed snapshot/),
    prepare: async (world) => {
      await unclearCompletion(world);
    },
    attack: ({ send }) => send(people(100, 300)),
    heldAfterwards: true,
  },
];

/** The second of two runs is judged by what the first completed while it waited. */
function waitingRun(): Attack {
  let second: Promise<SyncReceipt> | undefined;
  return {
    name: "a run waits for another, whose records it does not know",
    stop: "removal guard",
    ending: held(/60 of 100 known ids/),
    prepare: async ({ run, send }) => {
      await run(["accounts"], async (batch) => {
        await new Promise<void>((resolve) => {
          const onProgress = ({ type }: SyncProgress) => void (type === "waiting-for-lock" && resolve());
          second = send(people(), { waitForLockMs: 60_000, onProgress });
          second.catch(() => {});
        });
        await batch.write("accounts", people(0, 100));
      });
    },
    attack: async () => (await second) ?? [],
    heldAfterwards: true,
  };
}

/** A run of which nobody knows whether it was completed: it was not. */
async function unclearCompletion({ send, server }: World): Promise<void> {
  for (const operation of ["CompleteSyncBatch", "AbortSyncBatch"] as const)
    server.faults.add({ api: "sync", operation, times: 2, kind: { type: "drop" } });
  await send([...people(), ...people(100, 300)], { restarts: 0 }).catch(() => {});
  server.clock.advance(LEASE_MS);
}
