/** What can go wrong between client and service, as plain data: the same schedule strikes at the same places. */

/** Whether the service did what it was asked for before something went wrong. */
export type FaultMoment = "before" | "after";

/** What `Retry-After` says, as a header has it. */
export type RetryAfter =
  | { readonly form: "seconds"; readonly seconds: number }
  | { readonly form: "date"; readonly seconds: number }
  | { readonly form: "nonsense" };

/** Statuses of HTTP that stand for a failure. */
export type FailureStatus = 400 | 403 | 408 | 429 | 500 | 502 | 503 | 504;

/** Whatever can happen to any request. */
type RequestFault =
  /** The connection breaks, or there is none. */
  | { readonly type: "lost"; readonly at: FaultMoment; readonly code: string }
  | {
      readonly type: "status";
      readonly at: FaultMoment;
      readonly status: FailureStatus;
      readonly retryAfter: RetryAfter | undefined;
      readonly body: "json" | "html" | "endless";
    }
  /** Success, and a body that does not say that it is JSON. */
  | { readonly type: "content"; readonly declared: "html" | "plain" | "none" | "latin1" }
  /** The body breaks off. */
  | { readonly type: "cut" }
  /** The body arrives whole, and is no GraphQL response. */
  | { readonly type: "garbage"; readonly text: string }
  | {
      readonly type: "errors";
      readonly at: FaultMoment;
      readonly data: "none" | "null fields" | "whole";
      readonly code: string | undefined;
      readonly retryAfter: RetryAfter | undefined;
    }
  /** The body is larger than the client reads; it says so beforehand or not. */
  | { readonly type: "oversized"; readonly declared: boolean }
  | { readonly type: "delayed"; readonly at: FaultMoment; readonly ms: number }
  /** There is never an answer, or never the end of one. */
  | { readonly type: "stalled"; readonly at: FaultMoment | "body" }
  | { readonly type: "redirect" }
  /** The key that was sent stops working, from this request on. */
  | { readonly type: "revoked"; readonly told: "status" | "errors" };

/** What can be wrong with a page. */
type PageFault =
  | { readonly type: "cursor"; readonly what: "repeated" | "earlier" | "null" | "blank" }
  | { readonly type: "page"; readonly what: "none" | "empty" | "short" | "overfull" };

/** What a mutation's payload can hold instead of a result. */
type PayloadFault = { readonly type: "payload"; readonly what: "errors" | "null" | "nothing" };

export type FaultKind = RequestFault | PageFault | PayloadFault;

/** What is asked for: a page, something else that is read, or a change. */
export type Asked = "page" | "query" | "mutation";

/** A fault and its place: from the n-th request of this kind on, counted from 1, as often as it says. */
export interface ScheduledFault {
  readonly asked: Asked;
  readonly nth: number;
  readonly times: number;
  readonly kind: FaultKind;
}

/** A schedule while it is run. */
export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  readonly #requests = new Map<Asked, number>();
  /** The faults that have struck, as often as they did. */
  readonly fired: ScheduledFault[] = [];

  constructor(faults: readonly ScheduledFault[]) {
    this.#faults = faults;
  }

  /**
   * Counts a request; the fault that strikes it, if one does.
   * @param can Whether there is something that a fault of this kind can strike.
   */
  take(asked: Asked, can: (kind: FaultKind) => boolean): FaultKind | undefined {
    const request = (this.#requests.get(asked) ?? 0) + 1;
    this.#requests.set(asked, request);
    const fault = this.#faults.find(
      ({ asked: what, nth, times, kind }) =>
        what === asked && request >= nth && request < nth + times && can(kind),
    );
    if (fault !== undefined) this.fired.push(fault);
    return fault?.kind;
  }
}
