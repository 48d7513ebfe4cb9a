import type { SimClock } from "./sim-clock.js";

/** After this many quiet turns of the event loop, nothing more will happen until the clock moves. */
const QUIET_TURNS = 4;
/** A program that needs more steps of the clock than this would never end. */
const MAX_STEPS = 50_000;
/** How long work that needs no clock may keep the machine busy. Only a hang takes this long. */
const STUCK_MS = 40_000;

/** Moves the clock whenever nothing more happens, until all work is done. Returns false if the work never ends. */
export async function settle(clock: SimClock, done: () => boolean): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (!(await quiet(clock))) return false;
    if (done()) return true;
    if (!clock.step()) return false;
  }
  return false;
}

/** Waits until nothing more happens. Returns false if the wait takes too long. */
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

/** Replaces Math.random() with a fixed sequence, so that failures repeat. Returns a function that undoes this. */
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
