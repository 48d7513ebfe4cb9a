import { InvalidInputError } from "../../core/errors/index.js";
import type { InstallationScope } from "../ledger/entry.js";
import { isPlanKey, partitionHash, type RunKeys, runKeys } from "./keys.js";
import { decideFate, type Fate, readFate } from "./outcome.js";
import { partitionsOf, quote } from "./partitions.js";
import type { StagingParts } from "./parts.js";
import { readPlan, type StoredPlan } from "./plan.js";
import { exists, listKeys } from "./values.js";

/** A run as the listing of its staging shows it. */
export interface ListedRun {
  readonly plan: StoredPlan;
  /** All keys of its run key. */
  readonly keys: ReadonlySet<string>;
}

/** Lists the runs of an installation that are neither committed nor discarded. */
export async function unfinishedRuns(
  staging: StagingParts,
  scope: InstallationScope,
): Promise<readonly ListedRun[]> {
  // The ids of runs are in their plans only, and those of a run key that has no other run need not be read.
  const runs = await listRuns(staging, (keys, plans) => foldersOver(keys).size < plans);
  return runs.filter(({ plan, keys }) => {
    const isOurs = plan.endpoint === scope.endpoint && plan.installationId === scope.installationId;
    return isOurs && !foldersOver(keys).has(runKeys(plan).folder);
  });
}

/** Whether all partitions of a run were extracted. */
export function isSealed({ plan, keys }: ListedRun): boolean {
  const { segments, sealed } = runKeys(plan);
  if (plan.partitions === null) return keys.has(sealed);
  return partitionsOf(plan.partitions).every(({ collection, partition }) =>
    keys.has(`${segments}${partitionHash(collection, partition)}`),
  );
}

/** @param isWanted Tells by the keys of a run key, and how many of them are plans, whether these are read. */
async function listRuns(
  { store }: StagingParts,
  isWanted: (keys: ReadonlySet<string>, plans: number) => boolean = () => true,
): Promise<readonly ListedRun[]> {
  const folders = new Map<string, Set<string>>();
  for (const key of await listKeys(store, "")) {
    const folder = key.slice(0, key.indexOf("/"));
    folders.set(folder, (folders.get(folder) ?? new Set()).add(key));
  }
  const runs: ListedRun[] = [];
  for (const keys of folders.values()) {
    const planKeys = [...keys].filter(isPlanKey);
    if (!isWanted(keys, planKeys.length)) continue;
    for (const key of planKeys) {
      const plan = await readPlan(store, key);
      if (plan !== undefined) runs.push({ plan, keys });
    }
  }
  return runs;
}

/** The folders of the runs that were committed or discarded: of a discarded one, segments will not stay for long. */
function foldersOver(keys: ReadonlySet<string>): ReadonlySet<string> {
  const over = new Set<string>();
  for (const key of keys) {
    const [, folder, end] = /^(.*)\/(receipt|fate)$/.exec(key) ?? [];
    if (folder !== undefined && (end === "receipt" || !hasAny(keys, `${folder}/s/`))) over.add(folder);
  }
  return over;
}

function hasAny(keys: ReadonlySet<string>, prefix: string): boolean {
  return [...keys].some((key) => key.startsWith(prefix));
}

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
