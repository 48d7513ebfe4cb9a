/**
 * Splits a vendor's API over worker processes: each extracts ranges of ids into a staging, and this process commits.
 * Vendor and service run in this process. Arguments: number of workers (4).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { openRun, RANGES } from "./staging/run.js";
import { startVendor } from "./staging/vendor.js";

const WORKER = new URL("staging/worker.ts", import.meta.url);
const workers = Number(process.argv[2] ?? 4);

await using vendor = await startVendor();
await using server = await startReferenceServer();
// The staging of a real connector is kept between runs.
const directory = await mkdtemp(join(tmpdir(), "staging-example-"));
process.env["ACME_STATE"] = directory;
process.env["ACME_URL"] = vendor.url;
process.env["SAAS_MANAGEMENT_SYNC_URL"] = server.syncUrl;
process.env["SAAS_MANAGEMENT_API_KEY"] = server.apiKey;
process.env["SAAS_MANAGEMENT_INSTALLATION_ID"] = server.installationId;

try {
  const begunAt = performance.now();
  const exits = Array.from({ length: workers }, async (_, i) => {
    const own = RANGES.filter((_range, at) => at % workers === i);
    const [code] = await once(fork(WORKER, own), "exit");
    if (code !== 0) process.exitCode = 1;
  });
  await Promise.all(exits);
  const { client, run } = await openRun();
  for (const { partition, state, records } of await run.status())
    console.log(`${partition}: ${state}, ${records} accounts`);
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  console.log(`Extracted by ${workers} processes in ${seconds} s: ${vendor.calls()} calls of the vendor.`);
  console.log(`${await client.sync.commit(run, { firstRun: true })}`);
  console.log(`${vendor.calls()} calls after the commit.`);
  await client.close();
} finally {
  await rm(directory, { recursive: true, force: true });
}
