import type { SnapshotCollection, SyncReceipt } from "@saas-management/sdk/sync";
import type { World } from "./world.js";

/** What stops an attack, in the words of docs/reference/run-and-guard.md. */
export type Stop =
  | "declaration"
  | "expected count"
  | "file checks"
  | "journal"
  | "ledger checks"
  | "lock"
  | "not completed"
  | "nothing lost"
  | "option checks"
  | "page checks"
  | "poisoned batch"
  | "removal guard"
  | "reported";

/** How an attack ends. In silence it never does. */
export type Ending =
  | {
      readonly kind: "refused";
      /** Code of the error; undefined for an exception of the connector's own. */
      readonly code: string | undefined;
      readonly message: RegExp;
    }
  | {
      /** A removal that goes through, and of which the receipt, the progress and the log tell. */
      readonly kind: "reported";
      readonly collection: SnapshotCollection;
      readonly removed: number;
      /** Why it may be above the threshold. */
      readonly allowedBy?: "option";
    }
  | {
      /** A removal of which the ledger could not know: the receipt says so, and a warning tells it. */
      readonly kind: "told";
      readonly removed: number;
    }
  /** The run completes, and every record is still there. */
  | { readonly kind: "whole" };

/** One way to lose records. */
export interface Attack {
  readonly name: string;
  readonly stop: Stop;
  readonly ending: Ending;
  /** What happens before the attack, beside the good run of all records. */
  readonly prepare?: (world: World) => Promise<unknown>;
  /** Resolves with the receipts of the runs that went through. */
  readonly attack: (world: World) => Promise<SyncReceipt | readonly SyncReceipt[]>;
  /** Whether the ledger is such afterwards that an honest run is held as well. */
  readonly heldAfterwards?: boolean;
}

/** The removal guard holds the run. */
export function held(message: RegExp = /would be removed/): Ending {
  return refused("REMOVAL_GUARD", message);
}

/** The run rejects with an error of this code. */
export function refused(code: string, message: RegExp): Ending {
  return { kind: "refused", code, message };
}

/** The run rejects with an exception of the connector's own. */
export function ownException(message: RegExp): Ending {
  return { kind: "refused", code: undefined, message };
}
