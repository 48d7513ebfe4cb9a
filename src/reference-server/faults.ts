import { checkFault } from "./fault-checks.js";
import type {
  Fault,
  FaultCall,
  FaultHandle,
  FaultInjector,
  GraphQLFaultKind,
  SyncFaultKind,
} from "./fault-types.js";

/** The faults of a server: what a test has added, and what strikes a call. */
export class Faults implements FaultInjector {
  readonly #faults: { readonly fault: Fault; calls: number; firings: number }[] = [];

  add(fault: Fault): FaultHandle {
    checkFault(fault);
    const entry = { fault, calls: 0, firings: 0 };
    this.#faults.push(entry);
    return {
      get firings() {
        return entry.firings;
      },
    };
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** Counts a call, and returns the kinds of the faults that strike it. */
  take(call: Extract<FaultCall, { api: "sync" }>): SyncFaultKind[];
  take(call: Extract<FaultCall, { api: "graphql" }>): GraphQLFaultKind[];
  take(call: FaultCall): Fault["kind"][] {
    return this.#faults.flatMap((entry) => {
      const { fault } = entry;
      const matches =
        fault.api === call.api && (fault.operation === undefined || fault.operation === call.operation);
      if (!matches) return [];
      entry.calls++;
      const first = fault.nth ?? 1;
      if (entry.calls < first || entry.calls >= first + (fault.times ?? 1)) return [];
      entry.firings++;
      return [fault.kind];
    });
  }
}
