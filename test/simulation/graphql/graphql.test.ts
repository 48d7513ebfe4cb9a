/** Random programs of the GraphQL facade under random faults: whatever happens, the invariants hold. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { graphqlViolations } from "./invariants.js";
import { program } from "./program-arbitrary.js";
import { simulate } from "./simulate.js";

/** Seeds that every run tries; beside them one that nobody has tried yet. */
const FIXED_SEEDS = [1, 2, 3];
const PROGRAMS = 150;
/** How long a smaller program is looked for when one has failed: the report must not be lost with the test's time. */
const SHRINK_MS = 60_000;

test.each([...FIXED_SEEDS, Date.now() % 2 ** 31])(
  "%i: of the GraphQL facade the invariants hold",
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(program, async (drawn) => {
        expect(graphqlViolations(await simulate(drawn))).toEqual([]);
      }),
      { seed, numRuns: PROGRAMS, interruptAfterTimeLimit: SHRINK_MS },
    );
  },
  120_000,
);
