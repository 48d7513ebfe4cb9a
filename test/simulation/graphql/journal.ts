import type { Observation } from "../observation.js";
import type { SimClock } from "../sim-clock.js";
import type { Asked, Verdict } from "./faults.js";

/** When something happened: its place in the order of all events, and the clock's time. */
export interface Moment {
  readonly order: number;
  readonly at: number;
}

/** A call of the client: one request, or one walk. */
export interface Call {
  /** Part of the header and the variables of each of its requests. */
  readonly id: string;
  readonly kind: Asked;
  readonly begun: Moment;
  readonly timeoutMs: number;
  readonly retries: number;
  /** Whether its requests may be sent twice. */
  readonly repeatable: boolean;
  /** What its caller has received so far. */
  readonly handed: { nodes: number; pages: number };
  /** Errors that its caller received, including the reason of its own signal. */
  readonly failures: { readonly error: unknown; readonly met: Moment }[];
  /** What it resolved with. */
  value?: unknown;
  settled?: Moment;
  /** When its caller cancelled it, by a signal or by leaving the loop. */
  givenUp?: Moment;
  /** Whether its caller abandoned it. */
  forgotten?: boolean;
}

/** A page that was requested. */
export interface PageAsk {
  readonly direction: "forward" | "backward";
  readonly size: number;
  /** Undefined for the start, or paging backward for the end. */
  readonly cursor: string | undefined;
}

/** A request as the network saw it. */
export interface SentRequest {
  readonly call: Call;
  readonly sent: Moment;
  /** The same for all attempts of an operation. */
  readonly signal: AbortSignal | null | undefined;
  readonly operation: string;
  readonly key: string;
  readonly page: PageAsk | undefined;
  /** What the caller of the walk had received before. */
  readonly handed: { readonly nodes: number; readonly pages: number };
  /** Number of nodes in its answer, if that is a page from which a walk can continue. */
  nodes?: number;
  answered?: Moment & { readonly verdict: Verdict };
  /** Whether the body of its answer is neither read nor cancelled yet. */
  bodyOpen: boolean;
}

/** Records what happens, in order. */
export class Journal {
  readonly calls: Call[] = [];
  readonly requests: SentRequest[] = [];
  /** Violations that are noticed at once. */
  readonly misdeeds: string[] = [];
  /** When the client was asked to close. */
  closing: Moment | undefined;
  readonly #clock: SimClock;
  readonly #observation: Observation;
  #order = 0;

  constructor(clock: SimClock, observation: Observation) {
    this.#clock = clock;
    this.#observation = observation;
  }

  /** The current moment, later than all before. */
  moment(): Moment {
    this.#order += 1;
    return { order: this.#order, at: this.#clock.now() };
  }

  begin(call: Pick<Call, "kind" | "timeoutMs" | "retries" | "repeatable">): Call {
    const id = `call-${this.calls.length + 1}.`;
    const begun = { ...call, id, begun: this.moment(), failures: [], handed: { nodes: 0, pages: 0 } };
    this.calls.push(begun);
    return begun;
  }

  /** Waits for a step of a call. @returns undefined if it failed */
  async step<T>(call: Call, promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
    this.#observation.pending += 1;
    try {
      return { value: await promise };
    } catch (error) {
      this.#observation.told.push(error);
      call.failures.push({ error, met: this.moment() });
      return undefined;
    } finally {
      this.#observation.pending -= 1;
    }
  }

  settled(call: Call): void {
    call.settled ??= this.moment();
    this.mustBeOver("after the call has ended", call);
  }

  givenUp(call: Call, how: string): void {
    call.givenUp ??= this.moment();
    this.mustBeOver(how, call);
  }

  /** No request of a call, or of any, is neither answered nor cancelled. */
  mustBeOver(when: string, call?: Call): void {
    const left = this.requests.filter(
      ({ answered, signal, call: of }) =>
        answered === undefined && signal?.aborted !== true && (call === undefined || of === call),
    );
    if (left.length > 0) this.misdeeds.push(`cancellation: ${left.length} requests continue ${when}`);
  }
}
