import Big from "big.js";

/** An object of the schema. Its properties have the names of its fields; one that is costly may be a getter. */
export type Row = object;

/** An element of a connection. */
export type IdentifiedRow = Row & { readonly id: string };

/** The value of a row's field, or null where there is none. */
export function fieldOf(row: Row | null, field: string): unknown {
  return row === null ? null : (Reflect.get(row, field) ?? null);
}

/** The nested object of a row, or null where there is none. */
export function nestedRow(row: Row | null, field: string): Row | null {
  const value = fieldOf(row, field);
  return typeof value === "object" ? value : null;
}

/** Text before text that comes later by its code units, number before larger number, null before everything else. */
export type SortValue = string | number | null;

/** The value at the end of a path of fields, as something to sort by. */
export function sortValue(row: Row, path: readonly string[]): SortValue {
  let value: unknown = row;
  for (const field of path) value = typeof value === "object" ? fieldOf(value, field) : null;
  if (typeof value === "string" || typeof value === "number") return value;
  return value instanceof Big ? numberOf(value) : null;
}

/** Many rows share an amount, and the conversion goes through text. */
const numbers = new WeakMap<Big, number>();

function numberOf(amount: Big): number {
  const known = numbers.get(amount);
  if (known !== undefined) return known;
  const value = amount.toNumber();
  numbers.set(amount, value);
  return value;
}

/** Negative where `a` comes first in ascending order, positive where `b` does. */
export function compareValues(a: SortValue, b: SortValue): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
