import type { Store } from "../../../../sync/ledger/store.js";
import type { ServiceFault } from "./service-fault.js";

/** The service restarts as soon as it has got such a request: connections and running calls are lost, data is kept. */
function restartAt(name: string, summary: string, at: string): ServiceFault {
  return {
    name,
    summary,
    arm: ({ server, during }) => {
      let fired = 0;
      const restart = async () => {
        // The request is under way.
        await new Promise(setImmediate);
        await server.restart();
      };
      return {
        get fired() {
          return fired;
        },
        onRequest: (operation) => {
          if (operation !== at || fired > 0) return;
          fired = 1;
          void during(restart);
        },
      };
    },
  };
}

/** A ledger whose store fails. */
function failingStore(name: string, summary: string, method: "get" | "putIfAbsent"): ServiceFault {
  return {
    name,
    summary,
    arm: () => {
      let fired = 0;
      const fail = async () => {
        fired += 1;
        throw new Error("The store of the ledger does not answer.");
      };
      return {
        get fired() {
          return fired;
        },
        store: (store: Store) => ({ ...store, [method]: fail }),
      };
    },
  };
}

/** Restarts of the service, and a ledger that fails. */
export const OUTAGES: readonly ServiceFault[] = [
  restartAt("service-restart-during-write", "the service restarts during a write", "SyncRecords"),
  restartAt(
    "service-restart-during-complete",
    "the service restarts during CompleteSyncBatch",
    "CompleteSyncBatch",
  ),
  failingStore("ledger-unreadable", "the ledger cannot be read", "get"),
  failingStore("ledger-unwritable", "the ledger cannot be written", "putIfAbsent"),
];
