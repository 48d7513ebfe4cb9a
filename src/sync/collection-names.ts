import { InvalidInputError } from "../core/errors/index.js";
import { describeType, suggestKey } from "../core/validate.js";
import type { CollectionName } from "./collections.js";
import { WIRE } from "./generated/collections.js";

/** Longest name that a message shows. */
const MAX_SHOWN = 60;

/** The types say so already; a caller without types may not. */
export function isCollection(name: unknown): name is CollectionName {
  return typeof name === "string" && Object.hasOwn(WIRE, name);
}

/** The error for what names no collection. */
export function noSuchCollection(name: unknown): InvalidInputError {
  const names = Object.keys(WIRE);
  const all = `Collections: ${names.join(", ")}.`;
  return new InvalidInputError(
    typeof name === "string"
      ? `There is no collection ${shown(name)}.${suggestKey(name, names)} ${all}`
      : `A collection is given by its name, got ${describeType(name)}. ${all}`,
  );
}

/**
 * The error for what is no list of snapshot collections.
 * @param names Those that there are.
 */
export function noSnapshots(snapshots: unknown, names: readonly string[]): InvalidInputError {
  const must = `snapshots must be a list of the snapshot collections that the run writes: ${names.join(", ")}.`;
  return new InvalidInputError(`${must} ${whatIsWrong(snapshots, names)}`);
}

function whatIsWrong(snapshots: unknown, names: readonly string[]): string {
  if (!Array.isArray(snapshots)) return `Got ${describeType(snapshots)}.`;
  const declared: readonly unknown[] = snapshots;
  const wrong = declared[declared.findIndex((name) => typeof name !== "string" || !names.includes(name))];
  if (typeof wrong !== "string") return `It holds ${describeType(wrong)}.`;
  if (!isCollection(wrong)) return `There is no collection ${shown(wrong)}.${suggestKey(wrong, names)}`;
  return `${wrong} is an event collection: events are written without being declared, so leave it out.`;
}

/** A name so that it shows where it begins and ends. */
function shown(name: string): string {
  return name.length > MAX_SHOWN ? `${JSON.stringify(name.slice(0, MAX_SHOWN))}…` : JSON.stringify(name);
}
