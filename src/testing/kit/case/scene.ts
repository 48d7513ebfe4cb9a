import { join } from "node:path";
import type { ReferenceServer } from "../../../reference-server/server.js";
import { createSyncClient } from "../../../sync/client.js";
import type { SnapshotCollection } from "../../../sync/collections.js";
import type { SyncEngine } from "../../../sync/engine.js";
import { fileLedger, type Ledger, makeLedger } from "../../../sync/ledger/ledger.js";
import { memoryStore } from "../../../sync/ledger/memory-ledger.js";
import type { Connector } from "../../../sync/run/connector.js";
import type { AnyBatch } from "./batch.js";
import { playInChild } from "./child-night.js";
import { type NightScene, playNight, type StageParts } from "./night.js";
import type { CaseResult, CaseSetup } from "./setup.js";

const DAY_MS = 24 * 3_600_000;

/** One case: a workspace, a ledger and a connector, for the nights that follow each other. */
export class Scene<S extends SnapshotCollection> implements NightScene<S> {
  readonly parts: StageParts;
  readonly connector: Connector<S>;
  readonly setup: CaseSetup;
  readonly store = memoryStore();
  readonly workspace: ReturnType<ReferenceServer["createWorkspace"]>;
  /** Of the ledger, if another process uses it too. */
  readonly #directory: string | undefined;
  #apiKey: string;

  constructor(parts: StageParts, connector: Connector<S>, setup: CaseSetup) {
    this.parts = parts;
    this.connector = connector;
    this.setup = setup;
    this.workspace = parts.server.createWorkspace({ name: "A case of a connector's test" });
    this.#apiKey = this.workspace.apiKey;
    if (setup.child !== undefined) this.#directory = join(parts.folder(), this.workspace.id);
  }

  async play(): Promise<CaseResult> {
    const { yesterday } = this.setup;
    if (yesterday !== undefined && "exchanges" in yesterday) {
      const before = await playNight(this, { recording: yesterday, firstRun: true });
      if (before.outcome !== "completed") return before;
    } else if (yesterday !== undefined) await this.#complete(yesterday.records);
    this.parts.clock.advance(DAY_MS);
    const { child, ...setup } = { ...this.setup, firstRun: yesterday === undefined };
    if (child === undefined || this.#directory === undefined) return playNight(this, setup);
    return playInChild(this, child, { ...setup, directory: this.#directory });
  }

  async nextNight(): Promise<CaseResult> {
    const { recording, guard, yesterday } = this.setup;
    const { clock, server } = this.parts;
    clock.advance(DAY_MS);
    // The fault may have revoked it.
    this.#apiKey = server.createApiKey({ workspaceId: this.workspace.id });
    const { batches } = server.inspect(this.workspace.installationId);
    const firstRun = yesterday === undefined && !batches.some(({ state }) => state === "completed");
    return playNight(this, { recording, guard, firstRun });
  }

  /** Runs the connector as it is, to load everything. */
  async load(): Promise<void> {
    const client = this.client();
    const { installationId } = this.workspace;
    await client.run(this.connector, { installationId, ledger: this.ledger(), firstRun: true });
    await client.close();
  }

  client(options: Partial<Parameters<typeof createSyncClient>[0]> = {}): SyncEngine {
    const { server, clock } = this.parts;
    return createSyncClient({ endpoint: server.syncUrl, apiKey: this.#apiKey, clock, ...options });
  }

  ledger(store = this.store): Ledger {
    if (this.#directory !== undefined) return fileLedger(this.#directory);
    return makeLedger("memory", { store, hashIds: false });
  }

  async #complete(records: Partial<Record<SnapshotCollection, readonly object[]>>): Promise<void> {
    const client = this.client();
    const { installationId } = this.workspace;
    const connector: Connector<SnapshotCollection> = {
      snapshots: this.connector.snapshots,
      run: async (batch: AnyBatch) => {
        for (const name of this.connector.snapshots) await batch.write(name, records[name] ?? []);
      },
    };
    await client.run(connector, { installationId, ledger: this.ledger(), firstRun: true });
    await client.close();
  }
}
