import { type FieldSample, ID_BYTES, rowsOf } from "./field-sample.js";

/** How a field differs between the records that are in two samples and had a value of it in the first one. */
export interface FieldChange {
  readonly field: string;
  /** Number of these records. */
  readonly had: number;
  /** Of these, those without a value now. */
  readonly lost: number;
  /** Those with another value now. */
  readonly other: number;
  /** The most of those that took one and the same value. */
  readonly merged: number;
  /** Number of records that had that value already. */
  readonly before: number;
  /** Number of different values that they had. */
  readonly values: number;
}

/** Compares two samples, field by field. */
export function changesOf(before: FieldSample, now: FieldSample): readonly FieldChange[] {
  const [old, next] = [rowsOf(before), rowsOf(now)];
  const rows = new Map<number, number>();
  for (let row = 0; row < next.count; row += 1) rows.set(idAt(next.bytes, row * next.width), row);
  return before.fields.map((field, i) => {
    const column = now.fields.indexOf(field);
    const had = new Uint8Array(256);
    const took = new Uint8Array(256);
    let lost = 0;
    for (let row = 0; row < old.count; row += 1) {
      const same = rows.get(idAt(old.bytes, row * old.width));
      const was = old.bytes[row * old.width + ID_BYTES + i] ?? 0;
      if (same === undefined || was === 0) continue;
      const is = column === -1 ? 0 : (next.bytes[same * next.width + ID_BYTES + column] ?? 0);
      had[was] = (had[was] ?? 0) + 1;
      if (is === 0) lost += 1;
      else if (is !== was) took[is] = (took[is] ?? 0) + 1;
    }
    const merged = Math.max(...took);
    return {
      field,
      had: sumOf(had),
      lost,
      other: sumOf(took),
      merged,
      before: had[took.indexOf(merged)] ?? 0,
      values: had.filter((records) => records > 0).length,
    };
  });
}

function idAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function sumOf(counts: Uint8Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
