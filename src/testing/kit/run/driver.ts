import { stat } from "node:fs/promises";
import { drive } from "../../../reference-server/test-clock.js";
import type { VirtualTime } from "../time/context.js";
import type { Playback } from "../vendor/playback.js";

type Kind = "running" | "calls" | "pulls";

/** What is under way in a run: a driver lets time pass only if nothing is. */
export class Activity {
  /** Whether the connector's `run` was called and has not settled. */
  running = 0;
  /** Calls of the connector to its batch that have not settled. */
  calls = 0;
  /** Times that the SDK waits for a source of the connector. */
  pulls = 0;
  /** Grows whenever something begins or ends. */
  changes = 0;

  async during<T>(what: Kind, work: () => T | Promise<T>): Promise<T> {
    this.changes += 1;
    this[what] += 1;
    try {
      return await work();
    } finally {
      this.changes += 1;
      this[what] -= 1;
    }
  }
}

interface DrivenRun {
  readonly time: VirtualTime;
  readonly activity: Activity;
  /** A connector without a recording has none. */
  readonly vendor: Playback | undefined;
  /** Called if the run does not end. */
  readonly giveUp: (why: string) => void;
}

const LONGEST_MS = 24 * 3_600_000;
const MOST_STEPS = 10_000;
/** Jobs that are under way at a time in the pool of threads, where files are read and bodies decompressed. */
const THREADS = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);

/** Nothing can happen but what the clock brings. */
const HELD = 8;
/** The connector waits for a timer, and perhaps for work in the pool. */
const WAITING = 20;
/** Something is under way in this process that ends by itself, unless the connector does not read on: about 2 s. */
const BUSY = 20_000;

/**
 * Lets time pass for a run. With a recording, whenever everything in it waits: everything is in this process, so this is
 * counted in turns of its loop and its pool, which a busy machine slows down as it slows down the connector. A real source
 * is somewhere else: its time is the real one.
 */
export function driveRun<T>(run: DrivenRun, work: Promise<T>): Promise<T> {
  return run.vendor === undefined ? atRealPace(run, work) : whenIdle(run, run.vendor, work);
}

function whenIdle<T>({ time, activity, giveUp }: DrivenRun, vendor: Playback, work: Promise<T>): Promise<T> {
  let [passedMs, steps] = [0, 0];
  const isAsked = () => vendor.busy > 0 || vendor.route.pending > vendor.held;
  const patience = () => {
    // The SDK sends to a server of this process: its timeouts must not end that.
    if ((activity.running === 0 && activity.calls === 0) || isAsked()) return BUSY;
    if (vendor.held > 0) return HELD;
    return time.pending > 0 ? WAITING : BUSY;
  };
  return drive(time.clock, work, {
    // Timers of the SDK do not count: a source that is silent for an hour is looked at each second of it.
    activity: () =>
      `${activity.changes} ${time.changes} ${vendor.busy} ${vendor.held} ${vendor.route.pending}`,
    patience,
    turn: poolTurn,
    onStep: (ms) => {
      passedMs += ms;
      steps += 1;
      if (passedMs > LONGEST_MS) giveUp("a day");
      else if (steps > MOST_STEPS) giveUp(`${MOST_STEPS} waits`);
    },
  });
}

async function atRealPace<T>({ time }: DrivenRun, work: Promise<T>): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  work.then(settle, settle);
  for (let last = performance.now(); !settled; ) {
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
    const passed = Math.floor(performance.now() - last);
    last += passed;
    time.clock.advance(passed);
  }
  return work;
}

/** A turn of the loop in which each thread of the pool was free once. */
async function poolTurn(): Promise<void> {
  await Promise.all(Array.from({ length: THREADS }, () => stat("/")));
  await new Promise<void>((resolve) => setImmediate(resolve));
}
