import { InvalidInputError } from "../../core/errors/index.js";
import { type RunKeys, runKeys } from "./keys.js";
import { decideFate, type Fate, readFate } from "./outcome.js";
import { quote } from "./partitions.js";
import type { StagingParts } from "./parts.js";
import type { StoredPlan } from "./plan.js";
import { hasAny, listRuns } from "./runs.js";
import { exists, listKeys } from "./values.js";

/**
 * Gives a run up and deletes what was extracted for it. Plan and fate stay. If the run was committed, deletes only what is
 * left of it.
 * @throws {InvalidInputError} it is being committed
 */
export async function discardRun(staging: StagingParts, plan: StoredPlan): Promise<void> {
  const { store } = staging;
  const keys = runKeys(plan);
  if (!(await exists(store, keys.receipt))) {
    const { fate } = (await readFate(store, keys)) ?? (await decideDiscard(staging, keys));
    if (fate === "commit" && !(await exists(store, keys.receipt)))
      throw new InvalidInputError(
        `The commit of the run ${quote(plan.runKey)} has begun, so it cannot be discarded. Commit it again to learn its result.`,
      );
  }
  await deleteSegments(staging, plan);
  await deleteAll(staging, keys.attempts);
}

/** An extraction that fails now learns that its run was discarded: what it has written is deleted after the fate. */
async function decideDiscard(staging: StagingParts, keys: RunKeys): Promise<Fate> {
  try {
    return await decideFate(staging.store, keys, { fate: "discard" });
  } catch {
    // A full disk does not take the fate.
    await staging.clearUnfinished?.(keys.segments);
    return decideFate(staging.store, keys, { fate: "discard" });
  }
}

/** Deletes the records of a run. The plan, its fate and its receipt stay. */
export async function deleteSegments(staging: StagingParts, plan: StoredPlan): Promise<void> {
  await deleteAll(staging, runKeys(plan).segments);
}

/** Discards runs that were opened before a time, and deletes what is left of those that were committed by then. */
export async function sweepRuns(staging: StagingParts, before: number): Promise<void> {
  for (const { plan, keys } of await listRuns(staging)) {
    const { segments, attempts, fate, receipt } = runKeys(plan);
    const isEmpty = !hasAny(keys, segments) && !hasAny(keys, attempts);
    const isOver = isEmpty && (keys.has(fate) || keys.has(receipt));
    if (plan.openedAt >= before || isOver) continue;
    // A commit that has begun may still end.
    const isCommitting =
      !keys.has(receipt) && (await readFate(staging.store, runKeys(plan)))?.fate === "commit";
    if (!isCommitting) await discardRun(staging, plan);
  }
}

async function deleteAll({ store, clearUnfinished }: StagingParts, prefix: string): Promise<void> {
  await clearUnfinished?.(prefix);
  for (const key of await listKeys(store, prefix)) await store.delete(key);
}
