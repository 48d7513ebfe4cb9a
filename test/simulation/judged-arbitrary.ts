/** Random programs of runs that a ledger remembers. */
import fc from "fast-check";
import { type FaultKind, OPERATIONS, type Operation, type ScheduledFault } from "./faults.js";
import { PLAIN, type Program, type RunSpec, type WriteSpec } from "./program.js";
import { delay, PLAIN_RUN, PLAIN_SOURCE } from "./session-arbitrary.js";
import { ledgerMs, memoryBytes, restartAfterMs } from "./setting-arbitrary.js";

const HOURS = 60 * 60_000;
const DAYS = 24 * HOURS;

/** Most ids of a snapshot. */
const MOST = 24;

/** Ids from the first one of a source up to before its last one. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const LOST = ["before", "after"] as const;

/** What a run does not hear; what it cannot know, the ledger has to. */
const kinds: fc.Arbitrary<FaultKind> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("lost" as const), at: fc.constantFrom(...LOST) }) },
  { weight: 1, arbitrary: fc.constant({ type: "refused" as const, code: 7, details: "permission denied" }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("stalled" as const), at: fc.constantFrom(...LOST) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("killed" as const), at: fc.constantFrom(...LOST) }) },
);

/** Faults that strike one call, or the retries of it as well. */
const faults: fc.Arbitrary<ScheduledFault[]> = fc
  .array(
    fc.record({
      operation: fc.constantFrom<Operation>(
        "SyncRecords",
        "CompleteSyncBatch",
        "CompleteSyncBatch",
        "AbortSyncBatch",
      ),
      nth: fc.integer({ min: 1, max: 6 }),
      times: fc.constantFrom(1, 3, 3),
      kind: kinds,
    }),
    { maxLength: 3 },
  )
  .map((drawn) =>
    drawn.flatMap(({ times, nth, ...fault }) =>
      Array.from({ length: times }, (_, again) => ({ ...fault, nth: nth + again, atLeast: 0 })),
    ),
  );

/** A slow network: another run comes between. */
const delays: fc.Arbitrary<ScheduledFault[]> = fc.array(
  fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    nth: fc.integer({ min: 1, max: 6 }),
    atLeast: fc.constant(0),
    kind: fc.record({ type: fc.constant("delayed" as const), at: fc.constantFrom(...LOST), ms: delay }),
  }),
  { maxLength: 4 },
);

/** A service that has forgotten a completion answers its abort with success. */
const forgotten: fc.Arbitrary<ScheduledFault[]> = fc.integer({ min: 1, max: 5 }).map((nth) => [
  ...Array.from({ length: 3 }, (_, again) => ({
    operation: "CompleteSyncBatch" as const,
    nth: nth + again,
    atLeast: 0,
    kind: { type: "lost" as const, at: "after" as const },
  })),
  ...Array.from({ length: 8 }, (_, call) => ({
    operation: "AbortSyncBatch" as const,
    nth: call + 1,
    atLeast: 0,
    kind: { type: "forgotten" as const },
  })),
]);

/** The sources of some runs after one another: most of them change a little, as those of a real system do. */
const ranges: fc.Arbitrary<readonly Range[]> = fc
  .record({
    first: fc.integer({ min: 0, max: MOST }),
    changes: fc.array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({ from: fc.integer({ min: 0, max: 1 }), to: fc.integer({ min: -4, max: 3 }) }),
        },
        {
          weight: 2,
          arbitrary: fc.record({ from: fc.constant(0), to: fc.integer({ min: -MOST, max: MOST }) }),
        },
        { weight: 1, arbitrary: fc.record({ from: fc.constant(MOST), to: fc.constant(MOST) }) },
      ),
      { minLength: 2, maxLength: 7 },
    ),
  })
  .map(({ first, changes }) => {
    const found: Range[] = [{ from: 0, to: first }];
    for (const change of changes) {
      const { from, to } = found.at(-1) ?? { from: 0, to: 0 };
      const next = from + change.from;
      found.push({ from: next, to: Math.min(next + MOST, Math.max(next, to + change.to)) });
    }
    return found;
  });

const seldom = fc.integer({ min: 0, max: 7 }).map((drawn) => drawn === 0);

