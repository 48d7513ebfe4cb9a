import type { Observation } from "../observation.js";
import type { SimClock } from "../sim-clock.js";
import type { PageAsk } from "./rows.js";
import type { Verdict } from "./verdict.js";

/** When something happened: its place in the order of all that happened, and the clock's time. */
export interface Moment {
  readonly order: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** A call of the client as its caller knows it: one request, or one walk from where it begins. */
export interface Call {
  /** Stands in a header of each of its requests. */
  readonly id: string;
  readonly kind: "walk" | "query" | "mutation";
  readonly begun: Moment;
  readonly timeoutMs: number;
  readonly retries: number;
  /** Whether it is safe to send its requests twice. */
  readonly repeatable: boolean;
  /** Whether errors beside the data are none to its caller. */
  readonly raw: boolean;
  /** What its caller was handed so far: nodes one by one, or pages. */
  readonly handed: { nodes: number; pages: number };
  /** Errors that its caller met, the reason of its own signal included. */
  readonly failures: { readonly error: unknown; readonly met: Moment }[];
  /** What its caller was given in the end. */
  value?: unknown;
  settled?: Moment;
  /** When its caller gave it up, by a signal or by leaving the loop. */
  givenUp?: Moment;
  /** Whether its caller just forgot about it. */
  forgotten?: boolean;
}

/** A request as it was seen on its way. */
export interface SentRequest {
  readonly call: Call;
  readonly sent: Moment;
  /** Cancels it. All attempts of one operation have the same. */
  readonly signal: AbortSignal | null | undefined;
  readonly operation: string;
  readonly key: string;
  /** The page that it asks for. */
  readonly page: PageAsk | undefined;
  /** What the caller had been handed out of this walk before. */
  readonly handed: { readonly nodes: number; readonly pages: number };
  /** Number of nodes in its answer, where that is a page that a walk can go on from. */
  nodes?: number;
  /** What its answer was, and when. */
  answered?: Moment & { readonly verdict: Verdict };
  /** Whether the answer's body waits to be read, or to be given up. */
  bodyOpen: boolean;
}

/** Writes down what happens, in its order. */
export class Journal {
  readonly calls: Call[] = [];
  readonly requests: SentRequest[] = [];
  /** What the client or the program must not do, and did. */
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

  /** This moment, which is later than all before. */
  moment(): Moment {
    this.#order += 1;
    return { order: this.#order, at: this.#clock.now() };
  }

  begin(call: Pick<Call, "kind" | "timeoutMs" | "retries" | "repeatable" | "raw">): Call {
    const begun: Call = {
      ...call,
      id: `call-${this.calls.length + 1}.`,
      begun: this.moment(),
      failures: [],
      handed: { nodes: 0, pages: 0 },
    };
    this.calls.push(begun);
    return begun;
  }

  /** A call of one promise: waits for it. Undefined where it failed. */
  async settle<T>(call: Call, promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
    const outcome = await this.step(call, promise);
    this.settled(call);
    if (outcome !== undefined) call.value = outcome.value;
    return outcome;
  }

  /** A step of a call: waits for it. Undefined where it failed. */
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

  /** The caller has all that it will be given. */
  settled(call: Call): void {
    call.settled ??= this.moment();
    this.#mustBeOver(call, "after the call has ended");
  }

  /** The caller wants no more of it: from now on it is cancelled. */
  givenUp(call: Call, how: string): void {
    call.givenUp ??= this.moment();
    this.#mustBeOver(call, how);
  }

  /** Requests that are neither answered nor cancelled. */
  underWay(call?: Call): readonly SentRequest[] {
    return this.requests.filter(
      ({ answered, signal, call: of }) =>
        answered === undefined && signal?.aborted !== true && (call === undefined || of === call),
    );
  }

  #mustBeOver(call: Call, when: string): void {
    const left = this.underWay(call).length;
    if (left > 0) this.misdeeds.push(`cancellation: ${left} requests of ${call.id} go on ${when}`);
  }
}
