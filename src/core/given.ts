/** What was given in place of something else, as a message may say it: by its kind, for the value may be a secret. */
export function given(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : `${value}`;
  if (typeof value === "string") return value === "" ? "an empty string" : "a string";
  return typeof value === "object" ? kindOf(value) : `a ${typeof value}`;
}

function kindOf(value: object): string {
  try {
    if (Array.isArray(value)) return "an array";
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : "a Date";
  } catch {
    // A proxy may throw at any look.
  }
  return "an object";
}
