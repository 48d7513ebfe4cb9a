import { didYouMean } from "../nearest.js";
import { type KnownNames, unknownName } from "../option-names.js";

/** Checks that an object has no name but these. @throws TypeError that names the nearest known one */
export function requireKnown(place: string, given: object, known: KnownNames): void {
  const problem = unknownName(place, given, known);
  if (problem !== undefined) throw new TypeError(problem);
}

/** @throws TypeError that names the bounds */
export function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`\`${name}\` must be a whole number from ${least} to ${most}.`);
}

/** @throws TypeError that names the values, and the nearest of them */
export function requireOneOf(name: string, value: string, values: readonly string[]): void {
  if (values.includes(value)) return;
  const meant = typeof value === "string" ? didYouMean(value, values) : "";
  throw new TypeError(`\`${name}\` must be one of ${values.join(", ")}.${meant}`);
}
