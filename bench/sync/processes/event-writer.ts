/**
 * Writes fresh usage events, in a run or in a bare batch, and prints what the write took.
 *
 * Arguments: an {@link EventTask} as JSON.
 */
import { type RecordOf, SaasManagementClient } from "@saas-management/sdk";
import { type Taken, take } from "../../harness/stopwatch.js";
import { freshNumber } from "../../support/fresh-number.js";

/** Whether the events are remembered for a restart. */
export type EventMode = "remembered" | "forgotten" | "bare";

/** What to write. */
export interface EventTask {
  readonly endpoint: string;
  readonly records: number;
  readonly mode: EventMode;
}

const PAGE = 500;
const LAST_ACTIVITY = new Date("2026-01-01T00:00:00Z");

const { endpoint, records, mode }: EventTask = JSON.parse(process.argv[2] ?? "");

/** Nothing of an event is kept. */
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
let taken: Taken | undefined;
const write = async (batch: {
  write(collection: "usage", source: AsyncIterable<RecordOf<"usage">[]>): Promise<unknown>;
}) => {
  taken = await take(async () => void (await batch.write("usage", events())));
};
if (mode === "bare") {
  const batch = await client.sync.startBatch({ installationId: "installation" });
  await write(batch);
  await batch.complete();
} else {
  const restarts = mode === "remembered" ? 2 : 0;
  await client.sync.run(
    { snapshots: [], run: write },
    { installationId: "installation", ledger: "none", restarts },
  );
}
await client.close();
if (taken === undefined) throw new Error("Nothing was written.");
const { ms, cpuMs, peakRssMiB, loopDelayP99Ms } = taken;
const figures = {
  recordsPerSecond: records / (ms / 1000),
  cpuMicrosPerRecord: (cpuMs * 1000) / records,
  peakRssMiB,
  loopDelayP99Ms,
};
console.log(JSON.stringify(figures));
