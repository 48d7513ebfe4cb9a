import { text } from "node:stream/consumers";
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import type { Store } from "../ledger/store.js";
import { describedReceipt, type RunReceipt } from "../run/receipt.js";
import type { RunKeys } from "./keys.js";
import type { StoredPlan } from "./plan.js";
import { putJson } from "./values.js";

/** The value of a receipt; without a receipt, the run can never be committed. */
type StoredReceipt = { readonly receipt: RunReceipt } | { readonly superseded: true };

/**
 * Reads the receipt of a run, if there is one.
 * @throws {InvalidInputError} the run was superseded
 */
export async function readReceipt(
  store: Store,
  keys: RunKeys,
  plan: StoredPlan,
): Promise<RunReceipt | undefined> {
  const value = await store.get(keys.receipt);
  if (value === undefined) return undefined;
  const stored = parseReceipt(await text(value));
  if (stored === undefined)
    throw new ConfigurationError(`${keys.receipt} of the staging is damaged: it is not a receipt.`);
  if ("superseded" in stored) throw new SupersededError(plan);
  return describedReceipt(stored.receipt);
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

function parseReceipt(json: string): StoredReceipt | undefined {
  try {
    const value: Partial<Record<"receipt" | "superseded", unknown>> = JSON.parse(json);
    if (value.superseded === true) return { superseded: true };
    const { receipt }: { receipt?: RunReceipt } = JSON.parse(json);
    return typeof receipt?.batchId === "string" ? { receipt } : undefined;
  } catch {
    return undefined;
  }
}
