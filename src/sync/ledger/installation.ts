/** What a ledger has of all collections of an installation. */
import type { SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { InstallationScope } from "./entry.js";
import { currentOf, entriesOf, folderOf, type LedgerEntry, runOf } from "./keys.js";
import type { LedgerParts } from "./ledger.js";
import { lastWatermarks } from "./watermark-entries.js";

interface InstallationEntry extends LedgerEntry {
  readonly collection: SnapshotCollection;
}

/** The collections by what keys begin with. */
const SNAPSHOTS: ReadonlyMap<string, SnapshotCollection> = new Map(
  Object.values(WIRE)
    .filter((info) => info.model === "snapshot")
    .map(({ name, wireName }) => [wireName, name]),
);

/**
 * Whether the ledger knows a completed snapshot of any collection. Unclear ids do not count: a held first run stores its
 * ids to be approved, and leaves them behind if its process is killed.
 */
export async function knowsInstallation(ledger: LedgerParts, scope: InstallationScope): Promise<boolean> {
  for await (const { kind } of listEntries(ledger, scope)) if (kind === "completed") return true;
  return false;
}

/** Forgets a used approval in every collection that waits for it. A later run may have been held since. */
export async function releaseApproval(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
): Promise<void> {
  const used: string[] = [];
  for await (const { key, kind, token } of listEntries(ledger, scope))
    if (kind === "removals" && token === approvalId) used.push(key);
  for (const key of used) await ledger.store.delete(key);
}

/** Lists the entries of all collections, in any order. */
async function* listEntries(
  ledger: LedgerParts,
  scope: InstallationScope,
): AsyncGenerator<InstallationEntry, void, undefined> {
  for await (const key of listKeys(ledger, scope)) yield* entryOf(scope, key);
}

/** Lists the keys of an installation. */
async function* listKeys({ store }: LedgerParts, scope: InstallationScope) {
  const prefix = `${folderOf(scope)}/`;
  // A store may list more than it was asked for.
  for await (const key of store.list(prefix)) if (key.startsWith(prefix)) yield key;
}

function entryOf(scope: InstallationScope, key: string): InstallationEntry[] {
  const [, begin = "", name = ""] = /^([^.]*)\.(.*)$/.exec(key.slice(folderOf(scope).length + 1)) ?? [];
  const collection = SNAPSHOTS.get(begin);
  return collection === undefined ? [] : entriesOf(key, name).map((entry) => ({ ...entry, collection }));
}

/**
 * Names what the service may have according to the ledger: the last completed snapshot of each collection, later ones that
 * may have been completed, and the watermarks. It changes with each run that is completed. Reads no values.
 * @param except Id of a run that does not count.
 */
export async function stateOf(
  ledger: LedgerParts,
  scope: InstallationScope,
  except: string,
): Promise<string> {
  const keys: string[] = [];
  for await (const key of listKeys(ledger, scope)) keys.push(key);
  const collections = new Map<SnapshotCollection, InstallationEntry[]>();
  for (const entry of keys.flatMap((key) => entryOf(scope, key)))
    collections.set(entry.collection, [...(collections.get(entry.collection) ?? []), entry]);
  const current = [...collections.values()]
    .flatMap(currentOf)
    .filter(({ kind, token }) => kind !== "removals" && runOf(token) !== except)
    .map(({ key }) => key);
  return JSON.stringify([...current, ...lastWatermarks(keys, scope)].sort());
}
