/** Arbitraries of what processes do. */
import fc from "fast-check";
import { COLLECTIONS } from "./messages.js";
import type { PiecesSpec, Program, RunSpec, Session, SourceSpec, Step, WriteSpec } from "./program.js";

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
  // The second range ends at messages that are exactly as large as their limits.
  paddingBytes: fc.oneof(fc.integer({ min: 0, max: 160 }), fc.integer({ min: 55, max: 70 })),
  pauseMs: fc.constantFrom(0, 0, 0, 100, 2 * MINUTES, 9 * MINUTES),
});

const write: fc.Arbitrary<WriteSpec> = fc.record({
  collection: fc.constantFrom(...COLLECTIONS),
  source,
  changed,
  abortAfterMs: seldom(delay),
});

const pieces: fc.Arbitrary<PiecesSpec> = fc.record({
  do: fc.constant("pieces" as const),
  collection: fc.constantFrom(...COLLECTIONS),
  pieces: fc.array(ids, { maxLength: 3 }),
  awaited: fc.boolean(),
  changed: fc.oneof(changed, fc.constantFrom("emptied" as const, "reused" as const)),
  sealed: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
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
  { weight: 3, arbitrary: pieces },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: pause }) },
  { weight: 3, arbitrary: fc.constant({ do: "complete" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "abort" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "close" as const }) },
);

const steps = fc.array(step, { maxLength: 6 });

/** A run tells each second how far it is: a source that takes hours has few records, for the sake of the simulation. */
const soonOver = write.map(({ source: { ids: all, ...spec }, ...drawn }) => ({
  ...drawn,
  source: { ...spec, ids: spec.pauseMs > MINUTES ? all.slice(0, 3) : all },
}));

const run: fc.Arbitrary<RunSpec> = fc.record({
  do: fc.constant("run" as const),
  waitForLockMs: fc.constantFrom(0, 20 * MINUTES),
  restarts: fc.integer({ min: 0, max: 2 }),
  writes: fc.uniqueArray(fc.oneof({ weight: 4, arbitrary: soonOver }, { weight: 1, arbitrary: pieces }), {
    maxLength: 4,
    selector: ({ collection }) => collection,
  }),
  manners: fc.constantFrom("awaits", "awaits", "awaits", "hurries", "swallows"),
  lateAfterMs: seldom(fc.oneof(delay, fc.constant(0))),
  abortAfterMs: seldom(delay),
  killAfterMs: seldom(delay),
  judging: fc.option(
    fc.record({
      firstRun: fc.boolean(),
      approves: fc.boolean(),
      guarded: fc.boolean(),
      feedTo: seldom(fc.integer({ min: 1, max: 9 })),
    }),
    { nil: undefined, freq: 2 },
  ),
});

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
  { weight: 5, arbitrary: run },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("open" as const), maxIdleMs, steps }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: pause }) },
  { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) },
);

/** What the processes of a program do. */
export const clients: fc.Arbitrary<Program["clients"]> = fc.array(
  fc.array(session, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 2 },
);

const PLAIN_COLLECTIONS = ["accounts", "usage", "licenses", "externallyDiscoveredUsage"] as const;

/** A run of which every write is whole. @param records Number of records of each write. */
/** A run without anything out of the ordinary. */
export const PLAIN_RUN = {
  do: "run",
  waitForLockMs: 20 * MINUTES,
  restarts: 0,
  manners: "awaits",
  lateAfterMs: undefined,
  abortAfterMs: undefined,
  killAfterMs: undefined,
  judging: undefined,
} as const;

/** A source of so many records. */
export const PLAIN_SOURCE = {
  kind: "async",
  throwsAt: undefined,
  invalidAt: undefined,
  paddedAt: undefined,
  paddingBytes: 0,
  pauseMs: 0,
} as const;

/** A run of which every write is whole. @param records Number of records of each write. */
export function plainRun(records: readonly number[], restarts: number): RunSpec {
  return {
    ...PLAIN_RUN,
    restarts,
    writes: records.map((count, position) => ({
      collection: PLAIN_COLLECTIONS[position] ?? "accounts",
      changed: undefined,
      abortAfterMs: undefined,
      source: { ...PLAIN_SOURCE, ids: Array.from({ length: count }, (_, id) => id) },
    })),
  };
}
