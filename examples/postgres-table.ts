/**
 * Splits the table `people (id text, name text, email text)` of a PostgreSQL database over worker processes: each extracts
 * parts of it, and this process commits. PGHOST and the like name the database; the service runs in this process.
 * Arguments: number of workers (2).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { openRun, PARTS } from "./postgres-table/run.js";

const WORKER = new URL("postgres-table/worker.ts", import.meta.url);
const workers = Number(process.argv[2] ?? 2);

await using server = await startReferenceServer();
process.env["SAAS_MANAGEMENT_SYNC_URL"] = server.syncUrl;
process.env["SAAS_MANAGEMENT_API_KEY"] = server.apiKey;
process.env["SAAS_MANAGEMENT_INSTALLATION_ID"] = server.installationId;

const exits = Array.from({ length: workers }, async (_, i) => {
  const own = PARTS.filter((_part, at) => at % workers === i);
  const [code] = await once(fork(WORKER, own), "exit");
  if (code !== 0) process.exitCode = 1;
});
await Promise.all(exits);
const { client, run, close } = await openRun();
try {
  for (const { partition, state, records } of await run.status())
    console.log(`${partition}: ${state}, ${records} people`);
  console.log(`${await client.sync.commit(run, { firstRun: true })}`);
} finally {
  await close();
}
