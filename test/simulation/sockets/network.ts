/** What the network does at calls of the clients: what no server can do to itself. Plain data, as programs are. */
import type { Operation } from "../faults.js";

export type NetworkFaultKind =
  /** The client is told that its connection broke; what it sent arrives later all the same. */
  | { readonly type: "late"; readonly ms: number }
  /** What both sides send is lost from now on, and neither is told. */
  | { readonly type: "half-open" }
  /** The service's process dies, and starts again on the same port. */
  | { readonly type: "restart" }
  /** The client's process dies. */
  | { readonly type: "crash" };

/** A fault and its place: the n-th call of an operation, counted from 1 over all clients, as it is made. */
export interface NetworkFault {
  readonly operation: Operation;
  readonly nth: number;
  readonly kind: NetworkFaultKind;
}

/** The faults of the network while a program is run. */
export class NetworkSchedule {
  readonly #waiting: Set<NetworkFault>;
  readonly #calls = new Map<Operation, number>();
  /** The faults that have struck. */
  readonly fired: NetworkFault[] = [];

  constructor(faults: readonly NetworkFault[]) {
    this.#waiting = new Set(faults);
  }

  /** Counts a call, and lets those faults strike that are due; one that cannot yet is due at the next call. */
  strike(operation: Operation, strikes: (kind: NetworkFaultKind) => boolean): void {
    const call = (this.#calls.get(operation) ?? 0) + 1;
    this.#calls.set(operation, call);
    for (const fault of this.#waiting) {
      if (fault.operation !== operation || fault.nth > call || !strikes(fault.kind)) continue;
      this.#waiting.delete(fault);
      this.fired.push(fault);
    }
  }
}
