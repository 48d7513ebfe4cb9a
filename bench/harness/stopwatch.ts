import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The cost of some work in this process. */
export interface Taken {
  readonly ms: number;
  /** CPU time of the process, user and system, in milliseconds. */
  readonly cpuMs: number;
  /** The 99th percentile of the event loop's delay, in milliseconds. */
  readonly loopDelayP99Ms: number;
  /** Peak memory of the process, in MiB. */
  readonly peakRssMiB: number;
}

/** Interval of the monitor's timer; the monitor adds it to every delay. */
const RESOLUTION_MS = 1;

/** Runs the work and measures it. */
export async function take(work: () => Promise<void>): Promise<Taken> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const cpu = process.cpuUsage();
  const since = performance.now();
  await work();
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  return {
    ms,
    cpuMs: (user + system) / 1000,
    loopDelayP99Ms: delay.percentile(99) / 1e6 - RESOLUTION_MS,
    peakRssMiB: peakRssKiB() / 1024,
  };
}

/** On Linux, `resourceUsage` includes the memory that the parent process had at the start. */
function peakRssKiB(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kib);
}
