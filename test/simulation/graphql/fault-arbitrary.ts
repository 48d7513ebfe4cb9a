/** Arbitraries of faults between client and service. */
import fc from "fast-check";
import type { Asked, FaultKind, FaultMoment, RetryAfter, ScheduledFault } from "./faults.js";
import { LASTING_CODE } from "./verdict.js";

/** Milliseconds. */
export const delay = fc.constantFrom(1, 50, 3000, 40_000);

const THREE_DAYS_S = 3 * 24 * 60 * 60;

const at: fc.Arbitrary<FaultMoment> = fc.constantFrom("before", "after");

const retryAfter: fc.Arbitrary<RetryAfter | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    form: fc.constantFrom("seconds" as const, "date" as const),
    seconds: fc.constantFrom(0, 1, 7, 60, THREE_DAYS_S),
  }),
  fc.constant({ form: "nonsense" as const }),
);

const constant = <const T extends string>(value: T): fc.Arbitrary<T> => fc.constant(value);

const status = fc.record({
  type: constant("status"),
  at,
  status: fc.constantFrom(503, 503, 429, 429, 502, 504, 408, 500, 400, 403),
  retryAfter,
  body: fc.constantFrom("json", "json", "html", "endless"),
});

const lost = fc.record({
  type: constant("lost"),
  at,
  code: fc.constantFrom("ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "UND_ERR_SOCKET", LASTING_CODE),
});

const errors = fc.record({
  type: constant("errors"),
  at,
  data: fc.constantFrom("none", "null fields", "whole"),
  code: fc.constantFrom(undefined, "INTERNAL", "RATE_LIMITED", "AUTH_NOT_AUTHORIZED"),
  retryAfter,
});

const garbage = fc.record({
  type: constant("garbage"),
  text: fc.constantFrom("", "[]", '{"data": {', "null", "{}"),
});

const request: readonly fc.WeightedArbitrary<FaultKind>[] = [
  { weight: 5, arbitrary: lost },
  { weight: 6, arbitrary: status },
  { weight: 3, arbitrary: errors },
  { weight: 2, arbitrary: fc.record({ type: constant("cut") }) },
  { weight: 1, arbitrary: garbage },
  {
    weight: 1,
    arbitrary: fc.record({
      type: constant("content"),
      declared: fc.constantFrom("html", "plain", "none", "latin1"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: constant("oversized"), declared: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ type: constant("delayed"), at, ms: delay }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: constant("stalled"),
      at: fc.constantFrom("before", "after", "body", "body"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: constant("redirect") }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: constant("revoked"), told: fc.constantFrom("status", "errors") }),
  },
];

const ofPages: fc.WeightedArbitrary<FaultKind> = {
  weight: 8,
  arbitrary: fc.oneof(
    fc.record({
      type: constant("cursor"),
      what: fc.constantFrom("repeated", "earlier", "null", "blank"),
    }),
    fc.record({ type: constant("page"), what: fc.constantFrom("none", "empty", "short", "overfull") }),
  ),
};

const ofPayloads: fc.WeightedArbitrary<FaultKind> = {
  weight: 6,
  arbitrary: fc.record({ type: constant("payload"), what: fc.constantFrom("errors", "null", "nothing") }),
};

const KINDS: Readonly<Record<Asked, fc.Arbitrary<FaultKind>>> = {
  page: fc.oneof(...request, ofPages),
  query: fc.oneof(...request),
  mutation: fc.oneof(...request, ofPayloads),
};

/** Which request is struck: one of the first, more often than not. */
const nth = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 }));

/** How many in a row: more than the retries of a call, now and then. */
const times = fc.constantFrom(1, 1, 1, 2, 3, 6);

/** Whatever can go wrong. */
export const fault: fc.Arbitrary<ScheduledFault> = fc
  .constantFrom<Asked>("page", "page", "query", "mutation")
  .chain((asked) => fc.record({ asked: fc.constant(asked), nth, times, kind: KINDS[asked] }));

/** A service that fails for everybody, for as long as the program lasts. */
export const outage: fc.Arbitrary<readonly ScheduledFault[]> = fc
  .record({ times: fc.integer({ min: 100, max: 400 }), from: fc.integer({ min: 1, max: 5 }) })
  .map(({ times: many, from }) =>
    (["page", "query"] as const).map((asked) => ({
      asked,
      nth: from,
      times: many,
      kind: { type: "status", at: "before", status: 503, retryAfter: undefined, body: "json" },
    })),
  );
