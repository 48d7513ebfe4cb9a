import type { Modelled } from "./fields.js";
import type { Installation } from "./installation.js";
import type { Habit } from "./organisations.js";
import type { Population } from "./population.js";

export interface LifeEvent {
  readonly name: string;
  /** How often it happens in a year. */
  readonly yearly: number;
  /** The habit that includes it, and how often it then happens in an installation's life. */
  readonly habit?: readonly [habit: Habit, times: number];
  /** The number of days it takes; if absent, all of it happens between two runs. */
  readonly days?: number;
  readonly concerns: readonly Modelled[];
  /** Whether it's large and known in advance, so that the guard should ask. If not, holding a run for it is wrong. */
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
