import { raceAbort } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { withCallSite } from "../../core/operation.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { BatchOptions } from "../batch/start.js";
import { type Collection, isCollection, type RecordOf, unknownCollectionError } from "../collections.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import { guardProgress } from "../progress.js";
import type { OpenOffline } from "../run/offline.js";
import { readWriteOptions, type WriteOptions, type WriteStats } from "../write/options.js";
import type { RecordSource } from "../write/source.js";
import { extractPartition } from "./extract.js";
import { openPlan } from "./open-plan.js";
import { requireKept } from "./outcome.js";
import { listNames, type Partition, quote, readPartitions, requireName } from "./partitions.js";
import { ledgerOf, requireStaging, STAGED, type StagedParts } from "./parts.js";
import type { Plan, PlanOptions } from "./plan.js";
import { discardRun } from "./runs.js";
import type { Staging } from "./staging.js";
import { readStatus } from "./status.js";

/** Options of {@link StagedRun.extract}. */
export type ExtractOptions = WriteOptions & Pick<BatchOptions, "onProgress">;

/** What a staging has of one partition. */
export interface PartitionStatus {
  /** The collection. */
  readonly collection: Collection;
  /** Name of the partition. */
  readonly partition: string;
  /**
   * `sealed`: it was extracted wholly. `extracting`: an extraction has begun and not ended; one that was killed stays so
   * until the partition is extracted again. `missing`: nobody has begun, or all extractions have failed.
   */
  readonly state: "missing" | "extracting" | "sealed";
  /** Number of records that were extracted; 0 until it is sealed. */
  readonly records: number;
  /** Number of bytes of the encoded records; 0 until it is sealed. */
  readonly bytes: number;
  /** Number of extractions that have begun. */
  readonly attempts: number;
}

/** A run whose records are extracted first, by any number of processes, and sent by one commit. */
export interface StagedRun<P extends Plan = Plan> {
  /** The key with which it was opened. */
  readonly runKey: string;
  /**
   * Reads a source into the staging. The records are checked and encoded as by a write of a batch; nothing is sent. When
   * the source has ended by itself, the partition is sealed; if anything fails, nothing of it is kept.
   * @throws {InvalidInputError} the plan does not have the partition, it is sealed already, the run was discarded or its
   *   commit has begun; the source, a record or an option is invalid, or the source does not have `expectedCount` records
   * @throws {ConfigurationError} the staging cannot be read or written
   * @throws {ClosedError} the client was closed
   * @throws the source's own exception or the signal's reason, unchanged
   */
  extract<C extends keyof P & Collection>(
    collection: C,
    partition: NonNullable<P[C]>[number],
    records: RecordSource<RecordOf<C>>,
    options?: ExtractOptions,
  ): Promise<WriteStats>;
  /**
   * Tells which partitions were extracted, in the order of the plan.
   * @throws {InvalidInputError} the run was discarded
   * @throws {ConfigurationError} the staging cannot be read
   */
  status(): Promise<readonly PartitionStatus[]>;
  /**
   * Gives the run up and deletes its records. Its key may then be opened again. Does nothing to a committed run.
   * @throws {InvalidInputError} the commit has begun
   */
  discard(): Promise<void>;
}

const EXTRACT_KEYS = {
  expectedCount: true,
  signal: true,
  onProgress: true,
} satisfies KeysOf<ExtractOptions>;

const PLAN_KEYS = {
  runKey: true,
  version: true,
  partitions: true,
  installationId: true,
  ledger: true,
} satisfies KeysOf<PlanOptions>;

/** @throws {InvalidInputError} the options are not a plain object, or one is unknown */
export function readPlanOptions<P extends Plan>(options: PlanOptions<P>): PlanOptions<P> {
  return readOptions("stage", options, PLAN_KEYS);
}

/** Opens a run for the caller of `client.sync.stage`. */
export async function stageRun(
  staging: Staging,
  options: PlanOptions & { readonly installationId: string; readonly ledger: Ledger | "none" },
  configuration: SyncConfiguration,
  engine: { readonly open: OpenOffline; readonly closed: AbortSignal },
): Promise<StagedRun> {
  const { installationId, ledger } = options;
  const shared = { staging: requireStaging(staging), ledger, configuration };
  ledgerOf(ledger);
  const wanted = {
    runKey: requireName("runKey", options.runKey),
    version: requireName("version", options.version),
    partitions: readPartitions(options.partitions),
    installationId,
  };
  const parts = await openPlan(wanted, shared);
  const { plan } = parts;
  const run: StagedRun = {
    runKey: plan.runKey,
    extract: (collection, partition, records, options = {}) =>
      withCallSite(options?.signal, async () => {
        const { onProgress, ...given } = readOptions("extract", options, EXTRACT_KEYS);
        const write = readWriteOptions("extract", given);
        const place = requirePartition(parts, collection, partition);
        const notify = guardProgress(onProgress, configuration.logger);
        engine.closed.throwIfAborted();
        write.signal?.throwIfAborted();
        return extractPartition({ run: parts, open: engine.open, onProgress: notify }, place, (batch) =>
          raceAbort(batch.write(place.collection, records, write), engine.closed),
        );
      }),
    status: () =>
      withCallSite(undefined, async () => {
        await requireKept(parts);
        const states = await readStatus(parts, plan.partitions ?? {});
        return states.map(({ collection, partition, attempts, isOpen, summary }) => {
          const unsealed = isOpen ? "extracting" : "missing";
          const { records, bytes } = summary ?? { records: 0, bytes: 0 };
          const state = summary === undefined ? unsealed : "sealed";
          return { collection, partition, state, records, bytes, attempts };
        });
      }),
    discard: () => withCallSite(undefined, () => discardRun(shared.staging, plan)),
  };
  return Object.freeze(Object.defineProperty(run, STAGED, { value: parts }));
}

function requirePartition({ plan }: StagedParts, collection: unknown, partition: unknown): Partition {
  if (!isCollection(collection)) throw unknownCollectionError(collection);
  const partitions = plan.partitions?.[collection];
  if (partitions === undefined)
    throw new InvalidInputError(
      `The plan of the run ${quote(plan.runKey)} does not have ${collection}. Its collections: ${Object.keys(plan.partitions ?? {}).join(", ")}. Open a run with another runKey whose plan has it.`,
    );
  if (typeof partition === "string" && partitions.includes(partition)) return { collection, partition };
  const got = typeof partition === "string" ? ` ${quote(partition)}` : ", which must be a string";
  throw new InvalidInputError(
    `The plan of the run ${quote(plan.runKey)} does not have the partition${got} of ${collection}. Its partitions: ${listNames(partitions)}. Open a run with another runKey whose plan has it.`,
  );
}
