import { parse } from "../validate.js";
import type {
  Fault,
  FaultHandle,
  FaultInjector,
  FaultSchedule,
  GraphQLFault,
  SyncFault,
  SyncOperation,
} from "./fault.js";
import { faultSchema, scheduleSchema } from "./schema.js";

/** A call of the Sync API, or one message of it. */
export interface SyncPlace {
  readonly api: "sync";
  readonly operation: SyncOperation;
  /** Number of the message in its stream, from 1; undefined for the call as a whole. */
  readonly message?: number;
}

/** A request of the GraphQL API. */
export interface GraphQLPlace {
  readonly api: "graphql";
  readonly operation: string | undefined;
}

/** A fault that is due at a call. */
export interface DueFault<Kind> {
  readonly kind: Kind;
  /**
   * Counts a strike. Called when it strikes, because another fault may end the call first.
   * @returns false if it has struck other calls meanwhile, as often as it may
   */
  strikes(): boolean;
}

interface Entry {
  readonly handle: FaultHandle;
  calls: number;
  firings: number;
}

/** The faults of a server: what a test has added, and what is due at a call. */
export class Faults implements FaultInjector {
  readonly #entries: Entry[] = [];

  add(fault: Fault): FaultHandle {
    return this.#add(parse("fault", faultSchema, fault));
  }

  schedule(schedule: FaultSchedule): readonly FaultHandle[] {
    return parse("schedule", scheduleSchema, schedule).faults.map((fault) => this.#add(fault));
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
    throw new Error(`Faults struck too few calls:\n${lines.join("\n")}`);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Counts a call and returns the faults that are due at it. */
  take(place: SyncPlace): DueFault<SyncFault["kind"]>[];
  take(place: GraphQLPlace): DueFault<GraphQLFault["kind"]>[];
  take(place: SyncPlace | GraphQLPlace): DueFault<Fault["kind"]>[] {
    return this.#entries.flatMap((entry) => {
      const { fault } = entry.handle;
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

  #add(fault: Fault): FaultHandle {
    const entry: Entry = {
      handle: {
        fault,
        get firings() {
          return entry.firings;
        },
      },
      calls: 0,
      firings: 0,
    };
    this.#entries.push(entry);
    return entry.handle;
  }
}

function matches(fault: Fault, place: SyncPlace | GraphQLPlace): boolean {
  if (fault.operation !== undefined && fault.operation !== place.operation) return false;
  if (fault.api === "sync") return place.api === "sync" && fault.message === place.message;
  return place.api === "graphql";
}
