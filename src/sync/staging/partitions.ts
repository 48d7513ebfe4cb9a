import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isPlainObject } from "../../core/validate.js";
import { type Collection, collectionEntries, isCollection, unknownCollectionError } from "../collections.js";
import { WIRE } from "../generated/collections.js";
import type { Plan } from "./plan.js";

const MAX_CHARACTERS = 1000;
const SHOWN_CHARACTERS = 100;
const SHOWN_PARTITIONS = 10;

/** @throws {InvalidInputError} it is not a string of 1 to 1,000 characters */
export function requireName(option: string, value: unknown): string {
  if (typeof value === "string" && value !== "" && value.length <= MAX_CHARACTERS) return value;
  const got = typeof value === "string" && value !== "" ? `${value.length} characters` : describeType(value);
  throw new InvalidInputError(`${option} must be a string of 1 to 1,000 characters, got ${got}.`);
}

/**
 * Checks and copies partitions.
 * @throws {InvalidInputError} there are none, one is not a name or is named twice, or there is no such collection
 */
export function readPartitions(given: unknown): Plan {
  if (!isPlainObject(given))
    throw new InvalidInputError(
      `partitions must be an object such as { accounts: ["a-m", "n-z"] }, got ${describeType(given)}.`,
    );
  const partitions: { -readonly [C in Collection]?: readonly string[] } = {};
  for (const [name, list] of Object.entries(given)) {
    if (!isCollection(name)) throw unknownCollectionError(name);
    if (!Array.isArray(list) || list.length === 0)
      throw new InvalidInputError(
        `partitions.${name} must be an array with at least one name, got ${Array.isArray(list) ? "an empty one" : describeType(list)}. Leave ${name} out if the run does not write it; a partition may have no records.`,
      );
    const names = list.map((partition: unknown) => requireName(`Each of partitions.${name}`, partition));
    const repeated = names.find((partition, i) => names.indexOf(partition) < i);
    if (repeated !== undefined)
      throw new InvalidInputError(
        `partitions.${name} has ${quote(repeated)} twice. Name each partition once.`,
      );
    partitions[name] = names;
  }
  if (Object.keys(partitions).length === 0)
    throw new InvalidInputError("partitions must name at least one collection that the run writes.");
  return partitions;
}

export interface Partition {
  readonly collection: Collection;
  readonly partition: string;
}

/** The partitions of a plan, one after the other. */
export function partitionsOf(plan: Plan): readonly Partition[] {
  return collectionEntries(plan).flatMap(([collection, names]) =>
    names.map((partition) => ({ collection, partition })),
  );
}

/** Describes how two plans differ; undefined if they do not. The order of names does not matter. */
export function differenceOf(before: Plan, now: Plan): string | undefined {
  for (const name of Object.keys(WIRE).filter(isCollection)) {
    const [known, wanted] = [before[name] ?? [], now[name] ?? []];
    const isSame = known.length === wanted.length && known.every((partition) => wanted.includes(partition));
    if (!isSame) return `partitions of ${name} (${listNames(known)}; now ${listNames(wanted)})`;
  }
  return undefined;
}

export function quote(name: string): string {
  return JSON.stringify(name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name);
}

export function listNames(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names.slice(0, SHOWN_PARTITIONS).map(quote).join(", ");
  return names.length > SHOWN_PARTITIONS ? `${shown} and ${names.length - SHOWN_PARTITIONS} more` : shown;
}
