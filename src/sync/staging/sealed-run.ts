import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { InvalidInputError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import { type Collection, collectionEntries, type EventCollection, isSnapshot } from "../collections.js";
import type { EncodedRecords } from "../encoding/encoded-records.js";
import { partitionHash, type RunKeys, runKeys } from "./keys.js";
import { listNames, type Partition, quote } from "./partitions.js";
import type { StagedParts } from "./parts.js";
import type { StoredPlan } from "./plan.js";
import { readSegment, type SegmentSummary, summaryOf, UnusableSegmentError } from "./segment-reader.js";
import { type PartitionState, placeOf, readStatus } from "./status.js";
import { readJson } from "./values.js";

/** The partition of the segments of a run without partitions. */
export const WHOLE = "all";

/** A partition that was extracted wholly. */
export interface Segment extends SegmentSummary {
  /**
   * Reads the records, a block for each message; the next one overwrites it. Verifies all bytes: throws at the end if they are not those that were
   * extracted.
   * @throws {ConfigurationError} it is missing, damaged, or of another plan or contract
   */
  blocks(): AsyncIterable<EncodedRecords>;
}

/** A run of which every partition is sealed. */
export interface SealedRun {
  readonly plan: StoredPlan;
  readonly keys: RunKeys;
  /** Hash of what the segments contain: equal digests are equal runs. */
  readonly digest: string;
  /** Of each collection, in the order of the plan. */
  readonly segments: ReadonlyMap<Collection, readonly Segment[]>;
  /** What the connector of a run without partitions passed to `advance`. */
  readonly advanced: ReadonlyMap<EventCollection, string>;
}

/** The value of `sealed`: what a run without partitions has extracted. */
export interface Manifest {
  readonly segments: Partial<Record<Collection, SegmentSummary>>;
  readonly advanced: Partial<Record<EventCollection, string>>;
}

/**
 * Reads what the segments of a run are, and not their records.
 * @throws {InvalidInputError} partitions are missing, which it names
 */
export async function readSealedRun(run: StagedParts): Promise<SealedRun> {
  const { plan } = run;
  const keys = runKeys(plan);
  const manifest = plan.partitions === null ? await readManifest(run, keys.sealed) : undefined;
  const status = manifest === undefined ? await readStatus(run, plan.partitions ?? {}) : stateOf(manifest);
  const missing = status.filter(({ summary }) => summary === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ collection, partition }) => `${collection} ${partition}`);
    throw new InvalidInputError(
      `The run ${quote(plan.runKey)} is not wholly extracted. Extract what is missing, then commit it: ${listNames(names)}.`,
    );
  }
  const segments = new Map<Collection, Segment[]>();
  const hashes: string[] = [];
  for (const { collection, partition, summary } of status) {
    if (summary === undefined) continue;
    const hash = partitionHash(collection, partition);
    const segment = segmentOf(run, { collection, partition }, `${keys.segments}${hash}`, summary);
    segments.set(collection, [...(segments.get(collection) ?? []), segment]);
    hashes.push(`${hash} ${summary.sha256}`);
  }
  const digest = createHash("sha256").update(hashes.sort().join("\n")).digest("hex");
  const advanced = new Map(
    collectionEntries(manifest?.advanced ?? {}).flatMap(([name, value]) =>
      isSnapshot(name) ? [] : [[name, value] as const],
    ),
  );
  return { plan, keys, digest, segments, advanced };
}

function segmentOf(
  { staging, plan }: StagedParts,
  partition: Partition,
  key: string,
  expected: SegmentSummary,
): Segment {
  const place = placeOf(plan, partition);
  async function* blocks() {
    const summary = yield* readSegment(await staging.store.get(key), place);
    if (!isDeepStrictEqual(summary, summaryOf(expected)))
      throw new UnusableSegmentError(
        `The staged segment of ${place.name} is not the one that was extracted.`,
      );
  }
  return { ...expected, blocks };
}

async function readManifest({ staging, plan }: StagedParts, key: string): Promise<Manifest> {
  const value = await readJson(staging.store, key);
  if (isManifest(value)) return value;
  if (value === undefined)
    throw new InvalidInputError(`The run ${quote(plan.runKey)} is not wholly extracted.`);
  throw new UnusableSegmentError(
    `The run ${quote(plan.runKey)} cannot be committed: ${key} of the staging is damaged.`,
  );
}

function isManifest(value: unknown): value is Manifest {
  if (!isObject(value)) return false;
  const { segments, advanced }: Partial<Record<keyof Manifest, unknown>> = value;
  return isObject(segments) && Object.values(segments).every(summaryOf) && isObject(advanced);
}

function stateOf({ segments }: Manifest): readonly PartitionState[] {
  return collectionEntries(segments).map(([collection, summary]) => {
    return { collection, partition: WHOLE, attempts: 1, isOpen: false, summary };
  });
}
