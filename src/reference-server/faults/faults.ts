import { plainCopy } from "../plain-copy.js";
import { checkFault, checkSchedule } from "./checks.js";
import type {
  Fault,
  FaultHandle,
  FaultInjector,
  FaultSchedule,
  GraphQLFault,
  SyncFault,
  SyncOperation,
} from "./fault.js";

/** A call of the Sync API, or one message of it. */
export interface SyncPlace {
  readonly api: "sync";
  readonly operation: SyncOperation;
  /** Number of the message in its stream, from 1; undefined for the call as a whole. */
  readonly message?: number;
}

/** A request of the GraphQL API. `operation` is its name, where it has one. */
export interface GraphQLPlace {
  readonly api: "graphql";
  readonly operation: string | undefined;
}

/** A fault that is due at a call. */
export interface DueFault<Kind> {
  readonly kind: Kind;
  /**
   * Says that it strikes now: one that is due may yet find the call ended by another.
   * @returns false where it must not: it has struck other calls meanwhile, as often as it may
   */
  strikes(): boolean;
}

interface Entry {
  readonly fault: Fault;
  calls: number;
  firings: number;
}

/** The faults of a server: what a test has added, and what is due at a call. */
export class Faults implements FaultInjector {
  readonly #entries: (Entry & { readonly handle: FaultHandle })[] = [];

  add(given: Fault): FaultHandle {
    checkFault(given);
    const fault = plainCopy(given);
    const entry = { fault, calls: 0, firings: 0 };
    const handle = {
      fault,
      get firings() {
        return entry.firings;
      },
    };
    this.#entries.push(Object.assign(entry, { handle }));
    return handle;
  }

  schedule(schedule: FaultSchedule): readonly FaultHandle[] {
    checkSchedule(schedule);
    return schedule.faults.map((fault) => this.add(fault));
  }

  unfired(): readonly FaultHandle[] {
    return this.#entries
      .map(({ handle }) => handle)
      .filter(({ fault, firings }) => firings < (fault.atLeast ?? 1));
  }

  assertFired(): void {
    const unfired = this.unfired();
    if (unfired.length === 0) return;
    const lines = unfired.map(
      ({ fault, firings }) => `  ${firings} of ${fault.atLeast ?? 1}: ${JSON.stringify(fault)}`,
    );
    throw new Error(`Planned faults struck too few calls:\n${lines.join("\n")}`);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Counts a call, and returns the faults that are due at it. */
  take(place: SyncPlace): DueFault<SyncFault["kind"]>[];
  take(place: GraphQLPlace): DueFault<GraphQLFault["kind"]>[];
  take(place: SyncPlace | GraphQLPlace): DueFault<Fault["kind"]>[] {
    return this.#entries.flatMap((entry) => {
      const { fault } = entry;
      if (!matches(fault, place)) return [];
      entry.calls++;
      const mayStrike = (): boolean => entry.firings < (fault.times ?? 1);
      if (entry.calls < (fault.nth ?? 1) || !mayStrike()) return [];
      const strikes = (): boolean => {
        if (!mayStrike()) return false;
        entry.firings++;
        return true;
      };
      return [{ kind: fault.kind, strikes }];
    });
  }
}

function matches(fault: Fault, place: SyncPlace | GraphQLPlace): boolean {
  if (fault.operation !== undefined && fault.operation !== place.operation) return false;
  if (fault.api === "sync") return place.api === "sync" && fault.message === place.message;
  return place.api === "graphql";
}