const run = fc.record({
  approves: fc.integer({ min: 0, max: 2 }).map((drawn) => drawn === 0),
  guarded: seldom.map((off) => !off),
  firstRun: seldom,
  pauseMs: fc.constantFrom(HOURS, DAYS, DAYS, 3 * DAYS, 10 * DAYS),
  restarts: fc.integer({ min: 0, max: 2 }),
  licenses: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  throws: seldom,
  feeds: fc.boolean(),
  kind: fc.constantFrom("array" as const, "async" as const),
});

type DrawnRun = typeof run extends fc.Arbitrary<infer R> ? R : never;

const setting = fc.record({ ledgerMs, restartAfterMs, memoryBytes });

/** One process runs its connector again and again. */
const alone: fc.Arbitrary<Program> = fc
  .record({
    ranges,
    runs: fc.array(run, { minLength: 8, maxLength: 8 }),
    faults: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 4, arbitrary: faults },
      { weight: 2, arbitrary: forgotten },
    ),
    saysFirst: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn > 0),
    setting,
  })
  .map(({ ranges: sources, runs, faults: scheduled, saysFirst, setting: drawnSetting }) => ({
    ...PLAIN,
    ...drawnSetting,
    clients: [
      sources.flatMap((range, index) => {
        const drawn = runs[index];
        if (drawn === undefined) return [];
        const firstRun = index === 0 ? saysFirst : drawn.firstRun;
        const session = runOf(range, { ...drawn, firstRun }, index);
        return [session, { do: "pause" as const, ms: drawn.pauseMs }];
      }),
    ],
    faults: scheduled,
  }));

const slowly = fc.record({
  pauseMs: fc.constantFrom(0, 10, 700, 5000),
  waitMs: fc.constantFrom(0, 0, 100, 3000, 30_000),
  killAfterMs: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(50, 3000, 40_000) },
  ),
});

/** Two processes run at once, with sources and a network that take their time, and die now and then. */
const together: fc.Arbitrary<Program> = fc
  .record({
    ranges,
    runs: fc.array(run, { minLength: 6, maxLength: 6 }),
    paces: fc.array(slowly, { minLength: 6, maxLength: 6 }),
    faults: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: delays },
      { weight: 2, arbitrary: faults },
    ),
    setting,
  })
  .map(({ ranges: sources, runs, paces, faults: scheduled, setting: drawnSetting }) => {
    const sessions = sources.slice(0, 6).map((range, index) => {
      const drawn = runs[index];
      const pace = paces[index];
      if (drawn === undefined || pace === undefined) return [];
      // Who is not guarded may say that its run is the first one, whatever came before.
      const spec = runOf(range, { ...drawn, firstRun: index < 2, kind: "async" }, index, pace.pauseMs);
      const { waitMs, killAfterMs } = pace;
      return [
        { do: "pause" as const, ms: waitMs },
        { ...spec, killAfterMs },
      ];
    });
    return {
      ...PLAIN,
      ...drawnSetting,
      clients: [0, 1].map((process) => sessions.filter((_, index) => index % 2 === process).flat()),
      faults: scheduled,
    };
  });

/** Programs of runs with a ledger. */
export const judged: fc.Arbitrary<Program> = fc.oneof(
  { weight: 1, arbitrary: alone },
  { weight: 1, arbitrary: together },
);

function runOf({ from, to }: Range, drawn: DrawnRun, index: number, pauseMs = 0): RunSpec {
  const { approves, firstRun, guarded, feeds, restarts, licenses } = drawn;
  const source = (first: number, last: number): WriteSpec["source"] => ({
    ...PLAIN_SOURCE,
    kind: drawn.kind,
    ids: Array.from({ length: last - first }, (_, i) => first + i),
    pauseMs,
  });
  const common = { changed: undefined, abortAfterMs: undefined };
  const accounts = { ...source(from, to), ...(drawn.throws && drawn.kind === "async" && { throwsAt: 1 }) };
  const feedTo = feeds ? 3 * (index + 1) : undefined;
  return {
    ...PLAIN_RUN,
    waitForLockMs: HOURS,
    restarts,
    judging: { approves, firstRun, guarded, feedTo },
    writes: [
      ...(licenses === undefined
        ? []
        : [{ collection: "licenses" as const, source: source(0, licenses), ...common }]),
      { collection: "accounts", source: accounts, ...common },
    ],
  };
}
