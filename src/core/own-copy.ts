import type { KnownNames } from "./option-names.js";
import { withInherited } from "./validate.js";

/**
 * A copy of an option that is an object, each field of which is read once. Anything else stays as it is: the checks
 * refuse it.
 * @param known Names of fields that may be inherited, as getters of a class.
 */
export function ownCopy<T>(value: T, known: KnownNames): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return withInherited(value, known);
}
