import { type ConnectionOptions, FlowProducer } from "bullmq";

export const EXTRACT = "extract";
export const COMMIT = "commit";

/** What a worker of one partition gets. */
export interface Partition {
  readonly name: string;
  /** Where the vendor serves this part of its accounts. */
  readonly source: string;
}

/** What it leaves: a file that is there as a whole or not at all. */
export interface Extracted {
  readonly name: string;
  readonly file: string;
  readonly count: number;
}

export interface Commit {
  readonly installationId: string;
  /** All of them: the run refuses if one is missing. */
  readonly partitions: readonly string[];
  readonly isFirstRun: boolean;
}

/** REDIS_URL may also be the path of a socket. */
const url = process.env["REDIS_URL"] ?? "redis://127.0.0.1";
export const connection: ConnectionOptions = { url, maxRetriesPerRequest: null };

const RETRIES = {
  attempts: 5,
  backoff: { type: "exponential", delay: 1000 },
  removeOnComplete: { age: 24 * 60 * 60 },
  removeOnFail: { age: 24 * 60 * 60 },
} as const;

/** Starts one run of a large installation: a job for each partition, and one that sends when all of them are done. */
export async function startFlow(
  installationId: string,
  partitions: readonly Partition[],
  isFirstRun: boolean,
): Promise<void> {
  const producer = new FlowProducer({ connection });
  // A second flow of the day is not added.
  const jobId = `${installationId}-${new Date().toISOString().slice(0, 10)}`;
  const commit: Commit = { installationId, partitions: partitions.map(({ name }) => name), isFirstRun };
  await producer.add({
    name: COMMIT,
    queueName: COMMIT,
    data: commit,
    opts: { jobId, ...RETRIES },
    children: partitions.map((partition) => ({
      name: partition.name,
      queueName: EXTRACT,
      data: partition,
      // The run is told, and says which one is missing.
      opts: { jobId: `${jobId}-${partition.name}`, ignoreDependencyOnFailure: true, ...RETRIES },
    })),
  });
  await producer.close();
}
