/** How a run ends: its fate, which is decided once, and its receipt. */
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import type { Store } from "../ledger/store.js";
import { describedReceipt, type RunReceipt } from "../run/receipt.js";
import { type RunKeys, runKeys } from "./keys.js";
import { quote } from "./partitions.js";
import type { StagedParts } from "./parts.js";
import type { StoredPlan } from "./plan.js";
import { putJson, readJson } from "./values.js";

export type Fate = { readonly fate: "commit"; readonly digest: string } | { readonly fate: "discard" };

/** Returns the run's fate, if it is decided. @throws {ConfigurationError} it is damaged */
export async function readFate(store: Store, { fate: key }: RunKeys): Promise<Fate | undefined> {
  const value = await readJson(store, key);
  if (value === undefined) return undefined;
  const { fate, digest }: Partial<Record<"fate" | "digest", unknown>> = isObject(value) ? value : {};
  if (fate === "discard") return { fate };
  if (fate === "commit" && typeof digest === "string") return { fate, digest };
  throw new ConfigurationError(`${key} of the staging is damaged: it does not tell the fate of the run.`);
}

/** Decides the run's fate, unless that is decided. Returns the fate. */
export async function decideFate(store: Store, keys: RunKeys, fate: Fate): Promise<Fate> {
  await putJson(store, keys.fate, fate);
  // What was put may be the fate even if the answer was lost, or another one may have been first.
  return (await readFate(store, keys)) ?? fate;
}

/** Returns whether the commit of a run has begun. @throws {InvalidInputError} the run was discarded */
export async function requireKept({ staging, plan }: StagedParts): Promise<boolean> {
  const fate = await readFate(staging.store, runKeys(plan));
  if (fate?.fate === "discard") throw discardedError(plan);
  return fate !== undefined;
}

export function discardedError({ runKey }: StoredPlan): InvalidInputError {
  return new InvalidInputError(
    `The run ${quote(runKey)} was discarded, with all that was extracted for it. Open it again with client.sync.stage to extract it again.`,
  );
}

/** The value of a receipt; without a receipt, the run can never be committed. */
type StoredReceipt = { readonly receipt: RunReceipt } | { readonly superseded: true };

/**
 * Reads the receipt of a run, if there is one.
 * @throws {InvalidInputError} the run was superseded
 */
export async function readReceipt(
  store: Store,
  { receipt: key }: RunKeys,
  plan: StoredPlan,
): Promise<RunReceipt | undefined> {
  const value = await readJson(store, key);
  if (value === undefined) return undefined;
  const stored: { receipt?: RunReceipt; superseded?: unknown } = isObject(value) ? value : {};
  const { receipt } = stored;
  if (stored.superseded === true) throw new SupersededError(plan);
  if (typeof receipt?.batchId === "string") return describedReceipt(receipt);
  throw new ConfigurationError(`${key} of the staging is damaged: it is not a receipt.`);
}

export async function putReceipt(store: Store, keys: RunKeys, receipt: StoredReceipt): Promise<void> {
  await putJson(store, keys.receipt, receipt);
}

/** Another run of the installation was completed, or may have been, after a run was opened. */
export class SupersededError extends InvalidInputError {
  constructor({ runKey }: StoredPlan) {
    super(
      `The run ${JSON.stringify(runKey)} cannot be committed: another run of the installation was completed, or may have been, after this one was opened, so its records may be older. If this run was committed before, that was before the other one. Extract again under another runKey.`,
    );
  }
}
