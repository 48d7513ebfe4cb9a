import { join } from "node:path";
import { type ConnectionOptions, FlowProducer } from "bullmq";

export const EXTRACT = "extract";
export const COMMIT = "commit";

export interface Partition {
  readonly name: string;
  /** Where the vendor serves this part of its accounts. */
  readonly source: string;
}

/** A partition, and the name of its flow; the folder for the files has the same name. */
export type Extraction = Partition & { readonly flow: string };

/** The result of an extraction: a complete file. */
export interface Extracted {
  readonly name: string;
  readonly file: string;
  readonly count: number;
}

export interface Commit {
  readonly installationId: string;
  readonly flow: string;
  /** Names of all partitions; if one is missing, the run sends nothing. */
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

/** Starts one run of a large installation: a job for each partition, and a last one that sends all of them. */
export async function startFlow(
  installationId: string,
  partitions: readonly Partition[],
  isFirstRun: boolean,
): Promise<void> {
  const producer = new FlowProducer({ connection });
  // The same id for a whole day, so that no second flow starts.
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
