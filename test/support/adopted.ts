/** What tests may expect of an assumed and of an adopted contract (docs/contract.md). */
import { test } from "vitest";
import { GRAPHQL } from "../../contract/graphql.js";
import { MAPPING } from "../../contract/mapping.js";

/** Runs a test of numbers, names or texts that only the assumed contract has; skips it for an adopted contract. */
export const testOfAssumedContract = test.runIf(MAPPING.assumed);

/** Runs a test of texts that only the assumed GraphQL schema has; skips it for an adopted schema. */
export const testOfAssumedSchema = test.runIf(GRAPHQL.assumed);

/** Runs a test only if the contract's answers count the accepted records. */
export const testOfAcceptedCounts = test.runIf(MAPPING.sync.accepted !== undefined);

/** The count in the answer to a SyncRecords call that accepts this many records. */
export function accepted(records: number): bigint | undefined {
  return MAPPING.sync.accepted === undefined ? undefined : BigInt(records);
}

/** The counts of completed snapshots; undefined if the contract has no such counts. */
export function ofSnapshots<Counts>(counts: Counts): Counts | undefined {
  return MAPPING.complete.snapshots === undefined ? undefined : counts;
}

/** The counts of completed events; undefined if the contract has no such counts. */
export function ofEvents<Counts>(counts: Counts): Counts | undefined {
  return MAPPING.complete.events === undefined ? undefined : counts;
}

/** The name that the schema gives to a type of the SDK, such as `ApplicationFilter`. */
export function schemaType(name: string): string {
  const found = Object.entries(GRAPHQL.types).find(([, own]) => own === name);
  if (found === undefined) throw new Error(`contract/graphql.ts names no type ${name}.`);
  return found[0];
}
