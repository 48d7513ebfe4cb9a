import { InvalidInputError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import { type Ledger, type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { Store } from "../ledger/store.js";
import type { SyncConfiguration } from "../options.js";
import type { StoredPlan } from "./plan.js";

/** What a staging consists of. Plain data, so that another copy of the package can use it too. */
export interface StagingParts {
  readonly store: Store;
  readonly location: string;
  readonly keep: boolean;
  /** Deletes unfinished values whose keys begin with this. */
  readonly clearUnfinished?: ((prefix: string) => Promise<void>) | undefined;
}

/**
 * Returns what the ledger of a staged run consists of.
 * @throws {InvalidInputError} there is none
 */
export function ledgerOf(ledger: Ledger | "none"): LedgerParts {
  const parts = requireLedger(ledger);
  if (parts !== undefined) return parts;
  throw new InvalidInputError(
    'A staged run needs a ledger, so ledger must not be "none": nothing else keeps an older run from replacing a newer one.',
  );
}

/** What a staged run consists of: its staging and plan, and the client that opened it. */
export interface StagedParts {
  readonly staging: StagingParts;
  readonly plan: StoredPlan;
  readonly ledger: Ledger | "none";
  readonly configuration: SyncConfiguration;
}

/** Keys of the parts. Shared by all copies of the package. */
export const STAGING = Symbol.for("@saas-management/sdk/staging");
export const STAGED = Symbol.for("@saas-management/sdk/staged-run");

/**
 * Returns what a staging consists of.
 * @throws {InvalidInputError} it is not a staging
 */
export function requireStaging(staging: unknown): StagingParts {
  const parts: unknown = isObject(staging) ? Reflect.get(staging, STAGING) : undefined;
  if (isStagingParts(parts)) return parts;
  throw new InvalidInputError(
    "staging must be fileStaging(directory), storeStaging(store) or postgresStaging(pool).",
  );
}

function isStagingParts(value: unknown): value is StagingParts {
  return isObject(value) && isObject(Reflect.get(value, "store"));
}

/**
 * Returns what a staged run consists of.
 * @throws {InvalidInputError} it is not a staged run
 */
export function requireStaged(run: unknown): StagedParts {
  const parts: unknown = isObject(run) ? Reflect.get(run, STAGED) : undefined;
  if (isStagedParts(parts)) return parts;
  throw new InvalidInputError("commit needs a staged run, which client.sync.stage(staging, plan) returns.");
}

function isStagedParts(value: unknown): value is StagedParts {
  return isObject(value) && isObject(Reflect.get(value, "plan"));
}
