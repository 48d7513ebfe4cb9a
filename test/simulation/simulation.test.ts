/** A few random programs under random faults, with fixed seeds: `npm run soak` draws thousands of new ones. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { program as graphqlProgram } from "./graphql/program.js";
import { simulate as simulateGraphql } from "./graphql/simulate.js";
import { graphqlViolations } from "./graphql/violations.js";
import { violations } from "./invariants.js";
import { program } from "./program-arbitrary.js";
import { simulate } from "./simulate.js";

/** Time limit of the search for a smaller failing program, so that its report comes before the test's timeout. */
const SHRINK_MS = 60_000;

function expectNoViolation<Program>(
  arbitrary: fc.Arbitrary<Program>,
  violationsOf: (program: Program) => Promise<readonly string[]>,
  parameters: { readonly seed: number; readonly numRuns: number },
): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (drawn) => {
    expect(await violationsOf(drawn)).toEqual([]);
  });
  return fc.assert(property, { ...parameters, interruptAfterTimeLimit: SHRINK_MS });
}

test.each([1, 2, 3])("keeps the invariants of a batch against the model in memory, seed %i", (seed) =>
  expectNoViolation(program, async (drawn) => violations(await simulate(drawn)), { seed, numRuns: 40 }),
);

test.each([1, 2, 3])("keeps the rules of GraphQL paging in memory, seed %i", (seed) =>
  expectNoViolation(graphqlProgram, async (drawn) => graphqlViolations(await simulateGraphql(drawn)), {
    seed,
    numRuns: 50,
  }),
);
