/** Arbitraries of what processes do. */
import fc from "fast-check";
import { COLLECTIONS } from "./messages.js";
import type { Program, Session, SourceSpec, Step, WriteSpec } from "./program.js";

const MINUTES = 60_000;
const HOURS = 60 * MINUTES;

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { maxLength: 10 });
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const index = fc.integer({ min: 0, max: 9 });
const pause = fc.constantFrom(
  0,
  10,
  1000,
  4 * MINUTES,
  7.5 * MINUTES,
  8 * MINUTES,
  16 * MINUTES,
  50 * MINUTES,
);
/** Silent for longer than any program is, or given up soon. */
const maxIdleMs = fc.constantFrom(undefined, undefined, 24 * HOURS, 24 * HOURS, 20 * MINUTES);
/** How long something takes, in milliseconds. */
export const delay = fc.constantFrom(1, 50, 3000, 40_000);

const changed = seldom(fc.constantFrom("emptied" as const, "refilled" as const));

const source: fc.Arbitrary<SourceSpec> = fc.record({
  kind: fc.constantFrom("array", "iterable", "async", "arrays", "quiet"),
  ids,
  throwsAt: seldom(index),
  invalidAt: seldom(index),
  paddedAt: seldom(index),
  paddingBytes: fc.integer({ min: 0, max: 160 }),
  pauseMs: fc.constantFrom(0, 0, 0, 100, 2 * MINUTES, 9 * MINUTES),
});

const write: fc.Arbitrary<WriteSpec> = fc.record({
  collection: fc.constantFrom(...COLLECTIONS),
  source,
  changed,
  abortAfterMs: seldom(delay),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      write,
      awaited: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("pieces" as const),
      collection: fc.constantFrom(...COLLECTIONS),
      pieces: fc.array(ids, { maxLength: 3 }),
      awaited: fc.boolean(),
      changed: fc.oneof(changed, fc.constantFrom("emptied" as const, "reused" as const)),
      sealed: fc.oneof(
        { weight: 5, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: pause }) },
  { weight: 3, arbitrary: fc.constant({ do: "complete" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "abort" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "close" as const }) },
);

const steps = fc.array(step, { maxLength: 6 });

const session: fc.Arbitrary<Session> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("batch" as const),
      waitForLockMs: fc.constantFrom(0, 1000, 20 * MINUTES),
      abortStartAfterMs: seldom(delay),
      maxIdleMs,
      steps,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("run" as const),
      waitForLockMs: fc.constantFrom(0, 20 * MINUTES),
      restarts: fc.integer({ min: 0, max: 2 }),
      maxIdleMs,
      writes: fc.uniqueArray(write, { maxLength: 4, selector: ({ collection }) => collection }),
      abortAfterMs: seldom(delay),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("open" as const), maxIdleMs, steps }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: pause }) },
  { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) },
);

/** What the processes of a program do. */
export const clients: fc.Arbitrary<Program["clients"]> = fc.array(
  fc.array(session, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 2 },
);

const PLAIN_COLLECTIONS = ["accounts", "usage", "licenses"] as const;

/** A run of which every write is whole. @param records Number of records of each write. */
export function plainRun(records: readonly number[], restarts: number): Session {
  return {
    do: "run",
    waitForLockMs: 20 * MINUTES,
    restarts,
    maxIdleMs: undefined,
    abortAfterMs: undefined,
    writes: records.map((count, position) => ({
      collection: PLAIN_COLLECTIONS[position] ?? "accounts",
      changed: undefined,
      abortAfterMs: undefined,
      source: {
        kind: "async",
        ids: Array.from({ length: count }, (_, id) => id),
        throwsAt: undefined,
        invalidAt: undefined,
        paddedAt: undefined,
        paddingBytes: 0,
        pauseMs: 0,
      },
    })),
  };
}
