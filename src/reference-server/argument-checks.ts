import { type KnownKeys, suggestKey, unknownKey } from "../core/validate.js";
import { isObject } from "./is-object.js";

// The first argument of each is what a message begins with: "`port`", "A fault's `nth`".

/** Checks that an object has no name but these. @throws TypeError that names the nearest known one */
export function requireKnown(what: string, given: object, known: KnownKeys): void {
  if (!isObject(given)) throw new TypeError(`${what} must be an object.`);
  const problem = unknownKey(what, given, known);
  if (problem !== undefined) throw new TypeError(problem);
}

/** @throws TypeError that names the bounds */
export function requireInteger(
  what: string,
  value: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`${what} must be a whole number${range(least, most)}.`);
}

function range(least: number, most: number): string {
  if (most !== Number.MAX_SAFE_INTEGER) return ` from ${least} to ${most}`;
  return least === Number.MIN_SAFE_INTEGER ? "" : `, ${least} or more`;
}

/** @throws TypeError that names the values, and the nearest of them */
export function requireOneOf(what: string, value: string, values: readonly string[]): void {
  if (values.includes(value)) return;
  const meant = typeof value === "string" ? suggestKey(value, values) : "";
  throw new TypeError(`${what} must be one of ${values.join(", ")}.${meant}`);
}

/** @throws TypeError */
export function requireString(what: string, value: string): void {
  if (typeof value !== "string") throw new TypeError(`${what} must be a string.`);
}

/** @throws TypeError */
export function requireList(what: string, value: readonly unknown[]): void {
  if (!Array.isArray(value)) throw new TypeError(`${what} must be a list.`);
}
