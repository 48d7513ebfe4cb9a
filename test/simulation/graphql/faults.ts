/** What strikes a request on its way, drawn at random, and what its answer then means. */
import type { ErrorCode } from "@saas-management/sdk";
import fc from "fast-check";
import { type Drawn, oneOf, weighted } from "../drawing.js";

/** Whether the fault happens before the service has done what was requested, or after. */
const at = oneOf("before", "after");

const retryAfter = fc.option(
  fc.record({ form: oneOf("seconds", "date", "nonsense"), seconds: oneOf(0, 1, 7, 60, 259_200) }),
  { nil: undefined, freq: 2 },
);
export type RetryAfter = Drawn<typeof retryAfter>;

/** A connection that fails with this code fails again. */
const LASTING_CODE = "CERT_HAS_EXPIRED";

const ofAll = fc.oneof(
  weighted(
    5,
    fc.record({
      type: oneOf("lost"),
      at,
      code: oneOf("ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "UND_ERR_SOCKET", LASTING_CODE),
    }),
  ),
  weighted(
    6,
    fc.record({
      type: oneOf("status"),
      at,
      status: oneOf(503, 503, 429, 429, 502, 504, 408, 500, 400, 403),
      retryAfter,
      body: oneOf("json", "json", "html", "endless"),
    }),
  ),
  weighted(
    3,
    fc.record({
      type: oneOf("errors"),
      at,
      data: oneOf("none", "null fields", "whole"),
      code: oneOf(undefined, "INTERNAL", "RATE_LIMITED"),
      retryAfter,
    }),
  ),
  /** The body breaks off. */
  weighted(2, fc.record({ type: oneOf("cut") })),
  /** The body arrives completely and is not a GraphQL response. */
  weighted(1, fc.record({ type: oneOf("garbage"), text: oneOf("", "[]", '{"data": {', "null", "{}") })),
  /** The body does not declare JSON. */
  weighted(1, fc.record({ type: oneOf("content"), declared: oneOf("html", "plain", "latin1") })),
  /** The body is larger than `maxResponseBytes`, declared or not. */
  weighted(1, fc.record({ type: oneOf("oversized"), declared: fc.boolean() })),
  weighted(3, fc.record({ type: oneOf("delayed"), at, ms: oneOf(1, 50, 3000, 40_000) })),
  /** The answer never begins, or never ends. */
  weighted(3, fc.record({ type: oneOf("stalled"), at: oneOf("before", "after", "body", "body") })),
  weighted(1, fc.record({ type: oneOf("redirect") })),
);

const ofPages = fc.oneof(
  fc.record({ type: oneOf("cursor"), what: oneOf("repeated", "earlier", "null", "blank") }),
  fc.record({ type: oneOf("page"), what: oneOf("none", "empty", "short", "overfull") }),
);

const ofPayloads = fc.record({ type: oneOf("payload"), what: oneOf("errors", "null", "nothing") });

export type Fault = Drawn<typeof ofAll> | Drawn<typeof ofPages> | Drawn<typeof ofPayloads>;

/** The n-th request of a kind on that has the fault, one of the first more often than not, and how many in a row. */
const scheduled = (asked: fc.Arbitrary<Asked>, kind: fc.Arbitrary<Fault>) =>
  fc.record({
    asked,
    nth: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 })),
    times: oneOf(1, 1, 1, 2, 3, 6),
    kind,
  });

export type Asked = "walk" | "query" | "mutation";

export const fault = fc.oneof(
  weighted(6, scheduled(oneOf("walk", "walk", "query", "mutation"), ofAll)),
  weighted(2, scheduled(oneOf("walk"), ofPages)),
  weighted(1, scheduled(oneOf("mutation"), ofPayloads)),
);
export type ScheduledFault = Drawn<typeof fault>;

export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  readonly #requests = new Map<Asked, number>();
  /** Those that have struck, once for each time. */
  readonly fired: ScheduledFault[] = [];

  constructor(faults: readonly ScheduledFault[]) {
    this.#faults = faults;
  }

  /** Counts a request and returns what strikes it. @param can Whether a fault applies to the request */
  take(asked: Asked, can: (kind: Fault) => boolean): Fault | undefined {
    const request = (this.#requests.get(asked) ?? 0) + 1;
    this.#requests.set(asked, request);
    const struck = this.#faults.find(
      (fault) =>
        fault.asked === asked && request >= fault.nth && request < fault.nth + fault.times && can(fault.kind),
    );
    if (struck !== undefined) this.fired.push(struck);
    return struck?.kind;
  }
}

/** What an answer means, as documented. */
export interface Verdict {
  /** `transient`: a retry may succeed, if it is safe. */
  readonly outcome: "good" | "transient" | "lasting";
  readonly code?: ErrorCode;
  /** Time before which the service wants no other request. */
  readonly notBefore?: number;
}

const BROKEN = { outcome: "lasting", code: "TRANSPORT_FAILED" } as const;
const DISTURBED = { outcome: "transient", code: "TRANSPORT_FAILED" } as const;
const ERRORS = { outcome: "lasting", code: "GRAPHQL_ERRORS" } as const;

/** @param now The clock's time at the answer */
export function verdictOf(kind: Fault | undefined, now: number): Verdict {
  const limited = (asked: RetryAfter) =>
    ({ outcome: "transient", code: "RATE_LIMITED", ...asksToWait(asked, now) }) as const;
  switch (kind?.type) {
    case "lost":
      return kind.code === LASTING_CODE ? BROKEN : DISTURBED;
    case "status":
      if (kind.status === 403) return { outcome: "lasting", code: "PERMISSION_DENIED" };
      if (kind.status === 429) return limited(kind.retryAfter);
      if (kind.status === 400 || kind.status === 500) return kind.body === "json" ? ERRORS : BROKEN;
      return { ...DISTURBED, ...asksToWait(kind.retryAfter, now) };
    case "cut":
      return DISTURBED;
    case "errors":
      return kind.code === "RATE_LIMITED" && kind.data !== "whole" ? limited(kind.retryAfter) : ERRORS;
    case "payload":
      return { outcome: "good", code: kind.what === "errors" ? "MUTATION_REJECTED" : "TRANSPORT_FAILED" };
    case "cursor":
      return { outcome: "good", code: "PAGINATION" };
    case "page":
      return { outcome: "good", ...(kind.what === "none" && { code: "PAGINATION" }) };
    case "delayed":
    case "stalled":
    case undefined:
      return { outcome: "good" };
    default:
      return BROKEN;
  }
}

function asksToWait(asked: RetryAfter, now: number): { readonly notBefore?: number } {
  if (asked === undefined || asked.form === "nonsense") return {};
  const notBefore = now + asked.seconds * 1000;
  // A date has no fractions of a second.
  return { notBefore: asked.form === "seconds" ? notBefore : Math.floor(notBefore / 1000) * 1000 };
}

export function retryAfterHeader(asked: RetryAfter, now: number): Record<string, string> {
  if (asked === undefined) return {};
  const { form, seconds } = asked;
  const date = new Date(now + seconds * 1000).toUTCString();
  return { "retry-after": { seconds: String(seconds), date, nonsense: "soon" }[form] };
}
