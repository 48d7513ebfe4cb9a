/**
 * The keys of a staging. A run key has a folder K, a hash of it; a plan has an id of its own.
 *
 * - `K/plan.1`: the plan. If its run was discarded, the next one is `K/plan.2`; plans are never deleted.
 * - `K/<id>/s/<P>`: the segment of a partition. It is put when the whole partition was extracted, and never replaced.
 * - `K/<id>/x/<P>.<token>`: an extraction has begun; `K/<id>/x/<P>.<token>.ended`: it has ended, and how.
 * - `K/<id>/sealed`: what a run without partitions has extracted, put after all its segments.
 * - `K/<id>/b/<token>`: a batch that may have been completed; the ledger's entries of it have the same token.
 * - `K/<id>/fate`: the run is to be committed, or was discarded. `K/<id>/receipt`: it was committed.
 *
 * All names are hashed, so that any string will do, also on a disk that folds cases.
 */
import { createHash } from "node:crypto";
import type { Collection } from "../collections.js";

const HASH_DIGITS = 32;
const PLAN = /^([0-9a-f]{32})\/plan\.([1-9]\d*)$/;

/** The keys of one run. */
export interface RunKeys {
  readonly folder: string;
  readonly fate: string;
  readonly receipt: string;
  readonly sealed: string;
  /** What the keys of segments begin with. */
  readonly segments: string;
  /** What the keys of extractions begin with. */
  readonly attempts: string;
  /** What the keys of batches begin with. */
  readonly batches: string;
}

export function runKeys({ runKey, id }: { readonly runKey: string; readonly id: string }): RunKeys {
  const folder = `${folderOf(runKey)}/${id}`;
  return {
    folder,
    fate: `${folder}/fate`,
    receipt: `${folder}/receipt`,
    sealed: `${folder}/sealed`,
    segments: `${folder}/s/`,
    attempts: `${folder}/x/`,
    batches: `${folder}/b/`,
  };
}

export function planKey(runKey: string, number: number): string {
  return `${folderOf(runKey)}/plan.${number}`;
}

/** Returns whether the key is that of a plan, of any run. */
export function isPlanKey(key: string): boolean {
  return PLAN.test(key);
}

/** P: names a partition in keys. */
export function partitionHash(collection: Collection, partition: string): string {
  return hash([collection, partition]);
}

function folderOf(runKey: string): string {
  return hash([runKey]);
}

function hash(names: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, HASH_DIGITS);
}
