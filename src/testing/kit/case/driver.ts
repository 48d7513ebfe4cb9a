import { drive, type Patience } from "../../../core/drive.js";
import type { VirtualTime } from "../time/context.js";
import type { Playback } from "../vendor/playback.js";
import type { Activity } from "./activity.js";

export interface DrivenRun {
  readonly time: VirtualTime;
  readonly activity: Activity;
  /** A connector without a recording has none. */
  readonly vendor: Pick<Playback, "busy" | "held" | "route"> | undefined;
  /** Called if the run takes more than a day of its time, or a minute of real time. */
  readonly giveUp: (why: string) => void;
}

/** Longest run, in virtual time. */
const LONGEST_MS = 24 * 3_600_000;
const LONGEST_REAL_MS = 60_000;

/** Nothing can happen but what the clock brings. */
const AT_ONCE: Patience = { turns: 8, ms: 0.5 };
/** The connector waits for a timer, and perhaps for something that nobody sees. */
const PLAYED: Patience = { turns: 10, ms: 2 };
const LIVE: Patience = { turns: 10, ms: 1000 };
/** Something is under way. Should it be stuck, time passes in the end. */
const BUSY: Patience = { turns: 50, ms: 300 };
const BUSY_LIVE: Patience = { turns: 50, ms: 5000 };

/** Lets time pass for a run whenever everything in it waits. */
export function driveRun<T>(run: DrivenRun, work: Promise<T>): Promise<T> {
  const { time, activity, vendor, giveUp } = run;
  const begun = performance.now();
  let passedMs = 0;
  const patience = (): Patience => {
    if (performance.now() - begun > LONGEST_REAL_MS) giveUp("a minute of real time");
    // The SDK sends to a server of this process: its timeouts must not end that.
    if (activity.running === 0 && activity.calls === 0) return BUSY_LIVE;
    if (vendor !== undefined && (vendor.busy > 0 || vendor.route.pending > vendor.held)) return BUSY;
    if (vendor !== undefined && vendor.held > 0) return AT_ONCE;
    if (time.pending > 0) return vendor === undefined ? LIVE : PLAYED;
    return vendor === undefined ? BUSY_LIVE : BUSY;
  };
  const onStep = (ms: number) => {
    passedMs += ms;
    if (passedMs > LONGEST_MS) giveUp("a day");
  };
  return drive(time.clock, work, {
    // Timers of the SDK do not count: a source that is silent for an hour is looked at each second of it.
    activity: () =>
      `${activity.changes} ${time.changes} ${vendor?.busy} ${vendor?.held} ${vendor?.route.pending}`,
    patience,
    onStep,
  });
}
