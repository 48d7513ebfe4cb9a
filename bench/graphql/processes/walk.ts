/**
 * Pages through the server with one client, alone in its process, and prints the cost.
 *
 * Arguments: a {@link Walk} as JSON.
 */
import { once } from "node:events";
import { take } from "../../harness/stopwatch.js";
import { CLIENTS, type ClientName } from "../clients.js";

/** What to walk through, and how. */
export interface Walk {
  readonly client: ClientName;
  /** The SDK's module to load. @default this build's */
  readonly sdk?: string | undefined;
  readonly baseUrl: string;
  readonly pageSize: number;
  readonly pages: number;
  /** CPU time that the consumer spends on a page, in milliseconds. */
  readonly busyMs: number;
  /** A longer walk is stopped: by then the cost of a page is known. */
  readonly mostMs: number;
}

/** Enough pages for the engine to compile the hot code. */
const WARM_UP = { pages: 200, mostMs: 3000 };

const task: Walk = JSON.parse(process.argv[2] ?? "");
const open = () => CLIENTS[task.client](task.baseUrl, task.pageSize, task.sdk);

const loading = performance.now();
await walk({ pages: 1, mostMs: task.mostMs });
const firstPageMs = performance.now() - loading;
await walk(WARM_UP);

let count = 0;
const { ms, cpuMs, peakRssMiB } = await take(async () => {
  count = await walk(task);
});
const figures = { msPerPage: ms / count, cpuMsPerPage: cpuMs / count, peakRssMiB, firstPageMs, pages: count };
if (!process.stdout.write(JSON.stringify(figures))) await once(process.stdout, "drain");
process.exit(0);

/** Reads this many pages, and starts over at the end of the list. */
async function walk(limits: { readonly pages: number; readonly mostMs: number }): Promise<number> {
  const begin = performance.now();
  let walked = 0;
  let users = 0;
  const isOver = () => walked >= limits.pages || performance.now() - begin >= limits.mostMs;
  while (!isOver()) {
    for await (const page of await open()) {
      walked += 1;
      for (const { userCountStat } of page) users += userCountStat.all;
      work(task.busyMs);
      if (isOver()) break;
    }
  }
  if (!(users > 0)) throw new Error("The nodes hold nothing.");
  return walked;
}

/** Blocks the thread, like a consumer that computes. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
