import type { TestClock } from "../../../core/clock.js";
import type { ReferenceServer } from "../../../reference-server/server.js";
import { createSyncClient } from "../../../sync/client.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { SyncEngine } from "../../../sync/engine.js";
import { memoryLedger } from "../../../sync/ledger/ledger.js";
import type { Connector } from "../../../sync/run/connector.js";
import type { Vendor } from "../vendor/server.js";
import type { AnyBatch } from "./batch.js";

/** What all runs share. */
export interface Shared {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  readonly vendor: Vendor;
}

/** A workspace and a ledger for runs of one connector that follow each other. */
export class RunWorkspace {
  readonly ledger = memoryLedger();
  readonly installationId: string;
  readonly #apiKey: string;

  constructor(
    readonly shared: Shared,
    readonly connector: Connector<SnapshotCollection>,
  ) {
    const { apiKey, installationId } = shared.server.createWorkspace({ name: "Test of a connector" });
    this.installationId = installationId;
    this.#apiKey = apiKey;
  }

  client(options: Partial<Parameters<typeof createSyncClient>[0]> = {}): SyncEngine {
    const { server, clock } = this.shared;
    return createSyncClient({ endpoint: server.syncUrl, apiKey: this.#apiKey, clock, ...options });
  }

  /** Completes a first run with these snapshots. */
  async complete(records: Partial<Record<SnapshotCollection, readonly object[]>>): Promise<void> {
    const { snapshots } = this.connector;
    const run = async (batch: AnyBatch) => {
      for (const name of snapshots) await batch.write(name, records[name] ?? []);
    };
    const client = this.client();
    const { installationId, ledger } = this;
    await client.run({ snapshots, run }, { installationId, ledger, firstRun: true });
    await client.close();
  }
}
