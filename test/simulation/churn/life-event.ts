import type { Modelled } from "./fields.js";
import type { Installation } from "./installation.js";
import type { Habit } from "./organisations.js";
import type { Population } from "./population.js";

export interface LifeEvent {
  readonly name: string;
  /** How often the event happens in a year. */
  readonly yearly: number;
  /** The habit that causes the event, and how often the event happens in the life of an installation with it. */
  readonly habit?: readonly [habit: Habit, times: number];
  /** The number of days that the event takes; if absent, it happens between two runs. */
  readonly days?: number;
  readonly concerns: readonly Modelled[];
  /** Whether the event is large and known in advance, so that the guard should ask. Other holds are false alarms. */
  readonly isAsked: boolean;
  /** @param share The part of the event that happens before this run. */
  readonly happen: (installation: Installation, share: number) => void;
}

/** @param change Changes one collection; called for each of `concerns` that the installation has. */
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
