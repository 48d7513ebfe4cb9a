import type { TestClock } from "../../../../core/clock.js";
import type { Fault, SyncOperation } from "../../../../reference-server/faults/fault.js";
import type { ReferenceServer } from "../../../../reference-server/server.js";
import type { Store } from "../../../../sync/ledger/store.js";
import type { RunOptions } from "../../../../sync/run/options.js";
import type { SyncClient } from "../../../../sync/sync-client.js";
import type { NamedFault } from "../fault.js";

/** What misbehaves about the service. */
export interface ServiceFault extends NamedFault {
  /** Prepares the fault for one run. */
  arm(target: FaultTarget): ArmedFault | Promise<ArmedFault>;
}

/** What a run meets, and what a fault may change about it. */
export interface FaultTarget {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  readonly installationId: string;
  /** The key of the run. */
  readonly apiKey: string;
  /** Another client of the workspace, as of a second process. */
  readonly other: SyncClient;
  /** Does something that takes real time, for which virtual time stands still. */
  during(work: () => Promise<void>): Promise<void>;
}

export interface ArmedFault {
  /** How often it struck. */
  readonly fired: number;
  /** Whether it holds an RPC back each time, which goes on when time passes. */
  readonly holds?: boolean;
  /** Options that the run needs to meet the fault. */
  readonly options?: Pick<RunOptions, "waitForLockMs"> | undefined;
  /** The store of the ledger that the run gets. */
  readonly store?: ((store: Store) => Store) | undefined;
  /** Called when the run sends a request. */
  onRequest?(operation: string): void;
  /** Ends what the fault has begun. */
  disarm?(): void | Promise<void>;
}

const MINUTE_MS = 60_000;
const START = "StartSyncBatch";
const WRITE = "SyncRecords";
const COMPLETE = "CompleteSyncBatch";
const RPCS = [
  ["start", START],
  ["write", WRITE],
  ["complete", COMPLETE],
] as const satisfies readonly (readonly [string, SyncOperation])[];

/** Without it, no run has a batch to abort. */
const REFUSED_WRITE: Fault = { on: WRITE, fault: "status", status: "INVALID_ARGUMENT" };

/** Faults that the reference server has itself, without `service-` in their names. */
const INJECTED: readonly (readonly [name: string, summary: string, fault: Fault, other?: Fault])[] = [
  ...RPCS.flatMap(([at, on]) => [
    [`lost-answer-of-${at}`, `the answer to ${on} is lost`, { on, fault: "drop", at: "answer" }] as const,
    [`unavailable-at-${at}`, `${on} is answered UNAVAILABLE twice`, status(on, "UNAVAILABLE", 2)] as const,
    [`silent-at-${at}`, `${on} is never answered, once`, { on, fault: "stall" }] as const,
    [`key-revoked-at-${at}`, `the key is revoked at ${on}`, { on, fault: "revoke-key" }] as const,
  ]),
  [
    "lost-answer-of-abort",
    "a write is refused, and the answer to AbortSyncBatch is lost",
    { on: "AbortSyncBatch", fault: "drop", at: "answer" },
    REFUSED_WRITE,
  ],
  ["down", "every request is answered UNAVAILABLE", status("sync", "UNAVAILABLE", 1000)],
  [
    "slow-write",
    "the answer to a write takes 80 seconds",
    { on: WRITE, fault: "delay", ms: 80_000, at: "answer" },
  ],
  ["reset-at-write", "the connection is reset during a write", { on: WRITE, fault: "reset" }],
  [
    "goaway-at-write",
    "the service closes the connection with GOAWAY in a write",
    { on: WRITE, fault: "goaway" },
  ],
  ["rate-limit", "a write is answered RESOURCE_EXHAUSTED twice", status(WRITE, "RESOURCE_EXHAUSTED", 2)],
  [
    "rate-limit-with-delay",
    "a write is to be tried again after 20 seconds",
    { on: WRITE, fault: "status", status: "RESOURCE_EXHAUSTED", trailers: { "retry-after": "20" } },
  ],
  ["permission-denied", "StartSyncBatch is answered PERMISSION_DENIED", status(START, "PERMISSION_DENIED")],
  ["refuses-records", "a write is answered INVALID_ARGUMENT", REFUSED_WRITE],
  [
    "lease-expired-at-write",
    "the lease of the batch ends during a write",
    { on: WRITE, fault: "lease-expiry" },
  ],
  [
    "lease-expired-at-complete",
    "the lease ends before CompleteSyncBatch",
    { on: COMPLETE, fault: "lease-expiry" },
  ],
  ["lock-stolen-at-write", "another batch gets the lock during a write", { on: WRITE, fault: "lock-stolen" }],
  [
    "early-answer",
    "a write is answered before it was read",
    { on: WRITE, fault: "early-answer", message: 1 },
  ],
];

