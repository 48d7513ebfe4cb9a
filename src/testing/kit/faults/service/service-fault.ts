import type { TestClock } from "../../../../core/clock.js";
import type { ReferenceServer } from "../../../../reference-server/server.js";
import type { Store } from "../../../../sync/ledger/store.js";
import type { RunOptions } from "../../../../sync/staging/staging.js";
import type { SyncClient } from "../../../../sync/sync-client.js";

/** What misbehaves about the service. */
export interface ServiceFault {
  /** Stable, in kebab case: `lost-answer-of-complete`. */
  readonly name: string;
  readonly summary: string;
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
  fired(): number;
  /** How often it held an RPC back, which goes on when time passes. */
  held?(): number;
  /** Options that the run needs to meet the fault. */
  readonly options?: Pick<RunOptions, "waitForLockMs" | "maxIdleMs"> | undefined;
  /** The store of the ledger that the run gets. */
  readonly store?: ((store: Store) => Store) | undefined;
  /** Called when the run sends a request. */
  onRequest?(operation: string): void;
  /** Ends what the fault has begun. */
  disarm?(): void | Promise<void>;
}
