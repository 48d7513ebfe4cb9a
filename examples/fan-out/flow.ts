import { join } from "node:path";
import { type ConnectionOptions, FlowProducer } from "bullmq";

export const EXTRACT = "extract";
export const COMMIT = "commit";

export interface Partition {
  readonly name: string;
  /** Where the vendor serves this part of its accounts. */
  readonly source: string;
}

/** What the worker of one partition gets; the flow names the folder of its files. */
export type Extraction = Partition & { readonly flow: string };

/** Its result: a file that exists as a whole or not at all. */
export interface Extracted {
  readonly name: string;
  readonly file: string;
  readonly count: number;
}

export interface Commit {
  readonly installationId: string;
  readonly flow: string;
  /** All partitions; if one is missing, the run refuses to send. */
  readonly partitions: readonly string[];
  readonly isFirstRun: boolean;
}

/** Where the workers of a flow leave their files, on storage that all of them share. */
export const folderOf = (flow: string) => join(process.env["FAN_OUT_FOLDER"] ?? "partitions", flow);

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
  // Adds no second flow on the same day.
  const flow = `${installationId}-${new Date().toISOString().slice(0, 10)}`;
  const commit: Commit = { installationId, flow, partitions: partitions.map(({ name }) => name), isFirstRun };
  await producer.add({
    name: COMMIT,
    queueName: COMMIT,
    data: commit,
    opts: { jobId: flow, ...RETRIES },
    children: partitions.map((partition) => ({
      name: partition.name,
      queueName: EXTRACT,
      data: { ...partition, flow } satisfies Extraction,
      opts: { jobId: `${flow}-${partition.name}`, ignoreDependencyOnFailure: true, ...RETRIES },
    })),
  });
  await producer.close();
}
