/**
 * Spreads one large installation over many workers, with BullMQ on Redis. Workers share the folder FAN_OUT_FOLDER:
 *
 *     main.ts start INSTALLATION partitions.json [--first-run]
 *     main.ts work        extracts partitions, and sends them when all are there
 */
import { readFile } from "node:fs/promises";
import { SaasManagementClient } from "@saas-management/sdk";
import { Worker } from "bullmq";
import { commit } from "./commit.js";
import { extract } from "./extract.js";
import { COMMIT, connection, EXTRACT, startFlow } from "./flow.js";

const [command = "work", installationId = "", file = "partitions.json", firstRun] = process.argv.slice(2);
if (command === "start") {
  await startFlow(installationId, JSON.parse(await readFile(file, "utf8")), firstRun === "--first-run");
} else startWorkers();

function startWorkers(): void {
  const client = SaasManagementClient.fromEnv();
  // After 10 seconds, another worker takes over the job of a dead one, up to 10 times.
  const options = { connection, lockDuration: 10_000, stalledInterval: 5000, maxStalledCount: 10 };
  // Only a processor with three parameters gets a signal.
  const workers = [
    new Worker(EXTRACT, (job, token, signal) => extract(job, token, signal), options),
    new Worker(COMMIT, (job, _token, signal) => commit(client, job, signal), options),
  ];
  for (const worker of workers) {
    worker.on("completed", ({ name }, result) => tell("completed", name, result));
    worker.on("failed", (job, { message }) => tell("failed", job?.name ?? "", { message }));
    // If a worker couldn't renew its lock, another one already has the job.
    worker.on("lockRenewalFailed", (ids) => ids.forEach((id) => void worker.cancelJob(id)));
    worker.on("error", ({ message }) => tell("error", worker.name, { message }));
  }
  process.once("SIGTERM", async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await client.close();
  });
}

function tell(event: string, name: string, figures: object): void {
  console.log(JSON.stringify({ at: Date.now(), event, name, ...figures }));
}
