/** The building blocks of the arbitraries of all programs. */
import fc from "fast-check";

export type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

export const oneOf = <const T extends readonly unknown[]>(...values: T): fc.Arbitrary<T[number]> =>
  fc.constantFrom(...values);

/** An alternative for `fc.oneof`, drawn in proportion to its weight. */
export const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({
  weight,
  arbitrary,
});

/** Usually undefined. */
export const seldom = <T>(arbitrary: fc.Arbitrary<T>, weight = 7): fc.Arbitrary<T | undefined> =>
  fc.oneof(weighted(weight, fc.constant(undefined)), weighted(1, arbitrary));

/** Milliseconds. */
export const MINUTES = 60_000;
export const HOURS = 60 * MINUTES;

/** How long something takes, in milliseconds. */
export const delay = oneOf(1, 50, 3000, 40_000);

/** How much a run keeps in memory: all, nothing, or an amount that leaves messages on both sides of the limit. */
export const memoryBytes = oneOf(undefined, 0, 150, 400, 900);

/** How long, in milliseconds, a ledger takes for a call, and a supervisor takes to restart a process. */
export const ledgerMs = oneOf(0, 0, 3, 100);
export const restartAfterMs = oneOf(0, 12_000, 60_000, 20 * MINUTES);
