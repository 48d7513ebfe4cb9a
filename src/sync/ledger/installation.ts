/** What a ledger has of all collections of an installation. */
import type { SnapshotCollection } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import { type InstallationScope, readHeader } from "./entry.js";
import { folderOf, type LedgerEntry, runOf } from "./keys.js";
import { type LedgerParts, placeOf } from "./ledger.js";
import { OLD_TOKEN, oldFolderOf, withOld } from "./old-files.js";

export interface InstallationEntry extends LedgerEntry {
  readonly collection: SnapshotCollection;
}

/** The collections by what keys begin with, today and in old ledgers. */
const SNAPSHOTS: ReadonlyMap<string, SnapshotCollection> = new Map(
  Object.values(WIRE)
    .filter((info) => info.model === "snapshot")
    .flatMap(({ name, wireName }) => [wireName, name].map((begin) => [begin, name] as const)),
);

/**
 * Whether the ledger knows a completed snapshot of any collection. Unclear ids do not count: a held first run stores its
 * ids to be approved, and leaves them behind if its process is killed.
 * @param except A run that does not count.
 */
export async function knowsInstallation(
  ledger: LedgerParts,
  scope: InstallationScope,
  except?: string,
): Promise<boolean> {
  for await (const { kind, token } of listEntries(ledger, scope))
    if (kind === "completed" && (except === undefined || runOf(token) !== except)) return true;
  return false;
}

/** Forgets a used approval in every collection that waits for it. A later run may have been held since. */
export async function releaseApproval(
  ledger: LedgerParts,
  scope: InstallationScope,
  approvalId: string,
): Promise<void> {
  const { store } = ledger;
  const used: string[] = [];
  for await (const { key, kind, token, collection } of listEntries(ledger, scope)) {
    if (kind !== "removals") continue;
    const header = () => readHeader(() => store.get(key), placeOf(ledger, key), { ...scope, collection });
    // What cannot be read cannot be approved again either.
    const id = token === OLD_TOKEN ? (await header().catch(() => undefined))?.approval?.id : token;
    if (id === approvalId) used.push(key);
  }
  for (const key of used) await store.delete(key);
}

/** Lists the entries of all collections, in any order. */
export async function* listEntries(
  { store, directory }: LedgerParts,
  scope: InstallationScope,
): AsyncGenerator<InstallationEntry, void, undefined> {
  const old = directory && `${oldFolderOf(scope)}/`;
  for (const { prefix, parse } of withOld(`${folderOf(scope)}/`, old)) {
    for await (const key of store.list(prefix)) {
      if (!key.startsWith(prefix)) continue;
      const [, begin = "", name = ""] = /^([^.]*)\.(.*)$/.exec(key.slice(prefix.length)) ?? [];
      const collection = SNAPSHOTS.get(begin);
      if (collection !== undefined) for (const entry of parse(key, name)) yield { ...entry, collection };
    }
  }
}
