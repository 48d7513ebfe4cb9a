import { checkFault } from "./fault-checks.js";
import type { Fault, FaultCall, FaultHandle, GraphQLFaultKind, SyncFaultKind } from "./fault-types.js";

/**
 * Faults to be injected into the reference server, so that an integration can be tested against what networks and
 * servers do.
 *
 * ```ts
 * const fault = server.faults.add({
 *   api: "sync",
 *   operation: "CompleteSyncBatch",
 *   kind: { type: "grpc-status", code: 14, at: "answer" },   // completed, but the answer is lost
 * });
 * ```
 */
export class Faults {
  readonly #faults: { readonly fault: Fault; calls: number; firings: number }[] = [];

  /**
   * Adds a fault. Where several match a call, all strike, in the order in which they were added.
   * @throws TypeError where the fault makes no sense, such as an HTTP status for the Sync API.
   */
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

  /** Takes all faults away. Handles keep their counts. */
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
