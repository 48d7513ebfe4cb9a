import { isSnapshot, type SnapshotCollection } from "../collections.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import { CollectionLedger } from "../ledger/collection-ledger.js";
import type { InstallationScope } from "../ledger/entry.js";
import type { LedgerParts } from "../ledger/ledger.js";
import { SnapshotIds } from "./snapshot-ids.js";

/** The ids of snapshots that are judged in the process that extracts them: nobody reads the records for them again. */
export class ObservedIds {
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: InstallationScope;
  readonly #ids = new Map<SnapshotCollection, SnapshotIds>();

  constructor(ledger: LedgerParts | undefined, scope: InstallationScope) {
    this.#ledger = ledger;
    this.#scope = scope;
  }

  readonly observerOf: ObserverOf = ({ name }) => {
    if (!isSnapshot(name)) return undefined;
    const scope = { ...this.#scope, collection: name };
    const keyOf = this.#ledger && new CollectionLedger(this.#ledger, scope).keyOf;
    const ids = this.#ids.get(name) ?? new SnapshotIds({ profiled: name, write: undefined, keyOf });
    this.#ids.set(name, ids);
    return ids;
  };

  /** Returns the ids of a collection once: they are not kept in memory for another judgement. */
  take(collection: SnapshotCollection): SnapshotIds | undefined {
    const ids = this.#ids.get(collection);
    this.#ids.delete(collection);
    return ids;
  }
}
