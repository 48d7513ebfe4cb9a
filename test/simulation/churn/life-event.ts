import type { SnapshotCollection } from "@saas-management/sdk";
import type { Installation } from "./installation.js";
import type { Habit } from "./organisations.js";
import type { Population } from "./population.js";

export interface LifeEvent {
  readonly name: string;
  /** How often it happens in a year. */
  readonly yearly: number;
  /** The habit of which it is a part, and how often it happens in the life of an installation then. */
  readonly habit?: readonly [habit: Habit, times: number];
  /** Over how many days it spreads; otherwise it happens between two runs. */
  readonly days?: number;
  readonly concerns: readonly SnapshotCollection[];
  /** Whether it is so large, and known beforehand, that an operator should be asked. Otherwise a held run is a wrong one. */
  readonly isAsked: boolean;
  /** @param share How much of it happens before this run. */
  readonly happen: (installation: Installation, share: number) => void;
}

/** @param change What happens to each of the collections that the installation has. */
export function event(
  name: string,
  yearly: number,
  concerns: LifeEvent["concerns"],
  change: (population: Population, installation: Installation, share: number) => unknown,
  { isAsked = false, ...more }: Partial<Pick<LifeEvent, "habit" | "days" | "isAsked">> = {},
): LifeEvent {
  const happen: LifeEvent["happen"] = (installation, share) => {
    for (const collection of concerns) {
      const population = installation.of(collection);
      if (population !== undefined) change(population, installation, share);
    }
  };
  return { name, yearly, concerns, isAsked, happen, ...more };
}
