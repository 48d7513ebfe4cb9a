/** Arbitraries of what processes do. */
import fc from "fast-check";
import { delay, MINUTES, oneOf, seldom, weighted } from "./drawing.js";
import { COLLECTIONS, type SimCollection } from "./messages.js";
import type { PiecesSpec, Program, RunSpec, Session, SourceSpec, Step, WriteSpec } from "./program.js";

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { maxLength: 10 });
const index = fc.integer({ min: 0, max: 9 });
const pause = oneOf(0, 10, 1000, 4 * MINUTES, 7.5 * MINUTES, 8 * MINUTES, 16 * MINUTES, 50 * MINUTES);
const collection = oneOf(...COLLECTIONS);

const source: fc.Arbitrary<SourceSpec> = fc.record({
  kind: oneOf("array", "iterable", "async", "arrays", "quiet"),
  ids,
  throwsAt: seldom(index),
  invalidAt: seldom(index),
  paddedAt: seldom(index),
  // The second range leads to messages that are exactly as large as their limit.
  paddingBytes: fc.oneof(fc.integer({ min: 0, max: 160 }), fc.integer({ min: 55, max: 70 })),
  pauseMs: oneOf(0, 0, 0, 100, 2 * MINUTES, 9 * MINUTES),
});

const write: fc.Arbitrary<WriteSpec> = fc.record({
  collection,
  source,
  abortAfterMs: seldom(delay),
});

const pieces: fc.Arbitrary<PiecesSpec> = fc.record({
  do: oneOf("pieces"),
  collection,
  pieces: fc.array(ids, { maxLength: 3 }),
  awaited: fc.boolean(),
  sealed: fc.oneof(weighted(5, fc.constant(true)), weighted(1, fc.constant(false))),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(8, fc.record({ do: oneOf("write"), write, awaited: fc.boolean() })),
  weighted(3, pieces),
  weighted(2, fc.record({ do: oneOf("pause"), ms: pause })),
  weighted(3, fc.constant({ do: "complete" } as const)),
  weighted(1, fc.constant({ do: "abort" } as const)),
  weighted(1, fc.constant({ do: "close" } as const)),
);

const steps = fc.array(step, { maxLength: 6 });

/** Shortens very slow sources: a run reports progress each second, and hours of that would slow the simulation down. */
const soonOver = write.map(({ source: { ids: all, ...spec }, ...drawn }) => ({
  ...drawn,
  source: { ...spec, ids: spec.pauseMs > MINUTES ? all.slice(0, 3) : all },
}));

const judging = fc.record({
  firstRun: fc.boolean(),
  approves: fc.boolean(),
  guarded: fc.boolean(),
  feedTo: seldom(fc.integer({ min: 1, max: 9 })),
});

const run: fc.Arbitrary<RunSpec> = fc.record({
  do: oneOf("run"),
  waitForLockMs: oneOf(0, 20 * MINUTES),
  restarts: fc.integer({ min: 0, max: 2 }),
  writes: fc.uniqueArray(fc.oneof(weighted(4, soonOver), weighted(1, pieces)), {
    maxLength: 4,
    selector: (drawn) => drawn.collection,
  }),
  manners: oneOf("awaits", "awaits", "awaits", "hurries", "swallows"),
  lateAfterMs: seldom(fc.oneof(delay, fc.constant(0))),
  abortAfterMs: seldom(delay),
  killAfterMs: seldom(delay),
  judging: fc.option(judging, { nil: undefined, freq: 2 }),
});

const started = fc.record({
  do: oneOf("batch"),
  waitForLockMs: oneOf(0, 1000, 20 * MINUTES),
  abortStartAfterMs: seldom(delay),
  steps,
});

const session: fc.Arbitrary<Session> = fc.oneof(
  weighted(5, started),
  weighted(5, run),
  weighted(2, fc.constant({ do: "release" } as const)),
  weighted(1, fc.record({ do: oneOf("pause"), ms: pause })),
  weighted(1, fc.constant({ do: "crash" } as const)),
);

/** The sessions of each process of a program. */
export const clients: fc.Arbitrary<Program["clients"]> = fc.array(
  fc.array(session, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 2 },
);

const PLAIN_COLLECTIONS = ["accounts", "usage", "licenses", "externallyDiscoveredUsage"] as const;

/** A run in which nothing unusual happens. */
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

/** A write in which nothing unusual happens. */
export function plainWrite(
  written: SimCollection,
  numbers: readonly number[],
  more: Partial<SourceSpec> = {},
): WriteSpec {
  const nothing = { throwsAt: undefined, invalidAt: undefined, paddedAt: undefined, paddingBytes: 0 };
  const spec: SourceSpec = { kind: "async", ids: numbers, pauseMs: 0, ...nothing, ...more };
  return { collection: written, abortAfterMs: undefined, source: spec };
}

/** The numbers from one up to, but not including, another. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

/** A run whose writes are all complete. @param records Number of records of each write. */
export function plainRun(records: readonly number[], restarts: number): RunSpec {
  const writes = records.map((count, at) => plainWrite(PLAIN_COLLECTIONS[at] ?? "accounts", range(0, count)));
  return { ...PLAIN_RUN, restarts, writes };
}
