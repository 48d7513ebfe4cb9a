/**
 * Writes fresh usage events, in a run or in a bare batch, and prints the cost.
 *
 * Arguments: an {@link EventTask} as JSON.
 */
import { type RecordOf, type RunBatch, SaasManagementClient } from "@saas-management/sdk";
import { take } from "../../harness/stopwatch.js";
import { freshNumber } from "../../support/fresh-number.js";

/** In a `run`, events are kept before they're sent; in a `bare` batch, they aren't. */
export type EventMode = "run" | "bare";

/** What to write. */
export interface EventTask {
  readonly endpoint: string;
  readonly records: number;
  readonly mode: EventMode;
}

const PAGE = 500;
const LAST_ACTIVITY = new Date("2026-01-01T00:00:00Z");

const { endpoint, records, mode }: EventTask = JSON.parse(process.argv[2] ?? "");

/** Yields events without keeping any part of them. */
async function* events(): AsyncGenerator<RecordOf<"usage">[], void, undefined> {
  for (let from = 0; from < records; from += PAGE)
    yield Array.from({ length: Math.min(PAGE, records - from) }, (_, i) => event(from + i));
}

function event(i: number): RecordOf<"usage"> {
  const number = freshNumber(i);
  return {
    id: `event-${number}`,
    sourceActorId: `account-${number.slice(-3)}`,
    externalProductName: "Task Tracker",
    sourcePlanId: `plan-${number.slice(-1)}`,
    lastActivity: LAST_ACTIVITY,
  };
}

const client = new SaasManagementClient({ syncUrl: endpoint, apiKey: "key" });
const where = { installationId: "installation" };
const { ms, cpuMs, peakRssMiB, loopDelayP99Ms } = await take(async () => {
  if (mode === "run") {
    const connector = { snapshots: [], run: (batch: RunBatch) => batch.write("usage", events()) };
    await client.sync.run(connector, { ...where, ledger: "none" });
    return;
  }
  const batch = await client.sync.startBatch(where);
  await batch.write("usage", events());
  await batch.complete();
});
await client.close();
const figures = {
  recordsPerSecond: records / (ms / 1000),
  cpuMicrosPerRecord: (cpuMs * 1000) / records,
  peakRssMiB,
  loopDelayP99Ms,
};
console.log(JSON.stringify(figures));
