import { InvalidInputError } from "./errors/index.js";

/** Key of the function that locates an array's records, shared by all copies of the package. */
const LOCATE = Symbol.for("@saas-management/sdk/locate");

/**
 * Attaches locations to the records of an array, so that errors from writes can say where a record came from.
 * @param locate Returns the location of the record at an index, such as `sheet 1, row 17`. Called only when an error
 *   needs the location.
 * @returns a copy of the array that knows the locations
 * @throws {InvalidInputError} `records` isn't an array, or `locate` isn't a function
 * @example
 * ```ts
 * const rows = located(accounts, (index) => `sheet 1, row ${index + 2}`);
 * await batch.write("accounts", rows);
 * ```
 */
export function located<R>(records: readonly R[], locate: (index: number) => string): readonly R[] {
  if (!Array.isArray(records)) throw new InvalidInputError("located: records must be an array.");
  if (typeof locate !== "function") throw new InvalidInputError("located: locate must be a function.");
  return Object.assign([...records], { [LOCATE]: locate });
}

export function isLocated(source: object): boolean {
  return Array.isArray(source) && Reflect.has(source, LOCATE);
}

/** The location of a record within an array; undefined if the array has no locations. */
export function locationOf(records: readonly unknown[], position: number): string | undefined {
  const locate: unknown = Reflect.get(records, LOCATE);
  if (typeof locate !== "function") return undefined;
  const location: unknown = locate(position);
  return typeof location === "string" ? location : undefined;
}

/** Copies an array of records, together with its locations. */
export function copyOf(records: readonly unknown[]): readonly unknown[] {
  const locate: unknown = Reflect.get(records, LOCATE);
  return locate === undefined ? [...records] : Object.assign([...records], { [LOCATE]: locate });
}
