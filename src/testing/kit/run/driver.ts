import { stat } from "node:fs/promises";
import { drive } from "../../../reference-server/test-clock.js";
import type { VirtualTime } from "../time/context.js";
import type { Playback } from "../vendor/playback.js";

type Kind = "running" | "calls" | "pulls";

/** Tracks pending work in a run: a driver lets time pass only if there is none. */
export class Activity {
  /** Calls of the connector's `run` that haven't settled. */
  running = 0;
  /** The connector's calls to its batch that haven't settled. */
  calls = 0;
  /** Number of the connector's sources that the SDK is currently waiting for. */
  pulls = 0;
  /** Increases whenever something starts or ends. */
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
  /** Undefined without a recording. */
  readonly vendor: Playback | undefined;
  /** Called if the run doesn't end. */
  readonly giveUp: (why: string) => void;
}

const LONGEST_MS = 24 * 3_600_000;
const MOST_STEPS = 10_000;
/** Size of the thread pool, which reads files and decompresses bodies. */
const THREADS = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);

/** How many turns to wait if only the clock can make something happen. */
const HELD = 8;
/** How many turns to wait if the connector has set a timer, because it may also be waiting for the thread pool. */
const WAITING = 20;
/** How many turns (about 2 s) to wait for work in this process. Such work ends unless the connector stops reading. */
const BUSY = 20_000;

/**
 * Lets time pass for a run. With a recording, the simulated vendor is in this process too, so time passes whenever the
 * process has nothing left to do. The driver counts turns of the event loop and the thread pool, because a busy machine
 * slows them down just like the connector. A real source is outside the process, so it gets real time.
 */
export function driveRun<T>(run: DrivenRun, work: Promise<T>): Promise<T> {
  return run.vendor === undefined ? atRealPace(run, work) : whenIdle(run, run.vendor, work);
}

function whenIdle<T>({ time, activity, giveUp }: DrivenRun, vendor: Playback, work: Promise<T>): Promise<T> {
  let [passedMs, steps] = [0, 0];
  const isAsked = () => vendor.busy > 0 || vendor.route.pending > vendor.held;
  const patience = () => {
    // No timeout may fire while the SDK sends to a server in this process or a request is under way.
    if ((activity.running === 0 && activity.calls === 0) || isAsked()) return BUSY;
    if (vendor.held > 0) return HELD;
    return time.pending > 0 ? WAITING : BUSY;
  };
  return drive(time.clock, work, {
    // Timers of the SDK don't count, because it checks a silent source every second, for an hour.
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

/** Waits for one turn of the event loop, and until each thread of the pool has been free once. */
export async function poolTurn(): Promise<void> {
  await Promise.all(Array.from({ length: THREADS }, () => stat("/")));
  await new Promise<void>((resolve) => setImmediate(resolve));
}
