import { rm } from "node:fs/promises";
import { defineConnector, disposition, type SaasManagementClient } from "@saas-management/sdk";
import { fromJsonl } from "@saas-management/sdk/sources";
import { type Job, UnrecoverableError } from "bullmq";
import { type Commit, type Extracted, folderOf } from "./flow.js";

/** Sends all partitions in one run. */
export async function commit(
  client: SaasManagementClient,
  job: Job<Commit>,
  signal?: AbortSignal,
): Promise<object> {
  const { installationId, flow, partitions, isFirstRun } = job.data;
  const done: readonly Extracted[] = Object.values(await job.getChildrenValues<Extracted>());
  const missing = partitions.filter((name) => !done.some((one) => one.name === name));
  if (missing.length > 0) {
    const reasons = Object.values(await job.getIgnoredChildrenFailures()).join("; ");
    throw new UnrecoverableError(`Nothing is sent: ${missing.join(", ")} could not be extracted: ${reasons}`);
  }
  const expectedCount = done.reduce((sum, { count }) => sum + count, 0);
  const connector = defineConnector({
    snapshots: ["accounts"],
    run: (batch) => batch.write("accounts", rowsOf(done), { expectedCount }),
  });
  try {
    const { isKnown } = await client.sync.history({ installationId, signal });
    const firstRun = isFirstRun && !isKnown;
    const options = { installationId, signal, firstRun, waitForLockMs: 15_000 };
    const { batchId } = await client.sync.run(connector, options);
    await rm(folderOf(flow), { recursive: true, force: true });
    return { batchId, records: expectedCount };
  } catch (error) {
    // BullMQ repeats a job up to `attempts` times, unless the error is unrecoverable.
    throw disposition(error).startsWith("retry") ? error : new UnrecoverableError(String(error));
  }
}

/** Reads the records of all files; each file must have as many as its worker counted. */
async function* rowsOf(extracted: readonly Extracted[]) {
  for (const { name, file, count } of extracted) {
    const rows = fromJsonl<{ readonly id: string }>(file, { allowEmpty: true });
    yield* rows;
    const { read } = rows.stats;
    if (read !== count) throw new Error(`${file} of ${name} has ${read} records of ${count}.`);
  }
}
