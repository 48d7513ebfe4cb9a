/** Programs of the GraphQL facade over real sockets, with Node's fetch, against the reference server. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { socketViolations } from "./invariants.js";
import { socketProgram } from "./program.js";
import { simulateOverSockets } from "./simulate.js";

/** Seeds that every run tries; beside them one that nobody has tried yet. */
const FIXED_SEEDS = [1, 2];
const PROGRAMS = 20;
/** How long a smaller program is looked for when one has failed: the report must not be lost with the test's time. */
const SHRINK_MS = 60_000;

test.each([...FIXED_SEEDS, Date.now() % 2 ** 31])(
  "%i: of the GraphQL facade over sockets the invariants hold",
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(socketProgram, async (drawn) => {
        expect(socketViolations(await simulateOverSockets(drawn))).toEqual([]);
      }),
      { seed, numRuns: PROGRAMS, interruptAfterTimeLimit: SHRINK_MS },
    );
  },
  120_000,
);
