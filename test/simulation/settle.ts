import type { SimClock } from "./sim-clock.js";

/** Turns of the event loop in which nothing happens, after which nothing will without the clock. */
const QUIET_TURNS = 4;
/** Steps of the clock after which a program that goes on is taken to go on for ever. */
const MAX_STEPS = 50_000;
/** How long the machine may be busy with work that needs no clock. Only a hang takes this long. */
const STUCK_MS = 40_000;

/**
 * Lets everything happen that can, and moves the clock whenever nothing else happens. Returns whether all work is done.
 */
export async function settle(clock: SimClock, done: () => boolean): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (!(await quiet(clock))) return false;
    if (done()) return true;
    if (!clock.step()) return false;
  }
  return false;
}

/** Waits until nothing happens; false if that takes too long. */
async function quiet(clock: SimClock): Promise<boolean> {
  const begun = performance.now();
  let seen = clock.activity;
  for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.activity === seen) continue;
    if (performance.now() - begun > STUCK_MS) return false;
    seen = clock.activity;
    turns = 0;
  }
  return true;
}

/** The same numbers each time instead of random ones, so that a failed program fails again. Returns what undoes it. */
export function withoutChance(): () => void {
  const { random } = Math;
  let state = 1;
  Math.random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => {
    Math.random = random;
  };
}
