/** What tests may expect of the contract, which the service's owner may have adopted (docs/contract.md). */
import { test } from "vitest";
import { GRAPHQL } from "../../contract/graphql.js";
import { MAPPING } from "../../contract/mapping.js";

/** A test of numbers, names or texts that only the assumed contract has: an adopted one skips it. */
export const testOfAssumedContract = test.runIf(MAPPING.assumed);

/** The same for the GraphQL schema. */
export const testOfAssumedSchema = test.runIf(GRAPHQL.assumed);

/** A test of answers that count what was accepted. */
export const testOfAcceptedCounts = test.runIf(MAPPING.sync.accepted !== undefined);

/** What SyncRecords answers to `records` that were accepted. */
export function accepted(records: number): bigint | undefined {
  return MAPPING.sync.accepted === undefined ? undefined : BigInt(records);
}

/** Counts of completed snapshots, as far as the contract has them. */
export function ofSnapshots<Counts>(counts: Counts): Counts | undefined {
  return MAPPING.complete.snapshots === undefined ? undefined : counts;
}

/** Counts of completed events, as far as the contract has them. */
export function ofEvents<Counts>(counts: Counts): Counts | undefined {
  return MAPPING.complete.events === undefined ? undefined : counts;
}

/** The schema's name of a type, by the SDK's name: `ApplicationFilter`. */
export function schemaType(name: string): string {
  const found = Object.entries(GRAPHQL.types).find(([, own]) => own === name);
  if (found === undefined) throw new Error(`contract/graphql.ts names no type ${name}.`);
  return found[0];
}
