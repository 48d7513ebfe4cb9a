/**
 * How fast and in how much memory the reference server takes a large snapshot, and what a slow link leaves of it.
 *
 *     npx tsx --tsconfig tsconfig.dev.json bench/reference-server-sync.ts [records]
 *
 * The client is a plain gRPC client in a process of its own, so that the memory measured here is the server's.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startReferenceServer } from "@saas-management/sdk/testing";
import type { Pushed, PushTask } from "./support/push-accounts.js";
import { startSlowLink } from "./support/slow-link.js";

const ROUND_TRIP_MS = 50;

const server = await startReferenceServer();
const records = Number(process.argv[2] ?? 1_000_000);
const many = await push({ syncUrl: server.syncUrl, records, recordsPerMessage: 10_000, nameLength: 24 });
const peakMiB = process.resourceUsage().maxRSS / 1024;
console.log(`loopback: ${many.records} accounts in ${many.seconds.toFixed(1)} s, ${perSecond(many)}`);
console.log(`server: ${peakMiB.toFixed(0)} MiB of memory at the most`);

// Large records, so that the link is the bottleneck and not the work on the records.
const large = { records: 25_000, recordsPerMessage: 250, nameLength: 4_000 };
console.log(`large records, loopback: ${perSecond(await push({ syncUrl: server.syncUrl, ...large }))}`);
const link = await startSlowLink(new URL(server.syncUrl), { roundTripMs: ROUND_TRIP_MS });
console.log(
  `large records, ${ROUND_TRIP_MS} ms away: ${perSecond(await push({ syncUrl: link.url, ...large }))}`,
);

await link.close();
await server.close();

/** Pushes into an installation of its own. */
function push(task: Omit<PushTask, "apiKey" | "installationId">): Promise<Pushed> {
  const client = fork(fileURLToPath(new URL("support/push-accounts.ts", import.meta.url)));
  const started = new Promise<Pushed>((resolve, reject) => {
    client.once("message", (pushed: Pushed) => resolve(pushed));
    client.once("exit", (code) => reject(new Error(`The client ended with code ${code}.`)));
  });
  client.send({ ...task, apiKey: server.apiKey, installationId: server.createInstallation() });
  return started;
}

function perSecond({ records: count, bytes, seconds }: Pushed): string {
  const rate = Math.round(count / seconds).toLocaleString("en");
  return `${rate} records/s, ${((bytes * 8) / seconds / 1e6).toFixed(0)} Mbit/s`;
}
