import { LOCATE, type LocatedRecords } from "../sync/locator.js";

/** Makes an array tell where each of its records comes from. */
export function located<R>(records: R[], locate: (position: number) => string): LocatedRecords<R> {
  return Object.assign(records, { [LOCATE]: locate });
}
