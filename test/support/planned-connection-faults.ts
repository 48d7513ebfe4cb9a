import {
  type ConnectionFault,
  type ConnectionFaultKind,
  type ConnectionSchedule,
  checkConnectionFault,
} from "./connection-fault.js";

/** A fault that was planned. */
export interface PlannedConnectionFault {
  readonly fault: ConnectionFault;
  /** How many connections it has struck so far. */
  readonly firings: number;
}

/** A fault that is due at a connection. */
export interface DueConnectionFault {
  readonly kind: ConnectionFaultKind;
  /**
   * Says that it strikes now.
   * @returns false where it must not: it has struck other connections meanwhile, as often as it may
   */
  strikes(): boolean;
}

/** The faults of a proxy: what was planned, and what is due at a connection. */
export class PlannedConnectionFaults {
  readonly #entries: { readonly fault: ConnectionFault; connections: number; firings: number }[] = [];

  /** Adds all faults of a schedule, or none. */
  plan({ faults }: ConnectionSchedule): readonly PlannedConnectionFault[] {
    for (const fault of faults) checkConnectionFault(fault);
    const added = faults.map((fault) => ({ fault, connections: 0, firings: 0 }));
    this.#entries.push(...added);
    return added;
  }

  /** Counts a connection, and returns the first fault that is due at it. */
  take(): DueConnectionFault | undefined {
    for (const entry of this.#entries) entry.connections++;
    const due = this.#entries.find(
      ({ fault: { nth = 1, times = 1 }, connections, firings }) => connections >= nth && firings < times,
    );
    if (due === undefined) return undefined;
    const strikes = (): boolean => {
      if (due.firings >= (due.fault.times ?? 1)) return false;
      due.firings++;
      return true;
    };
    return { kind: due.fault.kind, strikes };
  }

  /** Number of connections that were struck. */
  get firings(): number {
    return this.#entries.reduce((sum, { firings }) => sum + firings, 0);
  }

  /** The faults that have struck fewer connections than their `atLeast`. */
  get unfired(): readonly PlannedConnectionFault[] {
    return this.#entries.filter(({ fault, firings }) => firings < (fault.atLeast ?? 1));
  }

  /** @throws Error that lists the faults that have struck too few connections */
  assertFired(): void {
    const lines = this.unfired.map(
      ({ fault, firings }) => `  ${firings} of ${fault.atLeast ?? 1}: ${JSON.stringify(fault)}`,
    );
    if (lines.length === 0) return;
    throw new Error(`Planned faults struck too few connections:\n${lines.join("\n")}`);
  }
}