function status(
  on: Fault["on"],
  code: "UNAVAILABLE" | "RESOURCE_EXHAUSTED" | "PERMISSION_DENIED",
  times = 1,
): Fault {
  return { on, fault: "status", status: code, times };
}

type Arm = ServiceFault["arm"];

const OTHERS: readonly (readonly [name: string, summary: string, arm: Arm])[] = [
  ["service-lock-held", "another batch holds the lock, and the run does not wait", lock(0)],
  ["service-lock-held-all-the-time", "another batch holds the lock for longer than the run waits", lock(5)],
  ["service-lock-released", "another batch holds the lock for 5 minutes, and the run waits", lock(20, 5)],
  [
    "service-lock-left-behind",
    "the owner of the lock has died, and the run waits for its lease to end",
    lock(20),
  ],
  ["service-restart-during-write", "the service restarts during a write", restart(WRITE)],
  ["service-restart-during-complete", "the service restarts during CompleteSyncBatch", restart(COMPLETE)],
  ["ledger-unreadable", "the ledger cannot be read", failingStore("get")],
  ["ledger-unwritable", "the ledger cannot be written", failingStore("putIfAbsent")],
];

/** All faults of the service that strike within one process. */
export const SERVICE_FAULTS: readonly ServiceFault[] = [
  ...INJECTED.map(([name, summary, ...faults]) => ({
    name: `service-${name}`,
    summary,
    arm: injected(faults),
  })),
  ...OTHERS.map(([name, summary, arm]) => ({ name, summary, arm })),
];

function injected([fault, other]: readonly [Fault, Fault?]): Arm {
  return ({ server }) => {
    const handle = server.faults.add(fault);
    if (other !== undefined) server.faults.add(other);
    return {
      get fired() {
        return handle.fired;
      },
      holds: fault.fault === "stall" || fault.fault === "delay",
    };
  };
}

/** Another batch of the installation, as of a second process that runs the connector too. */
function lock(waitMinutes: number, releasedAfter?: number): Arm {
  return async ({ other, installationId, clock }) => {
    const batch = await other.startBatch({ installationId });
    const release = () => batch.abort().catch(() => {});
    if (releasedAfter !== undefined) clock.after(releasedAfter * MINUTE_MS, () => void release());
    const armed = {
      fired: 0,
      options: { waitForLockMs: waitMinutes * MINUTE_MS },
      // The lock is held when the run begins, so its first request meets it.
      onRequest(operation: string) {
        if (operation === START) armed.fired = 1;
      },
      disarm: release,
    };
    return armed;
  };
}

/** The service restarts as soon as it has got such a request: connections and running calls are lost, data is kept. */
function restart(at: string): Arm {
  return ({ server, during }) => {
    const armed = {
      fired: 0,
      onRequest(operation: string) {
        if (operation !== at || armed.fired > 0) return;
        armed.fired = 1;
        void during(async () => {
          // The request is under way.
          await new Promise(setImmediate);
          await server.restart();
        });
      },
    };
    return armed;
  };
}

/** A ledger whose store fails. */
function failingStore(method: "get" | "putIfAbsent"): Arm {
  return () => {
    const fail = async () => {
      armed.fired += 1;
      throw new Error("The store of the ledger does not answer.");
    };
    const armed = { fired: 0, store: (store: Store): Store => ({ ...store, [method]: fail }) };
    return armed;
  };
}
