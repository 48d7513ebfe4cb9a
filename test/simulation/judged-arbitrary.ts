/** Random programs whose runs use a ledger. */
import fc from "fast-check";
import {
  type Drawn,
  delay,
  HOURS,
  ledgerMs,
  memoryBytes,
  oneOf,
  restartAfterMs,
  seldom,
  weighted,
} from "./drawing.js";
import { inARow } from "./fault-arbitrary.js";
import { type FaultKind, OPERATIONS, type ScheduledFault } from "./faults.js";
import { PLAIN, type Program, type RunSpec } from "./program.js";
import { PLAIN_RUN, plainWrite, range } from "./session-arbitrary.js";

const DAYS = 24 * HOURS;

/** Maximum number of ids in a snapshot. */
const MOST = 24;

/** Ids from a source's start up to, but not including, its end. */
interface Range {
  readonly from: number;
  readonly to: number;
}

const at = oneOf("before", "after");

/** Faults that hide an outcome from a run, so that only the ledger can know it. */
const kind: fc.Arbitrary<FaultKind> = fc.oneof(
  weighted(5, fc.record({ type: oneOf("lost"), at })),
  weighted(1, fc.constant({ type: "refused", code: 7, details: "permission denied" } as const)),
  weighted(2, fc.record({ type: oneOf("stalled"), at })),
  weighted(2, fc.record({ type: oneOf("killed"), at })),
);

const nth = fc.integer({ min: 1, max: 6 });
const atLeast = fc.constant(0);

/** Faults that strike one call, or a call and its retries. */
const faults: fc.Arbitrary<ScheduledFault[]> = fc
  .array(
    fc.record({
      operation: oneOf("SyncRecords", "CompleteSyncBatch", "CompleteSyncBatch", "AbortSyncBatch"),
      nth,
      times: oneOf(1, 3, 3),
      kind,
    }),
    { maxLength: 3 },
  )
  .map((drawn) => drawn.flatMap(({ times, ...fault }) => inARow({ ...fault, atLeast: 0 }, times)));

/** A slow network, so that another run can come in between. */
const delays: fc.Arbitrary<ScheduledFault[]> = fc.array(
  fc.record({
    operation: oneOf(...OPERATIONS),
    nth,
    atLeast,
    kind: fc.record({ type: oneOf("delayed"), at, ms: delay }),
  }),
  { maxLength: 4 },
);

/** The service has forgotten a completion, so it answers the abort with success. */
const forgotten: fc.Arbitrary<ScheduledFault[]> = fc.integer({ min: 1, max: 5 }).map((first) => {
  const lost = { type: "lost", at: "after" } as const;
  return [
    ...inARow<ScheduledFault>({ operation: "CompleteSyncBatch", nth: first, atLeast: 0, kind: lost }, 3),
    ...inARow<ScheduledFault>(
      { operation: "AbortSyncBatch", nth: 1, atLeast: 0, kind: { type: "forgotten" } },
      8,
    ),
  ];
});

/** The sources of several runs in a row: most change a little, as those of a real system do. */
const ranges: fc.Arbitrary<readonly Range[]> = fc
  .record({
    first: fc.integer({ min: 0, max: MOST }),
    changes: fc.array(
      fc.oneof(
        weighted(4, fc.record({ from: fc.integer({ min: 0, max: 1 }), to: fc.integer({ min: -4, max: 3 }) })),
        weighted(2, fc.record({ from: fc.constant(0), to: fc.integer({ min: -MOST, max: MOST }) })),
        weighted(1, fc.record({ from: fc.constant(MOST), to: fc.constant(MOST) })),
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

const eighth = fc.integer({ min: 0, max: 7 }).map((drawn) => drawn === 0);

const run = fc.record({
  approves: fc.integer({ min: 0, max: 2 }).map((drawn) => drawn === 0),
  guarded: eighth.map((off) => !off),
  firstRun: eighth,
  pauseMs: oneOf(HOURS, DAYS, DAYS, 3 * DAYS, 10 * DAYS),
  restarts: fc.integer({ min: 0, max: 2 }),
  licenses: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
  throws: eighth,
  feeds: fc.boolean(),
  kind: oneOf("array", "async"),
});

type DrawnRun = Drawn<typeof run>;

const setting = fc.record({ ledgerMs, restartAfterMs, memoryBytes });

/** One process runs its connector again and again. */
const alone: fc.Arbitrary<Program> = fc
  .record({
    ranges,
    runs: fc.array(run, { minLength: 8, maxLength: 8 }),
    faults: fc.oneof(weighted(3, fc.constant([])), weighted(4, faults), weighted(2, forgotten)),
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
  pauseMs: oneOf(0, 10, 700, 5000),
  waitMs: oneOf(0, 0, 100, 3000, 30_000),
  killAfterMs: seldom(oneOf(50, 3000, 40_000), 5),
});

/** Two processes run at the same time, with slow sources and a slow network, and die now and then. */
const together: fc.Arbitrary<Program> = fc
  .record({
    ranges,
    runs: fc.array(run, { minLength: 6, maxLength: 6 }),
    paces: fc.array(slowly, { minLength: 6, maxLength: 6 }),
    faults: fc.oneof(weighted(2, fc.constant([])), weighted(2, delays), weighted(2, faults)),
    setting,
  })
  .map(({ ranges: sources, runs, paces, faults: scheduled, setting: drawnSetting }) => {
    const sessions = sources.slice(0, 6).map((range, index) => {
      const drawn = runs[index];
      const pace = paces[index];
      if (drawn === undefined || pace === undefined) return [];
      // A run without a guard may claim to be the first even if others came before it.
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
export const judged: fc.Arbitrary<Program> = fc.oneof(weighted(1, alone), weighted(1, together));

function runOf({ from, to }: Range, drawn: DrawnRun, index: number, pauseMs = 0): RunSpec {
  const { approves, firstRun, guarded, feeds, restarts, licenses, kind: sourceKind } = drawn;
  const throws = drawn.throws && sourceKind === "async" ? { throwsAt: 1 } : {};
  const source = { kind: sourceKind, pauseMs };
  return {
    ...PLAIN_RUN,
    waitForLockMs: HOURS,
    restarts,
    judging: { approves, firstRun, guarded, feedTo: feeds ? 3 * (index + 1) : undefined },
    writes: [
      ...(licenses === undefined ? [] : [plainWrite("licenses", range(0, licenses), source)]),
      plainWrite("accounts", range(from, to), { ...source, ...throws }),
    ],
  };
}
