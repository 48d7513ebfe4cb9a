import type { Population } from "./population.js";
import type { Random } from "./random.js";

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const DAYS_A_YEAR = 365;
const SATURDAY = 5;

/** When a run sends its snapshot: days since a Monday at midnight, and since the run before. */
export interface Moment {
  readonly day: number;
  readonly elapsed: number;
}

/**
 * Changes a population between two runs. @returns whether that was an event of which an operator should be asked: people
 * know of it beforehand, and it concerns a large part of the records
 */
export type Behaviour = (population: Population, moment: Moment, random: Random) => boolean;

/** How the fields of a record are filled, as probabilities; the others are always filled. */
export interface Shape {
  readonly department?: number;
  readonly title?: number;
  readonly phone?: number;
  readonly manager?: number;
  readonly inactive?: number;
  readonly mfa?: number;
}

function traitsOf(shape: Shape, random: Random): number {
  const { department = 0.9, title = 0.7, phone = 0.3, manager = 0.85, inactive = 0.06, mfa = 0.6 } = shape;
  let traits = 0b11;
  for (const [i, share] of [department, title, phone, manager].entries())
    if (random.chance(share)) traits |= 4 << i;
  if (random.chance(inactive)) traits |= 1 << 6;
  if (random.chance(mfa)) traits |= 1 << 8;
  return traits | ((random.chance(0.7) ? 0 : 1 + random.below(2)) << 9);
}

/** Joiners and leavers, as shares of the population in a year. */
export function turnover(joiners: number, leavers: number, shape: Shape = {}): Behaviour {
  return (population, { elapsed }, random) => {
    const base = Math.max(2, population.size);
    const years = elapsed / DAYS_A_YEAR;
    population.leaveSome(Math.min(random.poisson(base * leavers * years), population.size - 2), random);
    join(population, random.poisson(base * joiners * years), shape, random);
    return false;
  };
}

/** Follows a size that changes over the year, given as pairs of a day and a size. */
export function season(
  sizes: readonly (readonly [day: number, size: number])[],
  shape: Shape = {},
): Behaviour {
  return (population, { day }, random) => {
    const at = day % DAYS_A_YEAR;
    const next = sizes.findIndex(([start]) => start > at);
    const [from, to] = [sizes.at(Math.max(next, 0) - 1), sizes[Math.max(next, 0)]];
    if (from === undefined || to === undefined) return false;
    const length = (to[0] - from[0] + DAYS_A_YEAR) % DAYS_A_YEAR || DAYS_A_YEAR;
    const done = ((at - from[0] + DAYS_A_YEAR) % DAYS_A_YEAR) / length;
    const missing = Math.round(from[1] + (to[1] - from[1]) * done) - population.size;
    if (missing > 0) join(population, missing, shape, random);
    else population.leaveSome(-missing, random);
    return false;
  };
}

/** Each night a share of the records gets new ids, as virtual desktops do. */
export function rebuiltNightly(share: number): Behaviour {
  return (population, moment, random) => {
    for (let night = nightsOf(moment); night > 0; night -= 1)
      population.renew(random.binomial(population.size, random.between(0.7, 1.3) * share), random);
    return false;
  };
}

/** A share of the records is absent at weekends. */
export function absentAtWeekends(share: number): Behaviour {
  let comeBack: (() => void) | undefined;
  return (population, { day }, random) => {
    const isWeekend = Math.floor(day) % 7 >= SATURDAY;
    if (isWeekend && comeBack === undefined)
      comeBack = population.hide(Math.round(population.size * share), random);
    if (!isWeekend) {
      comeBack?.();
      comeBack = undefined;
    }
    return false;
  };
}

/** Some records are away for some hours and return, such as memberships of privileged groups. */
export function intermittent(perDay: number, hours: number): Behaviour {
  const away: { readonly until: number; readonly comeBack: () => void }[] = [];
  return (population, { day, elapsed }, random) => {
    while (away[0] !== undefined && away[0].until <= day) away.shift()?.comeBack();
    const isWork = Math.floor(day) % 7 < SATURDAY;
    const count = random.poisson(perDay * Math.min(elapsed, 1) * (isWork ? 1 : 0.2));
    away.push({ until: day + hours / 24, comeBack: population.hide(count, random) });
    return false;
  };
}

/** Spreads a boolean over the population within some days, again and again in the other direction after a year. */
export function rollout(shift: number, days: number): Behaviour {
  return (population, { day, elapsed }, random) => {
    if (day % DAYS_A_YEAR > days) return false;
    const isOn = Math.floor(day / DAYS_A_YEAR) % 2 === 0;
    population.change(Math.min(1, (3 * elapsed) / days), random, (traits) =>
      isOn ? traits | (1 << shift) : traits & ~(1 << shift),
    );
    return false;
  };
}

/** Happens about so many times a year. */
export function sometimes(
  timesAYear: number,
  happen: (population: Population, random: Random) => void,
  { isAsked }: { readonly isAsked: boolean },
): Behaviour {
  return (population, { elapsed }, random) => {
    if (!random.chance(1 - Math.exp((-timesAYear * elapsed) / DAYS_A_YEAR))) return false;
    happen(population, random);
    return isAsked;
  };
}

export function join(population: Population, count: number, shape: Shape, random: Random): void {
  for (let i = 0; i < count; i += 1) population.join(traitsOf(shape, random));
}

/** How many nights lie between two runs. */
function nightsOf({ day, elapsed }: Moment): number {
  return Math.min(7, Math.floor(day) - Math.floor(day - elapsed));
}
