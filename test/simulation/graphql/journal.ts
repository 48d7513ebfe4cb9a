import type { Observation } from "../observation.js";
import type { SimClock } from "../sim-clock.js";
import type { WalkSpec } from "./program.js";

/** A walk, and the walks that continued it. */
export interface ObservedWalk {
  readonly spec: WalkSpec;
  readonly legs: WalkLeg[];
}

/** One iteration of a walk. Times are positions in the order of all events. */
export interface WalkLeg {
  /** A string that marks each request of this iteration, in a header and in the variables. */
  readonly id: string;
  /** Ids of the yielded nodes, in order. */
  readonly ids: string[];
  readonly limit: number;
  /** Number of pages that the caller has received so far. */
  pages: number;
  /** Errors that the caller received, including the reason of the caller's own signal. */
  readonly failures: unknown[];
  state: "under way" | "done" | "failed" | "left";
  /** Cursor of the last page, if the walk yields pages. */
  lastCursor?: string | undefined;
  settled?: number;
  /** When the caller cancelled the iteration, by a signal or by leaving the loop. */
  givenUp?: number;
  /** Whether the caller abandoned the iteration. */
  forgotten?: boolean;
}

/** A page that was requested. */
export interface PageAsk {
  readonly direction: "forward" | "backward";
  readonly size: number;
  /** Undefined for the first page in this direction. */
  readonly cursor: string | undefined;
}

/** A request as the network saw it. */
export interface SentRequest {
  readonly leg: WalkLeg;
  readonly sent: number;
  readonly signal: AbortSignal | null | undefined;
  readonly connection: "licenses" | "things";
  readonly page: PageAsk;
  /** What the caller of the walk had received before this request. */
  readonly handed: { readonly nodes: number; readonly pages: number };
  /** Number of nodes in the answer, if the answer is a page from which a walk can continue. */
  nodes?: number;
  answered?: number;
  /** Whether the body of the answer is still open: neither read to its end nor cancelled. */
  bodyOpen: boolean;
}

/** Records what happens, in order. */
export class Journal {
  readonly walks: ObservedWalk[] = [];
  readonly legs: WalkLeg[] = [];
  readonly requests: SentRequest[] = [];
  /** Violations that are noticed as they happen. */
  readonly misdeeds: string[] = [];
  /** When the client was asked to close. */
  closing: number | undefined;
  readonly clock: SimClock;
  readonly observation: Observation;
  #order = 0;

  constructor(clock: SimClock, observation: Observation) {
    this.clock = clock;
    this.observation = observation;
  }

  /** Returns a number higher than all before. */
  moment(): number {
    this.#order += 1;
    return this.#order;
  }

  begin(walk: ObservedWalk, limit: number): WalkLeg {
    const id = `leg-${this.legs.length + 1}.`;
    const leg: WalkLeg = { id, ids: [], limit, pages: 0, failures: [], state: "under way" };
    this.legs.push(leg);
    walk.legs.push(leg);
    return leg;
  }

  /** Waits for a step of a walk. @returns undefined if it failed */
  async step<T>(leg: WalkLeg, promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
    this.observation.pending += 1;
    try {
      return { value: await promise };
    } catch (error) {
      this.observation.told.push(error);
      leg.failures.push(error);
      return undefined;
    } finally {
      this.observation.pending -= 1;
    }
  }

  /** Notes a violation if a request (of the given walk, or else of any walk) is neither answered nor cancelled. */
  mustBeOver(when: string, leg?: WalkLeg): void {
    const left = this.requests.filter(
      ({ answered, signal, leg: of }) =>
        answered === undefined && signal?.aborted !== true && (leg === undefined || of === leg),
    );
    if (left.length > 0) this.misdeeds.push(`cancellation: ${left.length} requests continue ${when}`);
  }
}
