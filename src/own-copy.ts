/**
 * A copy of an option that is an object, each field of which is read once. Anything else stays as it is: the checks
 * refuse it.
 */
export function ownCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return { ...value };
}
