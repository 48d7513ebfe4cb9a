/** Random programs of the GraphQL facade. */
import fc from "fast-check";
import { delay, fault, outage } from "./fault-arbitrary.js";
import {
  type CallLimits,
  CONNECTIONS,
  type KeySpec,
  type Program,
  type Range,
  type RowChange,
  type Step,
  type WalkSpec,
} from "./program.js";

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const limits: fc.Arbitrary<CallLimits> = fc.record({
  timeoutMs: fc.constantFrom(100_000, 100_000, 100_000, 5000, 300),
  retries: fc.constantFrom(4, 4, 4, 1, 0),
  abortAfterMs: seldom(fc.constantFrom(0, 4, 7, 12, 20, 33, 400, 3000)),
});

/** The most rows that a connection begins with. */
const MAX_ROWS = 14;

const range = {
  connection: fc.constantFrom(...CONNECTIONS),
  direction: fc.constantFrom("forward" as const, "forward" as const, "backward" as const),
  pageSize: fc.integer({ min: 1, max: 6 }),
  limit: fc.oneof(fc.constant(undefined), fc.constant(undefined), fc.integer({ min: 0, max: MAX_ROWS })),
  start: seldom(fc.integer({ min: 1, max: MAX_ROWS * 10 })),
} satisfies { readonly [Key in keyof Range]: fc.Arbitrary<Range[Key]> };

const walk: fc.Arbitrary<WalkSpec> = fc.record({
  ...range,
  prefetch: fc.boolean(),
  unit: fc.constantFrom("nodes", "nodes", "pages", "pages", "array"),
  width: fc.constantFrom(1, 1, 1, 2, 3),
  pauseMs: fc.constantFrom(0, 0, 3, 40, 2000),
  leaving: fc.option(
    fc.record({
      how: fc.constantFrom("break", "break", "abort", "cut", "forget"),
      after: fc.integer({ min: 0, max: 8 }),
    }),
    { nil: undefined, freq: 2 },
  ),
  again: fc.constantFrom(0, 0, 1, 3),
  resumes: fc.constantFrom(0, 1, 3),
  limits,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("walk" as const), walk }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("page" as const, "count" as const),
      range: fc.record(range),
      limits,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("query" as const), raw: fc.boolean(), limits }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("mutation" as const),
      mutation: fc.constantFrom("create", "update", "vendors", "own"),
      idempotent: fc.constantFrom(false, false, true),
      limits,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: delay }) },
);

const closing: fc.Arbitrary<Step> = fc.constant({ do: "close" });

const key: fc.Arbitrary<KeySpec> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ form: "text" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      form: fc.constant("function" as const),
      rotates: fc.boolean(),
      slowMs: fc.constantFrom(0, 0, 20, 4000),
      failsAt: seldom(fc.integer({ min: 1, max: 5 })),
      stallsAt: seldom(fc.integer({ min: 1, max: 5 })),
    }),
  },
);

const change: fc.Arbitrary<RowChange> = fc.record({
  nth: fc.integer({ min: 1, max: 8 }),
  do: fc.constantFrom("add", "remove"),
  place: fc.nat({ max: MAX_ROWS }),
});

const changes = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(change, { maxLength: 4 }) },
);

/** The steps of a caller; some close the client while others use it. */
const caller = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 4 }), seldom(fc.tuple(closing, step)))
  .map(([steps, closed = []]) => [...steps, ...closed]);

const wild: fc.Arbitrary<Program> = fc.record({
  callers: fc.array(caller, { minLength: 1, maxLength: 3 }),
  rows: fc.integer({ min: 0, max: MAX_ROWS }),
  changes,
  faults: fc.array(fault, { maxLength: 6 }),
  key,
  heedsSignal: fc.constantFrom(true, true, false),
});

/** So many queries during an outage that the retry budget is spent. */
const exhausting: fc.Arbitrary<Program> = fc.record({
  callers: fc.array(fc.array(step, { minLength: 20, maxLength: 20 }), { minLength: 2, maxLength: 3 }),
  rows: fc.constant(3),
  changes: fc.constant([]),
  faults: outage,
  key: fc.constant({ form: "text" as const }),
  heedsSignal: fc.constant(true),
});

export const program: fc.Arbitrary<Program> = fc.oneof(
  { weight: 60, arbitrary: wild },
  { weight: 1, arbitrary: exhausting },
);
