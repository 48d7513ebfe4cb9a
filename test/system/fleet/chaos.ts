import { setTimeout } from "node:timers/promises";
import type { Fleet } from "./fleet.js";
import type { Overlap } from "./workers.js";

const WORKERS = 4;
/** `heartbeatSeconds` of the queue. */
const DEAD_AFTER_MS = 10_000;

/** The outcome. */
export interface ChaosFigures {
  readonly differences: readonly string[];
  /** Overlaps of runs claimed so close together that pg-boss couldn't have declared the first worker dead yet. */
  readonly earlyOverlaps: readonly Overlap[];
  /** Overlaps of runs claimed further apart: one of the two workers had stalled. */
  readonly stalledOverlaps: readonly Overlap[];
  readonly runs: number;
  /** How many runs failed, by code and disposition. */
  readonly failed: Readonly<Record<string, number>>;
  /** The longest wait for a dead run's lock. Installations with a lost start don't count. */
  readonly longestWaitMs: number;
  /** Installations with a batch that nobody could abort: see `settled`. */
  readonly lostStarts: number;
  readonly dead: number;
  readonly minutes: number;
}

/**
 * Runs four workers and two schedulers that start the same jobs, with SIGKILLs at seeded moments and a restart of the
 * database in the middle, until everything settles.
 * @param mostPauseMs The longest pause between two kills.
 */
export async function chaos(
  fleet: Fleet,
  { kills, mostPauseMs, seed }: { kills: number; mostPauseMs: number; seed: number },
): Promise<ChaosFigures> {
  const { workers, vendor, database } = fleet;
  const begunAt = performance.now();
  const random = randomOf(seed);
  await fleet.schedule(2);
  for (let worker = 0; worker < WORKERS; worker += 1) workers.start();
  for (let kill = 0; kill < kills; kill += 1) {
    await setTimeout(random() * mostPauseMs);
    if (kill === Math.floor(kills / 2)) await database.restart();
    const { numbers } = workers;
    await workers.kill(numbers[Math.floor(random() * numbers.length)] ?? 0);
    workers.start();
    if (kill % 3 === 2) {
      vendor.version += 1;
      await fleet.schedule(2);
    }
  }
  await fleet.settled();
  vendor.version += 1;
  await fleet.schedule(2);
  await fleet.settled();
  const ended = workers.lines.filter(({ event }) => event === "completed" || event === "failed");
  const failed = ended.filter(({ event }) => event === "failed").map(({ code, next }) => `${code} ${next}`);
  const waits = ended
    .filter(({ installationId }) => !fleet.lostStarts.has(installationId))
    .map(({ waitedForLockMs = 0 }) => waitedForLockMs);
  const overlaps = workers.overlaps();
  return {
    differences: fleet.differences(),
    earlyOverlaps: overlaps.filter(({ apartMs }) => apartMs < DEAD_AFTER_MS),
    stalledOverlaps: overlaps.filter(({ apartMs }) => apartMs >= DEAD_AFTER_MS),
    runs: ended.length,
    failed: Object.fromEntries(
      [...new Set(failed)].map((code) => [code, failed.filter((one) => one === code).length]),
    ),
    longestWaitMs: Math.max(0, ...waits),
    lostStarts: fleet.lostStarts.size,
    dead: await fleet.jobs("name = 'sync-dead'"),
    minutes: (performance.now() - begunAt) / 60_000,
  };
}

/** Numbers from 0 to 1. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
