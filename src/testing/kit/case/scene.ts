import { join } from "node:path";
import type { TestClock } from "../../../core/clock.js";
import type { ReferenceServer } from "../../../reference-server/server.js";
import { createSyncClient } from "../../../sync/client.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { SyncEngine } from "../../../sync/engine.js";
import { fileLedger, type Ledger, makeLedger } from "../../../sync/ledger/ledger.js";
import { memoryStore } from "../../../sync/ledger/memory-ledger.js";
import type { Connector } from "../../../sync/run/connector.js";
import type { ChildProcesses } from "../child/processes.js";
import type { Vendor } from "../vendor/server.js";
import type { AnyBatch } from "./batch.js";

/** What all cases share. */
export interface StageParts {
  readonly server: ReferenceServer;
  readonly clock: TestClock;
  readonly vendor: Vendor;
  readonly children: ChildProcesses;
  /** A temporary folder, which is deleted in the end. */
  readonly folder: () => string;
}

/** One case: a workspace, a ledger and a connector, for the nights that follow each other. */
export class Scene {
  readonly store = memoryStore();
  readonly workspace: ReturnType<ReferenceServer["createWorkspace"]>;
  /** Of the ledger, if another process uses it too. */
  readonly directory: string | undefined;
  apiKey: string;

  constructor(
    readonly parts: StageParts,
    readonly connector: Connector<SnapshotCollection>,
    hasChild = false,
  ) {
    this.workspace = parts.server.createWorkspace({ name: "A case of a connector's test" });
    this.apiKey = this.workspace.apiKey;
    if (hasChild) this.directory = join(parts.folder(), this.workspace.id);
  }

  /** Runs the connector as it is, or another one for the same collections. */
  async complete(connector = this.connector): Promise<void> {
    const client = this.client();
    const { installationId } = this.workspace;
    await client.run(connector, { installationId, ledger: this.ledger(), firstRun: true });
    await client.close();
  }

  client(options: Partial<Parameters<typeof createSyncClient>[0]> = {}): SyncEngine {
    const { server, clock } = this.parts;
    return createSyncClient({ endpoint: server.syncUrl, apiKey: this.apiKey, clock, ...options });
  }

  ledger(store = this.store): Ledger {
    if (this.directory !== undefined) return fileLedger(this.directory);
    return makeLedger("memory", { store, hashIds: false });
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
