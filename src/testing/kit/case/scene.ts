import type { TestClock } from "../../../core/clock.js";
import type { ReferenceServer } from "../../../reference-server/server.js";
import { createSyncClient } from "../../../sync/client.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { SyncEngine } from "../../../sync/engine.js";
import { memoryLedger } from "../../../sync/ledger/memory-ledger.js";
import type { Connector } from "../../../sync/run/connector.js";
import type { Vendor } from "../vendor/server.js";
import type { AnyBatch } from "./batch.js";

/** What all cases share. */
export interface StageParts {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  readonly vendor: Vendor;
}

/** One case: a workspace, a ledger and a connector, for the nights that follow each other. */
export class Scene {
  readonly ledger = memoryLedger();
  readonly workspace: ReturnType<ReferenceServer["createWorkspace"]>;

  constructor(
    readonly parts: StageParts,
    readonly connector: Connector<SnapshotCollection>,
  ) {
    this.workspace = parts.server.createWorkspace({ name: "A case of a connector's test" });
  }

  /** Runs the connector as it is, or another one for the same collections. */
  async complete(connector = this.connector): Promise<void> {
    const client = this.client();
    const { installationId } = this.workspace;
    await client.run(connector, { installationId, ledger: this.ledger, firstRun: true });
    await client.close();
  }

  client(options: Partial<Parameters<typeof createSyncClient>[0]> = {}): SyncEngine {
    const { server, clock } = this.parts;
    const { apiKey } = this.workspace;
    return createSyncClient({ endpoint: server.syncUrl, apiKey, clock, ...options });
  }

  /** Completes these snapshots. */
  async completeRecords(records: Partial<Record<SnapshotCollection, readonly object[]>>): Promise<void> {
    const { snapshots } = this.connector;
    await this.complete({
      snapshots,
      run: async (batch: AnyBatch) => {
        for (const name of snapshots) await batch.write(name, records[name] ?? []);
      },
    });
  }
}
