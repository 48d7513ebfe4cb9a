import { isObject } from "../../core/validate.js";
import type { SnapshotProfile } from "../ids/snapshot-profile.js";

/** What a ledger remembers of a completed snapshot beside its ids. */
export interface PastSnapshot {
  /** When it was judged, in milliseconds since 1970. */
  readonly at: number;
  /** Number of different ids. */
  readonly sent: number;
  readonly profile: SnapshotProfile;
  /** The rules for which a later approval allowed what differs from this snapshot; of a field, `rule:field`. */
  readonly superseded?: readonly string[];
}

/** The last snapshots of a collection, the latest one last. */
export type History = readonly PastSnapshot[];

export function isHistory(value: unknown): value is History {
  return Array.isArray(value) && value.every(isPast);
}

export function isPast(value: unknown): value is PastSnapshot {
  if (!isObject(value)) return false;
  const { at, sent, profile, superseded }: Partial<Record<keyof PastSnapshot, unknown>> = value;
  return (
    isCount(at) &&
    isCount(sent) &&
    isProfile(profile) &&
    (superseded === undefined || Array.isArray(superseded))
  );
}

export function isProfile(value: unknown): value is SnapshotProfile {
  if (!isObject(value)) return false;
  const { records, filled, choices, sample }: Partial<Record<keyof SnapshotProfile, unknown>> = value;
  return isCount(records) && isCounts(filled) && hasOnly(choices, isCounts) && typeof sample === "string";
}

function isCounts(value: unknown): boolean {
  return hasOnly(value, isCount);
}

function hasOnly(value: unknown, isValid: (item: unknown) => boolean): boolean {
  return isObject(value) && !Array.isArray(value) && Object.values(value).every(isValid);
}

/** A time may have fractions of milliseconds. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
