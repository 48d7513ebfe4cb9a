/** The process that has a batch open, or starts one. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { folderOf, type InstallationScope, listKeys } from "./entries.js";
import type { LedgerParts } from "./ledger.js";
import type { Store } from "./store.js";
import { encodeValue, type Fields, readValue } from "./value.js";

/** After so long without a heartbeat, the owner is considered dead. */
export const STALE_MS = 10_000;

interface Owner {
  readonly host: string;
  /** Empty if the system does not tell it. */
  readonly bootId: string;
  readonly pid: number;
}

/** What an entry of the journal says; `batchId` if its batch was started. */
export type NamedOwner = Partial<Record<keyof Owner | "batchId", unknown>>;

/** Puts an entry of the journal that names this process. Its key ends with a time. */
export async function putOwned(store: Store, key: string, fields: Fields): Promise<void> {
  const owner: Owner = { host: hostname(), bootId: bootId(), pid: process.pid };
  await store.putIfAbsent(key, encodeValue(timeless(key), { ...owner, ...fields }));
}

/** @returns undefined if it was deleted meanwhile @throws {ConfigurationError} it is damaged */
export function readOwned(ledger: LedgerParts, key: string): Promise<NamedOwner | undefined> {
  return readValue(ledger, key, timeless(key));
}

/** A heartbeat renews the time only. */
function timeless(key: string): string {
  return key.slice(0, key.lastIndexOf("."));
}

/** A batch that a run of this ledger has open, or had when its process died. */
export interface OpenBatchEntry {
  readonly batchId: string;
  /** Process id and host. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly heartbeat: number;
  readonly isGone: boolean;
}

/**
 * Lists the open batches of an installation's runs, the one that was heard of last first. Entries that cannot be read are
 * left out.
 */
export async function openBatches(
  ledger: LedgerParts,
  scope: InstallationScope,
): Promise<readonly OpenBatchEntry[]> {
  const batches = new Map<string, OpenBatchEntry>();
  for await (const key of listKeys(ledger.store, `${folderOf(scope)}/journal.`)) {
    const entry = await readOwned(ledger, key).catch(() => undefined);
    const { batchId, pid, host } = entry ?? {};
    const heartbeat = Number(key.slice(key.lastIndexOf(".") + 1));
    if (entry === undefined || typeof batchId !== "string") continue;
    if (heartbeat < (batches.get(batchId)?.heartbeat ?? 0)) continue;
    const owner = `${String(pid)} on ${String(host)}`;
    batches.set(batchId, { batchId, owner, heartbeat, isGone: isGone(entry) });
  }
  return [...batches.values()].sort((a, b) => b.heartbeat - a.heartbeat);
}

/** Whether a process is provably dead. */
export function isGone({ host, bootId: boot, pid }: NamedOwner): boolean {
  if (boot === "" || boot !== bootId() || host !== hostname()) return false;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

let knownBootId: string | undefined;

/** Identifies the boot of the system, and the container whose process ids these are. Never changes for a process. */
function bootId(): string {
  try {
    knownBootId ??= `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    knownBootId = "";
  }
  return knownBootId;
}
