import { COLLECTIONS } from "../collections.js";
import type { Store } from "../ledger/store.js";
import { partitionHash, runKeys } from "./keys.js";
import { type Partition, partitionsOf, quote } from "./partitions.js";
import type { StagedParts } from "./parts.js";
import type { Plan, StoredPlan } from "./plan.js";
import { readSegment, type SegmentPlace, type SegmentSummary, summaryOf } from "./segment-reader.js";
import { listKeys, readJson } from "./values.js";

/** What a staging has of one partition. */
export interface PartitionState extends Partition {
  /** How many extractions have begun. */
  readonly attempts: number;
  /** Whether one of them has not ended. */
  readonly isOpen: boolean;
  /** What was extracted, if it is sealed. */
  readonly summary: SegmentSummary | undefined;
}

/** Reads the state of each partition. Reads no records, unless a process died right after it had sealed them. */
export async function readStatus(run: StagedParts, plan: Plan): Promise<readonly PartitionState[]> {
  const { store } = run.staging;
  const keys = runKeys(run.plan);
  const known = await listKeys(store, `${keys.folder}/`);
  const states: PartitionState[] = [];
  for (const place of partitionsOf(plan)) {
    const { collection, partition } = place;
    const hash = partitionHash(collection, partition);
    const attempts = known.filter((key) => key.startsWith(`${keys.attempts}${hash}.`));
    const ended = attempts.filter((key) => key.endsWith(".ended"));
    const begun = attempts.length - ended.length;
    const segment = `${keys.segments}${hash}`;
    const isStored = known.includes(segment);
    // The segments of a committed run were deleted.
    const noted = isStored || known.includes(keys.receipt) ? await notedSummary(store, ended) : undefined;
    const summary = noted ?? (isStored ? await summaryIn(run, segment, place) : undefined);
    states.push({ collection, partition, attempts: begun, isOpen: begun > ended.length, summary });
  }
  return states;
}

export function placeOf({ id }: StoredPlan, { collection, partition }: Partition): SegmentPlace {
  const { contract } = COLLECTIONS[collection];
  return { id, collection, partition, contract, name: `the partition ${quote(partition)} of ${collection}` };
}

/** What the extraction that sealed the partition has noted: the others note nothing. */
async function notedSummary(store: Store, ended: readonly string[]): Promise<SegmentSummary | undefined> {
  for (const key of ended) {
    const summary = summaryOf(await readJson(store, key));
    if (summary !== undefined) return summary;
  }
  return undefined;
}

async function summaryIn(run: StagedParts, key: string, place: Partition): Promise<SegmentSummary> {
  const frames = readSegment(await run.staging.store.get(key), placeOf(run.plan, place));
  for (;;) {
    const step = await frames.next();
    if (step.done === true) return step.value;
  }
}
