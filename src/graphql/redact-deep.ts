/** Deeper parts of a value are left out. */
const MAX_DEPTH = 8;

/** A copy of a value of JSON with the credential taken out of every text and every key. */
export function redactDeep(value: unknown, redact: (text: string) => string, depth = MAX_DEPTH): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactDeep(item, redact, depth - 1)]),
  );
}
