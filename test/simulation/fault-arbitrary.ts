/** Arbitraries of what goes wrong between client and service. */
import fc from "fast-check";
import {
  type FaultKind,
  type FaultMoment,
  OPERATIONS,
  type Operation,
  type ScheduledFault,
} from "./faults.js";
import { delay } from "./session-arbitrary.js";

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

type Weighted = fc.WeightedArbitrary<FaultKind>;

const ENDS = ["before", "after"] as const;

/** Only a stream has a middle. */
function moments(operation: Operation): fc.Arbitrary<FaultMoment> {
  return operation === "SyncRecords" ? fc.constantFrom(...ENDS, "middle") : fc.constantFrom(...ENDS);
}

function disturbances(operation: Operation): readonly Weighted[] {
  const at = fc.constantFrom(...ENDS);
  return [
    {
      weight: 5,
      arbitrary: fc.record({ type: fc.constant("lost" as const), at: moments(operation) }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("delayed" as const), at, ms: delay }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("late" as const), ms: delay }) },
  ];
}

/** Answers to a stream that do not say that all of it was accepted. */
const ANSWERS_OF_STREAMS: readonly Weighted[] = [
  { weight: 1, arbitrary: fc.constant({ type: "undercounted" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("uncounted" as const), forwarded: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("early" as const), counted: fc.boolean() }) },
];

function kindsOf(operation: Operation): fc.Arbitrary<FaultKind> {
  const at = moments(operation);
  return fc.oneof(
    ...disturbances(operation),
    ...(operation === "SyncRecords" ? ANSWERS_OF_STREAMS : []),
    {
      weight: 3,
      arbitrary: fc.constantFrom(...REFUSALS).map((refusal) => ({ type: "refused" as const, ...refusal })),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("stalled" as const), at }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("killed" as const), at }) },
    { weight: 1, arbitrary: fc.constantFrom({ type: "expired" as const }, { type: "stolen" as const }) },
    { weight: 1, arbitrary: fc.constant({ type: "revoked" as const }) },
  );
}

/** Which call of an operation is struck: one of the first, more often than not. */
export const nth = fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 8 }));

/** Whatever can go wrong. */
export const fault: fc.Arbitrary<ScheduledFault> = fc
  .constantFrom(...OPERATIONS)
  .chain((operation) =>
    fc.record({ operation: fc.constant(operation), nth, atLeast: fc.constant(0), kind: kindsOf(operation) }),
  );

/** What the SDK's retries bring a call of an operation through. */
export function survivable(operation: Operation): fc.Arbitrary<FaultKind> {
  return fc.oneof(...disturbances(operation), {
    weight: 1,
    arbitrary: fc.constant({ type: "refused" as const, code: 14, details: "upstream connect error" }),
  });
}
