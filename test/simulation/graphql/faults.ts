/** Randomly drawn faults that strike a request for a page. */
import fc from "fast-check";
import { type Drawn, oneOf, weighted } from "../drawing.js";

const kind = fc.oneof(
  weighted(4, fc.record({ type: oneOf("lost"), code: oneOf("ECONNRESET", "CERT_HAS_EXPIRED") })),
  weighted(4, fc.record({ type: oneOf("status"), status: oneOf(503, 400), body: oneOf("json", "endless") })),
  /** The body breaks off. */
  weighted(2, fc.record({ type: oneOf("cut") })),
  weighted(3, fc.record({ type: oneOf("delayed"), ms: oneOf(1, 50, 3000, 40_000) })),
  /** The answer never begins, or never ends. */
  weighted(3, fc.record({ type: oneOf("stalled"), at: oneOf("answer", "body", "body") })),
  weighted(3, fc.record({ type: oneOf("cursor"), what: oneOf("repeated", "earlier", "null", "blank") })),
  weighted(3, fc.record({ type: oneOf("page"), what: oneOf("none", "empty", "short", "overfull") })),
);
export type Fault = Drawn<typeof kind>;

/** A fault that strikes some requests in a row, beginning with the n-th: usually one of the first. */
export const fault = fc.record({
  nth: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 })),
  times: oneOf(1, 1, 1, 2, 3, 6),
  kind,
});
export type ScheduledFault = Drawn<typeof fault>;

export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  #requests = 0;
  /** The faults that have struck; one that struck twice is listed twice. */
  readonly fired: ScheduledFault[] = [];

  constructor(faults: readonly ScheduledFault[]) {
    this.#faults = faults;
  }

  /** Counts a request, and returns the fault that strikes it. @param can Whether a fault applies to the request */
  take(can: (kind: Fault) => boolean): Fault | undefined {
    this.#requests += 1;
    const struck = this.#faults.find(
      ({ nth, times, kind: one }) => this.#requests >= nth && this.#requests < nth + times && can(one),
    );
    if (struck !== undefined) this.fired.push(struck);
    return struck?.kind;
  }
}
