import { isObject } from "./json.js";

/** True where nothing was answered: no data, or null in every field of the root. */
export function hasNoData(data: unknown): boolean {
  return !isObject(data) || Object.values(data).every((value) => value === null);
}
