import { createHash } from "node:crypto";
import type { SnapshotCollection } from "../collections.js";
import type { InstallationScope } from "./entry.js";
import { type InstallationEntry, listEntries } from "./installation.js";
import { currentOf, type LedgerEntry, runOf } from "./keys.js";
import type { LedgerParts } from "./ledger.js";

/** A snapshot that the service may have. */
export interface RunToken extends Pick<LedgerEntry, "sequence" | "token"> {
  readonly collection: SnapshotCollection;
  /** `completed`: the last completed one. `ids`: a later one that may have been completed. */
  readonly kind: "completed" | "ids";
}

/** Lists what the service may have of each collection, which is what a run is compared with. Reads no values. */
export async function runTokens(ledger: LedgerParts, scope: InstallationScope): Promise<readonly RunToken[]> {
  const collections = new Map<SnapshotCollection, InstallationEntry[]>();
  for await (const entry of listEntries(ledger, scope)) {
    const entries = collections.get(entry.collection) ?? [];
    entries.push(entry);
    collections.set(entry.collection, entries);
  }
  return [...collections.values()]
    .flatMap(currentOf)
    .flatMap(({ collection, sequence, token, kind }) =>
      kind === "removals" ? [] : [{ collection, sequence, token, kind }],
    );
}

/**
 * Names a state of the ledger: equal names are equal baselines.
 * @param except A run that does not count.
 */
export function stateOf(tokens: readonly RunToken[], except: string): string {
  const names = tokens
    .filter(({ token }) => runOf(token) !== except)
    .map(({ collection, sequence, token, kind }) => JSON.stringify([collection, sequence, token, kind]));
  return createHash("sha256").update(names.sort().join("\n")).digest("hex");
}
