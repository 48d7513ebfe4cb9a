/**
 * Runs a fleet of installations under SIGKILLs, a restart of the database and two schedulers. With `rate`, measures how
 * many installations 1, 2 and 4 workers run in a minute, their memory, and their heap after a garbage collection.
 *
 *     npm run fleet -- [installations] [kills] [seed]
 *     npm run fleet -- rate [installations] [rounds]
 */
import { buildPrograms } from "../programs.js";
import { chaos } from "./chaos.js";
import { Fleet } from "./fleet.js";

await buildPrograms();
const args = process.argv.slice(2);
if (args[0] === "rate") {
  const [installations = 400, rounds = 3] = args.slice(1).map(Number);
  for (const workers of [1, 2, 4]) await rate(workers, installations, rounds);
} else {
  const [installations = 400, kills = 100, seed = 7] = args.map(Number);
  const fleet = await Fleet.start(installations, 20);
  try {
    console.log(await chaos(fleet, { kills, mostPauseMs: 1500, seed }));
  } finally {
    await fleet.close();
  }
}

/** After some rounds, memory must not grow. */
async function rate(count: number, installations: number, rounds: number): Promise<void> {
  const fleet = await Fleet.start(installations, 100);
  const numbers = Array.from({ length: count }, () => fleet.workers.start("memory-script"));
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await fleet.schedule(1);
      const begunAt = performance.now();
      await fleet.settled();
      const minutes = (performance.now() - begunAt) / 60_000;
      const memory = numbers.map((worker) => Math.round(fleet.workers.memoryMiB(worker)));
      const heaps: string[] = [];
      for (const worker of numbers) heaps.push((await fleet.workers.heapMiB(worker)).toFixed(2));
      const perMinute = Math.round(installations / minutes);
      console.log(
        `${count} workers, round ${round}: ${perMinute} a minute; ${memory.join(", ")} MiB, heap ${heaps.join(", ")} MiB`,
      );
      fleet.vendor.version += 1;
    }
  } finally {
    await fleet.close();
  }
}
