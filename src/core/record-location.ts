/** Key of the function that locates the records of an array. Shared by all copies of the package. */
export const LOCATE = Symbol.for("@saas-management/sdk/locate");

/** An array of records that knows where each of them comes from, such as `users.csv:1042`. */
export interface LocatedRecords<R> extends ReadonlyArray<R> {
  /** Returns the place of the record at a position in the array, from 0. */
  readonly [LOCATE]: (position: number) => string;
}

/** The place of a record within an array, such as `users.csv:1042`; undefined if the array does not know it. */
export function locationOf(records: readonly unknown[], position: number): string | undefined {
  const locate: unknown = Reflect.get(records, LOCATE);
  if (typeof locate !== "function") return undefined;
  const location: unknown = locate(position);
  return typeof location === "string" ? location : undefined;
}

/** Copies an array of records with what it knows of their places. */
export function copyOf(records: readonly unknown[]): readonly unknown[] {
  const copy = [...records];
  const locate: unknown = Reflect.get(records, LOCATE);
  return locate === undefined ? copy : Object.assign(copy, { [LOCATE]: locate });
}
