import type { Collection, EventCollection } from "../collections.js";
import type { EncodedRecords } from "../encoding/encoded-records.js";
import type { RunKeys } from "./keys.js";
import type { StoredPlan } from "./plan.js";
import type { StagedParts } from "./staging.js";

/** A partition that was extracted wholly. */
export interface Segment {
  readonly collection: Collection;
  readonly partition: string;
  readonly key: string;
  /** Hash of all its bytes before the last line. */
  readonly sha256: string;
  readonly records: number;
  readonly bytes: number;
  /** When the extraction began and ended, in milliseconds since the epoch. */
  readonly readFrom: number;
  readonly readUntil: number;
  /**
   * Reads the records, a block for each message. Verifies all bytes: throws at the end if they are not those that were
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

/** @throws {InvalidInputError} partitions are missing, which it names */
export async function readSealedRun(_run: StagedParts): Promise<SealedRun> {
  throw new Error("Not built yet.");
}
