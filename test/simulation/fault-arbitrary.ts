/** Arbitraries of what goes wrong between client and service. */
import fc from "fast-check";
import { delay, oneOf, weighted } from "./drawing.js";
import { type FaultKind, OPERATIONS, type Operation, type ScheduledFault } from "./faults.js";

/** Statuses that refuse a call, with typical details. */
const REFUSALS = [
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

const refusal = oneOf(...REFUSALS).map((refused) => ({ type: "refused" as const, ...refused }));
const ends = oneOf("before", "after");

/** When a fault can strike an operation. Only a stream has a middle. */
const moments = (operation: Operation) =>
  operation === "SyncRecords" ? oneOf("before", "after", "middle") : ends;

const disturbances = (operation: Operation) =>
  [
    weighted(5, fc.record({ type: oneOf("lost"), at: moments(operation) })),
    weighted(2, fc.record({ type: oneOf("delayed"), at: ends, ms: delay })),
    weighted(2, fc.record({ type: oneOf("late"), ms: delay })),
  ] as const;

/** Answers to a stream that don't confirm every record. */
const ANSWERS_OF_STREAMS = [
  weighted(1, fc.constant({ type: "undercounted" } as const)),
  weighted(2, fc.record({ type: oneOf("early"), counted: fc.boolean() })),
] as const;

const EMPTY = weighted(2, fc.constant({ type: "empty" } as const));

const kindOf = (operation: Operation): fc.Arbitrary<FaultKind> =>
  fc.oneof<fc.WeightedArbitrary<FaultKind>[]>(
    ...disturbances(operation),
    ...(operation === "SyncRecords" ? ANSWERS_OF_STREAMS : []),
    ...(operation === "SyncRecords" || operation === "CompleteSyncBatch" ? [EMPTY] : []),
    weighted(3, refusal),
    weighted(1, fc.record({ type: oneOf("stalled"), at: moments(operation) })),
    weighted(2, fc.record({ type: oneOf("killed"), at: moments(operation) })),
    weighted(1, oneOf({ type: "expired" }, { type: "stolen" })),
    weighted(1, fc.constant({ type: "revoked" } as const)),
  );

/** The number of the call that a fault strikes: usually one of the first. */
const nth = fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 8 }));

/** Repeats a fault so that it strikes this many consecutive calls: a call and its retries. */
export function inARow<Fault extends { readonly nth: number }>(fault: Fault, times: number): Fault[] {
  return Array.from({ length: times }, (_, again) => ({ ...fault, nth: fault.nth + again }));
}

/** Anything that can go wrong. */
export const fault: fc.Arbitrary<ScheduledFault> = oneOf(...OPERATIONS).chain((operation) =>
  fc.record({ operation: fc.constant(operation), nth, atLeast: fc.constant(0), kind: kindOf(operation) }),
);

/** Faults that a call survives because the SDK retries it. */
export function survivable(operation: Operation): fc.Arbitrary<FaultKind> {
  const unavailable = { type: "refused", code: 14, details: "upstream connect error" } as const;
  return fc.oneof(...disturbances(operation), weighted(1, fc.constant(unavailable)));
}
