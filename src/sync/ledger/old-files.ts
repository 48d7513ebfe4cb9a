/**
 * File ledgers of 0.1, whose files were replaced: `accounts.completed.gz`, `accounts.<token>.pending.gz` and
 * `accounts.removals.txt`. They have the format of today's entries, are read as the first ones, and are deleted when a
 * later snapshot is completed or the approval is used.
 */
import type { InstallationScope, LedgerScope } from "./entry.js";
import { entriesOf, installationHash, type LedgerEntry } from "./keys.js";

export const OLD_TOKEN = "old";

export function oldFolderOf({ endpoint, installationId }: InstallationScope): string {
  const readable = installationId.replace(/[^\w-]/g, "_").slice(0, 60);
  return `${readable}-${installationHash(endpoint, installationId)}`;
}

/** What the paths of a collection began with. */
export function oldPrefixOf(scope: LedgerScope): string {
  return `${oldFolderOf(scope)}/${scope.collection}.`;
}

export function oldEntriesOf(key: string, name: string): LedgerEntry[] {
  const entry = { key, sequence: 0, token: OLD_TOKEN };
  if (name === "removals.txt") return [{ ...entry, kind: "removals" }];
  // Pending ids are of later batches than the completed ones.
  if (/^[\w-]+\.pending\.gz$/.test(name)) return [{ ...entry, kind: "ids", sequence: 1 }];
  if (name !== "completed.gz") return [];
  return [
    { ...entry, kind: "ids" },
    { ...entry, kind: "completed" },
  ];
}

/** Pairs each beginning of keys with what reads the rest of them. If both are the same, the store is asked once. */
export function withOld(
  prefix: string,
  oldPrefix: string | undefined,
): readonly { readonly prefix: string; readonly parse: typeof oldEntriesOf }[] {
  if (oldPrefix === prefix)
    return [{ prefix, parse: (key, name) => [...entriesOf(key, name), ...oldEntriesOf(key, name)] }];
  const today = { prefix, parse: entriesOf };
  return oldPrefix === undefined ? [today] : [today, { prefix: oldPrefix, parse: oldEntriesOf }];
}
