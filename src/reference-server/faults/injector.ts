import { parse } from "../validate.js";
import type { Fault, Faults } from "./fault.js";
import { type CheckedFault, faultSchema } from "./schema.js";

export interface DueFault {
  readonly fault: CheckedFault;
  /**
   * Counts a strike. Called when it strikes, because another fault may end the call first.
   * @returns false if it has struck other calls meanwhile, as often as it may
   */
  strikes(): boolean;
}

interface Entry {
  readonly fault: CheckedFault;
  readonly text: string;
  calls: number;
  fired: number;
}

/** The faults of a server: what a test has added, and what is due at a call. */
export class FaultInjector implements Faults {
  #entries: Entry[] = [];

  add(fault: Fault): { readonly fired: number } {
    const checked = parse("fault", faultSchema, fault);
    const entry = { fault: checked, text: JSON.stringify(fault), calls: 0, fired: 0 };
    this.#entries.push(entry);
    return {
      get fired() {
        return entry.fired;
      },
    };
  }

  assertFired(): void {
    const missed = this.#entries.filter(({ fired }) => fired === 0);
    if (missed.length === 0) return;
    throw new Error(`Faults have not struck:\n${missed.map(({ text }) => `  ${text}`).join("\n")}`);
  }

  clear(): void {
    this.#entries = [];
  }

  /**
   * Counts a call, or one message of it, and returns the faults that are due at it.
   * @param message number of the message in its stream, from 1; undefined for the call as a whole
   */
  take(api: "sync" | "graphql", operation: string | undefined, message?: number): DueFault[] {
    return this.#entries.flatMap((entry) => {
      const { fault } = entry;
      const { on, nth, times } = fault;
      if (fault.message !== message || (fault.api !== "*" && fault.api !== api)) return [];
      if (on !== "*" && on !== api && on !== operation) return [];
      entry.calls++;
      const mayStrike = (): boolean => entry.fired < times;
      if (entry.calls < nth || !mayStrike()) return [];
      const strikes = (): boolean => {
        if (!mayStrike()) return false;
        entry.fired++;
        return true;
      };
      return [{ fault, strikes }];
    });
  }
}
