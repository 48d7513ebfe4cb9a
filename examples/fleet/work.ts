import {
  type Connector,
  disposition,
  type SaasManagementClient,
  SaasManagementError,
  type SnapshotCollection,
} from "@saas-management/sdk";
import type { JobResult, JobWithMetadata, PgBoss } from "pg-boss";
import { outcomeOf } from "./outcome.js";
import { type Installation, QUEUE } from "./queue.js";

/** Ends a run after this long without progress: pg-boss's heartbeat only shows that the process is alive. */
const SILENT_MS = 10 * 60_000;

export interface Fleet {
  readonly boss: PgBoss;
  readonly client: SaasManagementClient;
  readonly connectorOf: (installation: Installation) => Connector<SnapshotCollection>;
  readonly runs: number;
  /** Maximum number of a vendor's simultaneous runs, across processes. */
  readonly runsOfVendor: number;
  readonly stopping: AbortSignal;
}

export function work(fleet: Fleet): Promise<string> {
  const options = {
    localConcurrency: fleet.runs,
    groupConcurrency: fleet.runsOfVendor,
    pollingIntervalSeconds: 1,
    // Heartbeats may be late or lost on a busy machine, so a worker counts as dead only after five of them.
    heartbeatRefreshSeconds: 2,
    // `outcomeOf` settles each job separately, and the next job is fetched as soon as one is done.
    perJobResults: true,
    includeMetadata: true,
    burstWhenBatchFull: true,
  } as const;
  return fleet.boss.work<Installation, JobResult[], typeof options>(QUEUE, options, (jobs) =>
    Promise.all(jobs.map((job) => run(fleet, job))),
  );
}

async function run(
  { boss, client, connectorOf, stopping }: Fleet,
  job: JobWithMetadata<Installation>,
): Promise<JobResult> {
  const { id: installationId, isNew = false } = job.data;
  // If this worker has stalled since it fetched the job, another may have it; a heartbeat would notice too late.
  const { affected }: { readonly affected?: number } = await boss.touch(QUEUE, job);
  if (affected === 0) {
    tell("lost", installationId, {});
    return { id: job.id, status: "failed", output: { code: "JOB_LOST" } };
  }
  const silent = new AbortController();
  const signal = AbortSignal.any([job.signal, stopping, silent.signal]);
  let movedAt = Date.now();
  const watch = setInterval(() => {
    if (Date.now() - movedAt > SILENT_MS) silent.abort(new Error("The run stopped making progress."));
  }, 5000);
  tell("began", installationId, { claimedAt: job.startedOn.getTime() });
  try {
    const { isKnown } = await client.sync.history({ installationId, signal });
    const receipt = await client.sync.run(connectorOf(job.data), {
      installationId,
      signal,
      firstRun: isNew && !isKnown,
      // Enough to abort a dead process's batch, after 10 seconds of silence; for longer waits, the queue retries.
      waitForLockMs: 15_000,
      onProgress: (progress) => {
        movedAt = Date.now();
        if (progress.type === "started") tell("locked", installationId, { batchId: progress.batchId });
      },
    });
    const { batchId, waitedForLockMs, restarts, surprises } = receipt;
    tell("completed", installationId, { batchId, waitedForLockMs, restarts, surprises });
    return { id: job.id, status: "completed", output: { batchId, surprises } };
  } catch (error) {
    // Reported before the job is returned, because another worker may then begin immediately.
    const code = error instanceof SaasManagementError ? error.code : "OTHER";
    tell("failed", installationId, { code, next: disposition(error), message: String(error) });
    return outcomeOf(boss, job, error, stopping.aborted);
  } finally {
    clearInterval(watch);
  }
}

function tell(event: string, installationId: string, figures: object): void {
  console.log(JSON.stringify({ at: Date.now(), event, installationId, ...figures }));
}
