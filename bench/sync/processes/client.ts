/**
 * Writes records with one client, alone in its process, and prints the cost.
 *
 * Arguments: a {@link ClientTask} as JSON.
 */
import { once } from "node:events";
import { take } from "../../harness/stopwatch.js";
import { CLIENTS, type ClientName } from "../clients.js";
import type { SyncTask } from "../task.js";

export interface ClientTask extends SyncTask {
  readonly client: ClientName;
}

const task: ClientTask = JSON.parse(process.argv[2] ?? "");
const { connect } = await CLIENTS[task.client]();
const peer = await connect(task);
await checked(peer.prepare(task.warmUp), task.warmUp);
const write = peer.prepare(task.records);
// Garbage of the preparation must not count towards the write.
globalThis.gc?.();
const { ms, cpuMs, loopDelayP99Ms, peakRssMiB } = await take(() => checked(write, task.records));
await peer.close();
const figures = {
  recordsPerSecond: task.records / (ms / 1000),
  cpuMicrosPerRecord: (cpuMs * 1000) / task.records,
  loopDelayP99Ms,
  peakRssMiB,
};
if (!process.stdout.write(JSON.stringify(figures))) await once(process.stdout, "drain");
process.exit(0);

async function checked(send: () => Promise<number>, records: number): Promise<void> {
  const accepted = await send();
  if (accepted !== records) throw new Error(`The server accepted ${accepted} of ${records} records.`);
}
