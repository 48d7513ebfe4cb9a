/**
 * Pages through the server with one client, alone in its process, and prints what that took as JSON.
 *
 * Arguments: client, base URL, page size, ms of CPU that the consumer takes for a page, most pages, most seconds.
 */
import { CLIENTS, type ClientName, type Pages } from "./graphql-clients.js";
import type { Walked } from "./graphql-measures.js";

const [name = "", baseUrl = "", size = "", busyMs = "0", maxPages = "Infinity", maxSeconds = "Infinity"] =
  process.argv.slice(2);
if (!isClient(name)) throw new Error(`No client is called ${name}.`);
const pageThrough = CLIENTS[name];

const loading = performance.now();
await walk(await pageThrough(baseUrl, Number(size)), 1);
const firstPageMs = performance.now() - loading;
// Enough for the engine to have compiled what is hot.
await walk(await pageThrough(baseUrl, Number(size)), 30, 3_000);

const pages = await pageThrough(baseUrl, Number(size));
const cpu = process.cpuUsage();
const since = performance.now();
const { count, nodes } = await walk(pages, Number(maxPages), Number(maxSeconds) * 1_000);
const ms = performance.now() - since;
const { user, system } = process.cpuUsage(cpu);
const walked: Walked = {
  pages: count,
  nodes,
  msPerPage: ms / count,
  cpuMsPerPage: (user + system) / 1_000 / count,
  peakRssMiB: process.resourceUsage().maxRSS / 1_024,
  firstPageMs,
};
console.log(JSON.stringify(walked));
process.exit(0);

async function walk(all: Pages, most: number, mostMs = Number.POSITIVE_INFINITY) {
  const begin = performance.now();
  let count = 0;
  const ids = { nodes: 0, users: 0 };
  for await (const page of all) {
    count += 1;
    for (const { userCountStat } of page) {
      ids.nodes += 1;
      ids.users += userCountStat.all;
    }
    work(Number(busyMs));
    if (count >= most || performance.now() - begin >= mostMs) break;
  }
  if (!(ids.users > 0)) throw new Error("The nodes hold nothing.");
  return { count, nodes: ids.nodes };
}

/** Keeps the thread, as a consumer does that computes. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function isClient(text: string): text is ClientName {
  return text in CLIENTS;
}
