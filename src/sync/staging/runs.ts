import type { InstallationScope } from "../ledger/entry.js";
import { isPlanKey, partitionHash, runKeys } from "./keys.js";
import { partitionsOf } from "./partitions.js";
import type { StagingParts } from "./parts.js";
import { readPlan, type StoredPlan } from "./plan.js";
import { listKeys } from "./values.js";

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
  const runs = await listRuns(staging, (keys) => !isOver(keys));
  return runs.filter(({ plan, keys }) => {
    const isOurs = plan.endpoint === scope.endpoint && plan.installationId === scope.installationId;
    const { receipt, fate, segments } = runKeys(plan);
    // A discarded run has no segments, or will not have them for long: it was never committed.
    return isOurs && !keys.has(receipt) && !(keys.has(fate) && !hasAny(keys, segments));
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

/** @param isWanted Tells by the keys of a run key whether its plans are read. */
export async function listRuns(
  { store }: StagingParts,
  isWanted: (keys: ReadonlySet<string>) => boolean = () => true,
): Promise<readonly ListedRun[]> {
  const folders = new Map<string, Set<string>>();
  for (const key of await listKeys(store, "")) {
    const folder = key.slice(0, key.indexOf("/"));
    folders.set(folder, (folders.get(folder) ?? new Set()).add(key));
  }
  const runs: ListedRun[] = [];
  for (const keys of folders.values()) {
    const planKeys = [...keys].filter(isPlanKey);
    if (planKeys.length === 0 || !isWanted(keys)) continue;
    for (const key of planKeys) {
      const plan = await readPlan(store, key);
      if (plan !== undefined) runs.push({ plan, keys });
    }
  }
  return runs;
}

/** Whether as many runs of the key were committed or discarded as there are plans: their ids are in the plans only. */
function isOver(keys: ReadonlySet<string>): boolean {
  const plans = [...keys].filter(isPlanKey).length;
  const folders = new Set(
    [...keys].filter((key) => !isPlanKey(key)).map((key) => key.split("/", 2).join("/")),
  );
  const over = [...folders].filter(
    (folder) =>
      keys.has(`${folder}/receipt`) || (keys.has(`${folder}/fate`) && !hasAny(keys, `${folder}/s/`)),
  );
  return over.length >= plans;
}

function hasAny(keys: ReadonlySet<string>, prefix: string): boolean {
  return [...keys].some((key) => key.startsWith(prefix));
}
