/** Random programs: the walks of the callers of one GraphQL client, and the faults that strike its requests. */
import fc from "fast-check";
import { type Drawn, oneOf, seldom, weighted } from "../drawing.js";
import { fault } from "./faults.js";

const MAX_ROWS = 14;

const walk = fc.record({
  do: oneOf("walk"),
  /** `things` is nested, and walked with the caller's own document. */
  connection: oneOf("licenses", "things"),
  direction: oneOf("forward", "forward", "backward"),
  pageSize: fc.integer({ min: 1, max: 6 }),
  limit: fc.option(fc.integer({ min: 0, max: MAX_ROWS }), { nil: undefined, freq: 2 }),
  /** The row after which the walk starts. */
  start: seldom(fc.integer({ min: 1, max: MAX_ROWS })),
  prefetch: fc.boolean(),
  /** `array`: `toArray()`. */
  unit: oneOf("nodes", "nodes", "pages", "pages", "array"),
  /** Concurrent calls of `next()`. */
  width: oneOf(1, 1, 1, 2, 3),
  /** How long the caller works on each node or page. */
  pauseMs: oneOf(0, 0, 3, 40, 2000),
  /** How the caller leaves the walk, and after how many nodes or pages. `cut` calls `return()` during `next()`. */
  leaving: fc.option(
    fc.record({
      how: oneOf("break", "break", "abort", "cut", "forget"),
      after: fc.integer({ min: 0, max: 8 }),
    }),
    { nil: undefined, freq: 2 },
  ),
  /** How often `next()` is called again after a failure. */
  again: oneOf(0, 0, 1, 3),
  /** How often another walk continues from the position of the error, or after the last page. */
  resumes: oneOf(0, 1, 3),
  timeoutMs: oneOf(100_000, 100_000, 100_000, 5000, 300),
  retries: oneOf(4, 4, 4, 1, 0),
  /** When the caller cancels; 0 cancels immediately. */
  abortAfterMs: seldom(oneOf(0, 4, 7, 12, 20, 33, 400, 3000)),
});
export type WalkSpec = Drawn<typeof walk>;

const walks = fc.array(walk, { minLength: 1, maxLength: 4 });

export const program = fc.record({
  /** The callers run concurrently, and some close the client while others use it. */
  callers: fc.array(
    fc.oneof(
      weighted(7, walks),
      weighted(
        1,
        walks.map((all) => [...all, { do: "close" as const }, ...all.slice(0, 1)]),
      ),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  rows: fc.integer({ min: 0, max: MAX_ROWS }),
  faults: fc.array(fault, { maxLength: 6 }),
  /** Whether the `fetch` heeds its signal. */
  heedsSignal: oneOf(true, true, false),
});
export type Program = Drawn<typeof program>;
