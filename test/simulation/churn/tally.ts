import { DISASTERS, type Disaster } from "./disasters.js";
import type { Outcome, Verdict } from "./installation.js";

/** Snapshots of fewer records are too small for shares. */
const MIN_RECORDS = 50;

export interface OrganisationTally {
  runs: number;
  /** Runs that were held without an event of which an operator should be asked. */
  falseHolds: number;
  /** Runs that were held after such an event, and approved. */
  asked: number;
  /** The rules of the false holds. */
  readonly rules: Set<string>;
}

export interface DisasterTally {
  visible: number;
  missed: number;
  missedByRemovals: number;
  /** Smaller ones, and how many of them were held all the same. */
  small: number;
  smallHeld: number;
}

/** Counts of a simulation: their number does not depend on the number of runs. */
export class Tally {
  years = 0;
  readonly organisations = new Map<string, OrganisationTally>();
  readonly disasters = new Map<Disaster, DisasterTally>(
    DISASTERS.map((disaster) => [
      disaster,
      { visible: 0, missed: 0, missedByRemovals: 0, small: 0, smallHeld: 0 },
    ]),
  );
  falseHoldsBySum = 0;
  falseHoldsByRemovals = 0;

  run(organisation: string, verdicts: readonly Verdict[]): void {
    const counts = this.organisations.get(organisation) ?? {
      runs: 0,
      falseHolds: 0,
      asked: 0,
      rules: new Set<string>(),
    };
    this.organisations.set(organisation, counts);
    counts.runs += 1;
    const held = verdicts.filter(({ findings }) => findings.length > 0);
    const surprising = held.filter(({ isEvent }) => !isEvent);
    if (surprising.length > 0) counts.falseHolds += 1;
    else if (held.length > 0) counts.asked += 1;
    for (const { findings } of surprising) for (const { rule } of findings) counts.rules.add(rule);
    const routine = verdicts.filter(({ isEvent }) => !isEvent);
    if (routine.some(({ heldBySum }) => heldBySum)) this.falseHoldsBySum += 1;
    if (routine.some(({ heldByRemovals }) => heldByRemovals)) this.falseHoldsByRemovals += 1;
  }

  disaster(disaster: Disaster, { records, isVisible, rules, heldByRemovals }: Outcome): void {
    const counts = this.disasters.get(disaster);
    if (counts === undefined || records < MIN_RECORDS) return;
    if (isVisible) {
      counts.visible += 1;
      if (rules.length === 0) counts.missed += 1;
      if (!heldByRemovals) counts.missedByRemovals += 1;
    } else {
      counts.small += 1;
      if (rules.length > 0) counts.smallHeld += 1;
    }
  }

  sumOf(field: "runs" | "falseHolds" | "asked"): number {
    return [...this.organisations.values()].reduce((sum, counts) => sum + counts[field], 0);
  }

  sumOfDisasters(field: keyof DisasterTally, concerns?: Disaster["concerns"]): number {
    return [...this.disasters].reduce(
      (sum, [disaster, counts]) =>
        concerns === undefined || disaster.concerns === concerns ? sum + counts[field] : sum,
      0,
    );
  }
}
