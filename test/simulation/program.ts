/** What a simulated process does, as plain data, and an arbitrary of such programs. */
import fc from "fast-check";
import { type FaultKind, OPERATIONS, type ScheduledFault } from "./faults.js";
import { COLLECTIONS, type SimCollection } from "./messages.js";

/** A source of records. */
export interface SourceSpec {
  /** `quiet`: asynchronous, and it ends as if it were at its end when its signal fires. */
  readonly kind: "array" | "iterable" | "async" | "arrays" | "quiet";
  /** Which of the few ids that the simulation knows. */
  readonly ids: readonly number[];
  /** Throws instead of giving the record at this index. */
  readonly throwsAt: number | undefined;
  /** Gives a record without an id at this index. */
  readonly invalidAt: number | undefined;
  /** How long an asynchronous source takes for each step, in milliseconds. */
  readonly pauseMs: number;
}

export interface WriteSpec {
  readonly collection: SimCollection;
  readonly source: SourceSpec;
  /** When the caller gives up, in milliseconds after the call. */
  readonly abortAfterMs: number | undefined;
}

/** A step with a batch handle. */
export type Step =
  | { readonly do: "write"; readonly write: WriteSpec; readonly awaited: boolean }
  | {
      readonly do: "pieces";
      readonly collection: SimCollection;
      readonly pieces: readonly (readonly number[])[];
      readonly sealed: boolean;
    }
  | { readonly do: "pause"; readonly ms: number }
  | { readonly do: "complete" }
  | { readonly do: "abort" }
  | { readonly do: "close" };

/** A step of a process. */
export type Session =
  | {
      readonly do: "batch";
      readonly waitForLockMs: number;
      readonly abortStartAfterMs: number | undefined;
      readonly steps: readonly Step[];
    }
  | {
      readonly do: "run";
      readonly waitForLockMs: number;
      readonly restarts: number;
      readonly writes: readonly WriteSpec[];
      readonly abortAfterMs: number | undefined;
    }
  | { readonly do: "pause"; readonly ms: number }
  /** The process ends, and nothing that it was about to send is sent. */
  | { readonly do: "crash" };

export interface Program {
  /** What each of the processes does; all work on one installation. */
  readonly clients: readonly (readonly Session[])[];
  readonly faults: readonly ScheduledFault[];
}

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { maxLength: 10 });
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const MINUTES = 60_000;
const pause = fc.constantFrom(0, 10, 1000, 4 * MINUTES, 16 * MINUTES);
/** How long something takes, in milliseconds. */
export const delay = fc.constantFrom(1, 50, 3000, 40_000);

const source: fc.Arbitrary<SourceSpec> = fc.record({
  kind: fc.constantFrom("array", "iterable", "async", "arrays", "quiet"),
  ids,
  throwsAt: seldom(fc.integer({ min: 0, max: 9 })),
  invalidAt: seldom(fc.integer({ min: 0, max: 9 })),
  pauseMs: fc.constantFrom(0, 0, 0, 100, 2 * MINUTES),
});

const write: fc.Arbitrary<WriteSpec> = fc.record({
  collection: fc.constantFrom(...COLLECTIONS),
  source,
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
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("pieces" as const),
      collection: fc.constantFrom(...COLLECTIONS),
      pieces: fc.array(ids, { maxLength: 3 }),
      sealed: fc.oneof(
        { weight: 5, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: pause }) },
  { weight: 3, arbitrary: fc.constant({ do: "complete" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "abort" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "close" as const }) },
);

const session: fc.Arbitrary<Session> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("batch" as const),
      waitForLockMs: fc.constantFrom(0, 1000, 20 * MINUTES),
      abortStartAfterMs: seldom(delay),
      steps: fc.array(step, { maxLength: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("run" as const),
      waitForLockMs: fc.constantFrom(0, 20 * MINUTES),
      restarts: fc.integer({ min: 0, max: 2 }),
      writes: fc.uniqueArray(write, { maxLength: 4, selector: ({ collection }) => collection }),
      abortAfterMs: seldom(delay),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), ms: pause }) },
  { weight: 1, arbitrary: fc.constant({ do: "crash" as const }) },
);

const moment = fc.constantFrom("before" as const, "after" as const, "middle" as const);

/** Statuses with which a call is refused, with details as they come. */
export const REFUSALS = [
  { code: 14, details: "upstream connect error" },
  { code: 13, details: "Received RST_STREAM with code 2" },
  { code: 13, details: "internal error" },
  { code: 2, details: "" },
  { code: 8, details: "quota" },
  { code: 8, details: "message larger than the limit" },
  { code: 4, details: "" },
  { code: 1, details: "" },
  { code: 3, details: "a record is invalid" },
  { code: 7, details: "" },
  { code: 16, details: "key revoked" },
  { code: 10, details: "" },
] as const;

const faultKind: fc.Arbitrary<FaultKind> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("lost" as const), at: moment }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...REFUSALS).map((refusal) => ({ type: "refused" as const, ...refusal })),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("delayed" as const), at: moment, ms: delay }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("stalled" as const), at: moment }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("late" as const), ms: delay }) },
  { weight: 1, arbitrary: fc.constant({ type: "undercounted" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "uncounted" as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ type: "expired" as const }, { type: "stolen" as const }) },
  { weight: 1, arbitrary: fc.constant({ type: "revoked" as const }) },
);

/** Which call of an operation is struck: one of the first, more often than not. */
export const nth = fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 8 }));

const fault: fc.Arbitrary<ScheduledFault> = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  nth,
  kind: faultKind,
});

/** What the processes of a program do. */
export const clients: fc.Arbitrary<Program["clients"]> = fc.array(
  fc.array(session, { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 2 },
);

/** Random programs. */
export const program: fc.Arbitrary<Program> = fc.record({
  clients,
  faults: fc.array(fault, { maxLength: 8 }),
});
