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
export async function listRuns(
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

export function hasAny(keys: ReadonlySet<string>, prefix: string): boolean {
  return [...keys].some((key) => key.startsWith(prefix));
}
