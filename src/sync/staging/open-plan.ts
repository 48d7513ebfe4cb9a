import { randomBytes } from "node:crypto";
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import { runOf } from "../ledger/keys.js";
import { requireLedger } from "../ledger/ledger.js";
import { thisProcess } from "../ledger/owner.js";
import { runTokens } from "../ledger/run-tokens.js";
import { readWatermarks } from "../ledger/watermark-entries.js";
import { planKey, runKeys } from "./keys.js";
import { readFate } from "./outcome.js";
import { differenceOf, quote } from "./partitions.js";
import type { StagedParts } from "./parts.js";
import { readPlan, type StoredPlan } from "./plan.js";
import { isSealed, unfinishedRuns } from "./runs.js";
import { putJson } from "./values.js";

/** What a plan is opened with. */
export type WantedPlan = Pick<StoredPlan, "runKey" | "version" | "partitions" | "installationId">;

/**
 * Opens a run: the plan of its key, or a new one if there is none, or if that run was discarded.
 * @throws {InvalidInputError} it was opened with another plan
 */
export async function openPlan(wanted: WantedPlan, parts: Omit<StagedParts, "plan">): Promise<StagedParts> {
  const { store } = parts.staging;
  const endpoint = parts.configuration.endpoint.origin;
  for (let number = 1; ; number += 1) {
    const key = planKey(wanted.runKey, number);
    const known = await readPlan(store, key);
    // Another process may be first.
    if (known === undefined) await putJson(store, key, await newPlan({ ...wanted, endpoint }, parts));
    const plan = known ?? (await readPlan(store, key));
    if (plan === undefined)
      throw new ConfigurationError(`The staging does not find ${key}, which it has stored.`);
    if ((await readFate(store, runKeys(plan)))?.fate === "discard") continue;
    requireSame(plan, { ...wanted, endpoint });
    return { ...parts, plan };
  }
}

async function newPlan(
  wanted: WantedPlan & Pick<StoredPlan, "endpoint">,
  { staging, ledger, configuration }: Omit<StagedParts, "plan">,
): Promise<StoredPlan> {
  const { endpoint, installationId, partitions } = wanted;
  const scope = { endpoint, installationId };
  const parts = requireLedger(ledger);
  const earlier = (await unfinishedRuns(staging, scope)).filter(isSealed).map(({ plan }) => plan.id);
  const known = parts === undefined ? [] : await runTokens(parts, scope);
  const watermarks = parts === undefined ? [] : await readWatermarks(parts, scope);
  return {
    ...wanted,
    id: randomBytes(16).toString("hex"),
    after: [...new Set([...earlier, ...known.map(({ token }) => runOf(token))])],
    watermarks: Object.fromEntries(watermarks),
    openedAt: configuration.clock.now(),
    owner: partitions === null ? thisProcess() : null,
  };
}

function requireSame(plan: StoredPlan, wanted: WantedPlan & Pick<StoredPlan, "endpoint">): void {
  const differences: string[] = [];
  for (const part of ["endpoint", "installationId", "version"] as const)
    if (plan[part] !== wanted[part])
      differences.push(`${part} (${quote(plan[part])}; now ${quote(wanted[part])})`);
  const partitions = differenceOf(plan.partitions ?? {}, wanted.partitions ?? {});
  if (partitions !== undefined) differences.push(partitions);
  if (differences.length === 0) return;
  throw new InvalidInputError(
    `The run ${quote(wanted.runKey)} was opened before with another plan: ${differences.join(", ")}. Open it as before, discard it first, or choose another runKey.`,
  );
}
