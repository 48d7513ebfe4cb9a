/**
 * Runs hundreds of installations with pg-boss 12 (Node 22.12 or later), on the PostgreSQL of PGHOST, PGDATABASE, …:
 *
 *     main.ts schedule installations.json   starts each by its cron line, from any number of workers
 *     main.ts now installations.json        starts each once
 *     main.ts work                          a worker; start as many as you like
 */
import { readFile } from "node:fs/promises";
import { SaasManagementClient } from "@saas-management/sdk";
import { postgresLedger } from "@saas-management/sdk/postgres";
import { Pool } from "pg";
import { connectorOf } from "./connector.js";
import { type Installation, schedule, startBoss, startNow } from "./queue.js";
import { work } from "./work.js";

/** How long runs may go on after SIGTERM before their batches are aborted: Kubernetes kills after 30 seconds. */
const FINISH_MS = 15_000;
const STOP_MS = 25_000;

const [command = "work", file = "installations.json"] = process.argv.slice(2);
const boss = await startBoss();
if (command === "work") await startWorker();
else {
  const installations: readonly Installation[] = JSON.parse(await readFile(file, "utf8"));
  const start = command === "now" ? startNow : schedule;
  for (const installation of installations) await start(boss, installation);
  await boss.stop();
}

async function startWorker(): Promise<void> {
  const runs = Number(process.env["RUNS"] ?? 4);
  const pool = new Pool({ max: runs });
  // If the database restarts, idle connections break.
  pool.on("error", (error) => console.error(JSON.stringify({ event: "pool", message: error.message })));
  const client = SaasManagementClient.fromEnv({ sync: { ledger: postgresLedger(pool) } });
  const stopping = new AbortController();
  const runsOfVendor = Number(process.env["RUNS_OF_VENDOR"] ?? 8);
  await work({ boss, client, connectorOf, runs, runsOfVendor, stopping: stopping.signal });
  process.once("SIGTERM", async () => {
    setTimeout(() => stopping.abort(new Error("The worker is stopped.")), FINISH_MS).unref();
    await boss.stop({ timeout: STOP_MS });
    await client.close();
    await pool.end();
  });
}
