import type { SyncClient } from "../../../../sync/sync-client.js";
import type { ArmedFault, FaultTarget, ServiceFault } from "./service-fault.js";

const MINUTE_MS = 60_000;

/** Another batch of the installation, as of a second process that runs the connector too. */
async function holdLock(
  { other, installationId }: FaultTarget,
  run: {
    readonly waitForLockMs: number;
    readonly maxIdleMs?: number;
    readonly during?: (batch: HeldBatch) => void;
  },
): Promise<ArmedFault> {
  const { waitForLockMs, maxIdleMs, during } = run;
  const batch = await other.startBatch({ installationId, maxIdleMs });
  during?.(batch);
  let fired = 0;
  return {
    get fired() {
      return fired;
    },
    options: { waitForLockMs },
    // The lock is held when the run begins, so its first request meets it.
    onRequest: (operation) => {
      if (operation === "StartSyncBatch") fired ||= 1;
    },
    disarm: () => batch.abort().catch(() => {}),
  };
}

type HeldBatch = Awaited<ReturnType<SyncClient["startBatch"]>>;

/** Faults of the installation's lock, when the run begins. */
export const LOCK_FAULTS: readonly ServiceFault[] = [
  {
    name: "service-lock-held",
    summary: "another batch holds the lock, and the run does not wait",
    arm: (target) => holdLock(target, { waitForLockMs: 0 }),
  },
  {
    name: "service-lock-held-all-the-time",
    summary: "another batch holds the lock for longer than the run waits",
    arm: (target) => holdLock(target, { waitForLockMs: 5 * MINUTE_MS }),
  },
  {
    name: "service-lock-released",
    summary: "another batch holds the lock for 5 minutes, and the run waits",
    arm: (target) =>
      holdLock(target, {
        waitForLockMs: 20 * MINUTE_MS,
        during: (batch) => void target.clock.after(5 * MINUTE_MS, () => void batch.abort().catch(() => {})),
      }),
  },
  {
    name: "service-lock-left-behind",
    summary: "the owner of the lock has died, and the run waits until its lease is over",
    arm: (target) => holdLock(target, { waitForLockMs: 20 * MINUTE_MS }),
  },
];
