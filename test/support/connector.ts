import type {
  Connector,
  PreviewOptions,
  RunBatch,
  RunContext,
  RunPreview,
  SnapshotCollection,
} from "@saas-management/sdk";
import { createSyncClient } from "../../src/runs/engine.js";
import type { SyncClientOptions } from "../../src/sync/options.js";

/** A connector's function as JavaScript allows it: the SDK's types require a function that returns a promise. */
export type RunFunction<S extends SnapshotCollection> = (batch: RunBatch<S>, context: RunContext) => unknown;

export function connectorOf<const S extends SnapshotCollection>(
  snapshots: readonly S[],
  run: RunFunction<S>,
): Connector<S> {
  return { snapshots, run } as Connector<S>;
}

/** A preview without a service or a key, and without a ledger by default. */
export function previewOf<const S extends SnapshotCollection>(
  snapshots: readonly S[],
  fn: RunFunction<S>,
  options: Partial<PreviewOptions> = {},
  client: Partial<SyncClientOptions> = {},
): Promise<RunPreview> {
  const sync = createSyncClient({ endpoint: "https://sync.example.com", ...client });
  return sync.preview(connectorOf(snapshots, fn), { ledger: "none", ...options });
}
