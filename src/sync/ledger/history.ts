import { isObject } from "../../core/validate.js";
import type { FieldSample } from "../ids/field-sample.js";

/** What a ledger remembers of a completed snapshot beside its ids. */
export interface PastSnapshot {
  /** When it was judged, in milliseconds since 1970. */
  readonly at: number;
  /** Number of different ids. */
  readonly sent: number;
  /** In how many records of its sample each field has a value; fields without values are left out. */
  readonly filled: Readonly<Record<string, number>>;
  /** In the last snapshot of a history only. */
  readonly fields?: FieldMemory;
  /** What a later approval allowed to differ from this snapshot: rules, or `changed:` and a field. */
  readonly superseded?: readonly string[];
}

/** What the rule `changed` remembers. */
export interface FieldMemory {
  readonly sample: FieldSample;
  readonly usual: Usual;
}

/** How much of each field changes from run to run. */
export interface Usual {
  /** When the first snapshot was judged, and the last. */
  readonly since: number;
  readonly at: number;
  readonly comparisons: number;
  /** Of the last time, by fields. Shares fade: an old one counts less. */
  readonly shares: Readonly<Record<string, UsualShares>>;
}

/** The largest shares of a field's values that were lost, became others, and became one and the same. */
export interface UsualShares {
  readonly lost: number;
  readonly other: number;
  readonly merged: number;
}

/** The last snapshots of a collection, the latest one last. */
export type History = readonly PastSnapshot[];

/** Reads the JSON of a history; an empty string is an empty history. @returns undefined if it is damaged */
export function parseHistory(json: string): History | undefined {
  if (json === "") return [];
  const value = parseJson(json);
  return Array.isArray(value) && value.every(isPast) ? value : undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export function isPast(value: unknown): value is PastSnapshot {
  if (!isObject(value)) return false;
  const { at, sent, filled, fields, superseded }: Partial<Record<keyof PastSnapshot, unknown>> = value;
  return (
    isCount(at) &&
    isCount(sent) &&
    isRecord(filled, isCount) &&
    (fields === undefined || isMemory(fields)) &&
    (superseded === undefined || areTexts(superseded))
  );
}

function isMemory(value: unknown): value is FieldMemory {
  if (!isObject(value)) return false;
  const { sample, usual }: Partial<Record<keyof FieldMemory, unknown>> = value;
  if (!isSample(sample) || !isObject(usual)) return false;
  const { since, at, comparisons, shares }: Partial<Record<keyof Usual, unknown>> = usual;
  return isCount(since) && isCount(at) && isCount(comparisons) && isRecord(shares, areShares);
}

function areShares(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { lost, other, merged }: Partial<Record<keyof UsualShares, unknown>> = value;
  return [lost, other, merged].every(isCount);
}

export function isSample(value: unknown): value is FieldSample {
  if (!isObject(value)) return false;
  const { fields, rows }: Partial<Record<keyof FieldSample, unknown>> = value;
  return areTexts(fields) && typeof rows === "string";
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isRecord(value: unknown, isValid: (item: unknown) => boolean): boolean {
  return isObject(value) && !Array.isArray(value) && Object.values(value).every(isValid);
}

/** A time may have fractions of milliseconds. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
