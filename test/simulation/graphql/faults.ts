/** Faults between client and service, as plain data. */

/** Whether the fault happens before the service has done what was requested, or after. */
export type FaultMoment = "before" | "after";

export type RetryAfter =
  | { readonly form: "seconds"; readonly seconds: number }
  | { readonly form: "date"; readonly seconds: number }
  | { readonly form: "nonsense" };

export type FailureStatus = 400 | 403 | 408 | 429 | 500 | 502 | 503 | 504;

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
  /** HTTP 200 with a body that does not declare JSON. */
  | { readonly type: "content"; readonly declared: "html" | "plain" | "none" | "latin1" }
  /** The body breaks off. */
  | { readonly type: "cut" }
  /** The body arrives completely and is not a GraphQL response. */
  | { readonly type: "garbage"; readonly text: string }
  | {
      readonly type: "errors";
      readonly at: FaultMoment;
      readonly data: "none" | "null fields" | "whole";
      readonly code: string | undefined;
      readonly retryAfter: RetryAfter | undefined;
    }
  /** The body is larger than `maxResponseBytes`, declared or not. */
  | { readonly type: "oversized"; readonly declared: boolean }
  | { readonly type: "delayed"; readonly at: FaultMoment; readonly ms: number }
  /** The answer never begins, or never ends. */
  | { readonly type: "stalled"; readonly at: FaultMoment | "body" }
  | { readonly type: "redirect" }
  /** The key of this request is revoked. */
  | { readonly type: "revoked"; readonly told: "status" | "errors" };

type PageFault =
  | { readonly type: "cursor"; readonly what: "repeated" | "earlier" | "null" | "blank" }
  | { readonly type: "page"; readonly what: "none" | "empty" | "short" | "overfull" };

type PayloadFault = { readonly type: "payload"; readonly what: "errors" | "null" | "nothing" };

export type FaultKind = RequestFault | PageFault | PayloadFault;

export type Asked = "page" | "query" | "mutation";

/** A fault that strikes requests of a kind from the n-th on, counted from 1. */
export interface ScheduledFault {
  readonly asked: Asked;
  readonly nth: number;
  readonly times: number;
  readonly kind: FaultKind;
}

export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  readonly #requests = new Map<Asked, number>();
  /** The faults that have struck, once for each time. */
  readonly fired: ScheduledFault[] = [];

  constructor(faults: readonly ScheduledFault[]) {
    this.#faults = faults;
  }

  /**
   * Counts a request and returns the fault that strikes it, if one does.
   * @param can Whether a fault of this kind applies to the request.
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
