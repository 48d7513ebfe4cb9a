import { COLLECTIONS, type Collection } from "../collections.js";
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
  const keys = runKeys(run.plan);
  const known = await listKeys(run.staging.store, `${keys.folder}/`);
  const states: PartitionState[] = [];
  for (const { collection, partition } of partitionsOf(plan)) {
    const hash = partitionHash(collection, partition);
    const attempts = known.filter((key) => key.startsWith(`${keys.attempts}${hash}.`));
    const ended = attempts.filter((key) => key.endsWith(".ended"));
    const begun = attempts.length - ended.length;
    const segment = `${keys.segments}${hash}`;
    const isStored = known.includes(segment);
    // The segments of a committed run were deleted.
    const noted = isStored || known.includes(keys.receipt) ? await notedSummary(run, ended) : undefined;
    const place = placeOf(run.plan, collection, partition);
    const summary = noted ?? (isStored ? await summaryIn(run, segment, place) : undefined);
    states.push({ collection, partition, attempts: begun, isOpen: begun > ended.length, summary });
  }
  return states;
}

export function placeOf({ id }: StoredPlan, collection: Collection, partition: string): SegmentPlace {
  const { contract } = COLLECTIONS[collection];
  return { id, collection, partition, contract, name: `the partition ${quote(partition)} of ${collection}` };
}

/** What the extraction that sealed the partition has noted: the others note nothing. */
async function notedSummary(
  { staging }: StagedParts,
  ended: readonly string[],
): Promise<SegmentSummary | undefined> {
  for (const key of ended) {
    const summary = summaryOf(await readJson(staging.store, key));
    if (summary !== undefined) return summary;
  }
  return undefined;
}

async function summaryIn(
  { staging }: StagedParts,
  key: string,
  place: SegmentPlace,
): Promise<SegmentSummary> {
  const frames = readSegment(await staging.store.get(key), place);
  for (;;) {
    const step = await frames.next();
    if (step.done === true) return step.value;
  }
}
