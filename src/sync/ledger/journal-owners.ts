import { text } from "node:stream/consumers";
import type { InstallationScope } from "./entry.js";
import { folderOf } from "./keys.js";
import type { LedgerParts } from "./ledger.js";
import { isGone, type Owner } from "./owner.js";

/** A batch that a run of this ledger has open, or had when its process died. */
export interface OpenBatchEntry {
  readonly batchId: string;
  /** Process id and host. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly heartbeat: number;
  readonly isGone: boolean;
}

const ENTRY = /^[0-9a-f]{64}\.(\d+)$/;

/** Lists the open batches of an installation's runs, the one that was heard of last first. Entries that cannot be read are left out. */
export async function openBatches(
  parts: LedgerParts,
  scope: InstallationScope,
): Promise<readonly OpenBatchEntry[]> {
  const prefix = `${folderOf(scope)}/journal.`;
  const batches = new Map<string, OpenBatchEntry>();
  for await (const key of parts.store.list(prefix)) {
    const heartbeat = ENTRY.exec(key.slice(prefix.length))?.[1];
    const value = heartbeat === undefined ? undefined : await parts.store.get(key);
    if (value === undefined) continue;
    const entry = parseEntry(await text(value));
    if (entry === undefined || Number(heartbeat) < (batches.get(entry.batchId)?.heartbeat ?? 0)) continue;
    batches.set(entry.batchId, { ...entry, heartbeat: Number(heartbeat) });
  }
  return [...batches.values()].sort((a, b) => b.heartbeat - a.heartbeat);
}

function parseEntry(json: string): Omit<OpenBatchEntry, "heartbeat"> | undefined {
  try {
    const entry: Partial<Record<"batchId" | keyof Owner, unknown>> = JSON.parse(json);
    const { batchId, pid, host } = entry;
    if (typeof batchId !== "string") return undefined;
    return { batchId, owner: `${String(pid)} on ${String(host)}`, isGone: isGone(entry) };
  } catch {
    return undefined;
  }
}
