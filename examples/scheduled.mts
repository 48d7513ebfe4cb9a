/**
 * A process that runs a connector every few hours, notifies someone when a person must act, and stops on SIGTERM.
 *
 *   npx tsx --env-file=.env node_modules/@saas-management/sdk/examples/scheduled.mts --first-run
 *
 * While it waits, SIGTERM or Ctrl-C ends the process at once; during a run, its batch is aborted first. If a scheduler
 * starts a process for each run, you need none of this: `saas-management run` is enough.
 */
import { setTimeout } from "node:timers/promises";
import { disposition, RunHeldError, SaasManagementClient } from "@saas-management/sdk";
import { connector } from "./push-csv.mts";

const EVERY_MS = Number(process.env["EVERY_MS"] ?? 6 * 3_600_000);
const RETRY_MS = 60_000;
const TRIES = 5;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(signal));

await using client = SaasManagementClient.fromEnv();
let firstRun = process.argv.includes("--first-run");
let failures = 0;
while (!stop.signal.aborted) {
  const pause = await once();
  await setTimeout(pause, undefined, { signal: stop.signal }).catch(() => {});
}
console.log(`Stopped by ${stop.signal.reason}.`);

/** Runs the connector, and returns how long to wait before the next run. */
async function once(): Promise<number> {
  try {
    const receipt = await client.sync.run(connector, {
      firstRun,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(EVERY_MS)]),
      waitForLockMs: RETRY_MS,
    });
    console.log(`${receipt}`);
    firstRun = false;
    failures = 0;
    return EVERY_MS;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    tell(error instanceof RunHeldError ? `${error.report}` : String(error));
    const next = disposition(error);
    if (next === "retry-now" || next === "retry-after" || next === "unknown") {
      failures += 1;
      if (failures < TRIES) return RETRY_MS * failures;
    }
    failures = 0;
    return EVERY_MS;
  }
}

/** Replace this with a mail, a message or an incident. */
function tell(text: string): void {
  console.error(text);
}
