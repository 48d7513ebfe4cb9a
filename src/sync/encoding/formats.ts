/** What strings and moments look like: for the encoder, and for the schemas that explain what it refuses. */

/** A decimal number: no exponent, no grouping. */
export const DECIMAL = /^-?\d+(\.\d+)?$/;

/** The form of an ISO 4217 code. */
export const CURRENCY = /^[A-Z]{3}$/;

/** The first second of the year 1 and the last of the year 9999: what the wire's Timestamp allows. */
export const MIN_SECONDS = -62_135_596_800;
export const MAX_SECONDS = 253_402_300_799;

/** Whether a value is an object as a literal or `Object.create(null)` makes it. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
