/**
 * Where records come from: a source that reads a file or the pages of an API says so of each array that it gives, and
 * errors then name the place.
 */

/** Tells the place of a record within an array of records. Shared by all copies of the package. */
export const LOCATE = Symbol.for("@saas-management/sdk/locate");

/** An array of records that knows where each of them comes from, such as `users.csv:1042`. */
export interface LocatedRecords<R> extends ReadonlyArray<R> {
  /** The place of the record at a position in the array, from 0. */
  readonly [LOCATE]: (position: number) => string;
}

/** The place of a record within an array of records; undefined where the array does not know it. */
export function locationOf(records: readonly unknown[], position: number): string | undefined {
  const locate: unknown = Reflect.get(records, LOCATE);
  if (typeof locate !== "function") return undefined;
  const location: unknown = locate(position);
  return typeof location === "string" ? location : undefined;
}

/** A copy of an array of records, with what it knows of their places. */
export function copyOf(records: readonly unknown[]): readonly unknown[] {
  const copy: unknown[] = [];
  for (let position = 0; position < records.length; position += 1) copy.push(records[position]);
  const locate: unknown = Reflect.get(records, LOCATE);
  return locate === undefined ? copy : Object.assign(copy, { [LOCATE]: locate });
}
