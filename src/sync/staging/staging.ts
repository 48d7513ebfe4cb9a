import { isObject } from "../../core/validate.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Store } from "../ledger/store.js";
import type { SyncConfiguration } from "../options.js";
import type { StoredPlan } from "./plan.js";

/** Keeps what was extracted until it is committed. Made by {@link fileStaging} or {@link storeStaging}. */
export interface Staging {
  /** Where it is: the absolute path of its directory, or `store`. */
  readonly location: string;
  /**
   * Deletes what old runs have left: the records of those that were committed, and all of those that were not by then,
   * which are discarded.
   * @param options `olderThanMs`: how long ago a run was opened at least, in milliseconds.
   */
  sweep(options: { readonly olderThanMs: number }): Promise<void>;
}

/** What a staging consists of. */
export interface StagingParts {
  readonly store: Store;
  readonly location: string;
  /** Whether records stay after a commit. */
  readonly keep: boolean;
  /** Deletes unfinished values whose keys begin with this. */
  readonly clearUnfinished?: ((prefix: string) => Promise<void>) | undefined;
}

/** What a staged run consists of: the client that opened it, its staging, and its plan. */
export interface StagedParts {
  readonly staging: StagingParts;
  readonly plan: StoredPlan;
  readonly ledger: Ledger | "none";
  readonly configuration: SyncConfiguration;
}

const STAGED = Symbol.for("@saas-management/sdk/staged-run");

/** Returns what a staged run consists of, if it is one. */
export function stagedParts(run: unknown): StagedParts | undefined {
  const parts: unknown = isObject(run) ? Reflect.get(run, STAGED) : undefined;
  return isStagedParts(parts) ? parts : undefined;
}

function isStagedParts(value: unknown): value is StagedParts {
  return isObject(value) && isObject(Reflect.get(value, "plan"));
}
