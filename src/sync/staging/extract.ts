import { randomBytes } from "node:crypto";
import { raceAbort } from "../../core/abort.js";
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import { withinGrace } from "../call.js";
import { COLLECTIONS, type Collection } from "../collections.js";
import { afterVarint, varintAt } from "../encoding/byte-writer.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import type { OnProgress } from "../progress.js";
import { OFFLINE, OFFLINE_LEASE_MS, type OpenOffline, offlineConfiguration } from "../run/offline.js";
import type { SyncTransport } from "../transport.js";
import { partitionHash, runKeys } from "./keys.js";
import { discardedError, readFate, requireKept } from "./outcome.js";
import { type Partition, quote } from "./partitions.js";
import type { StagedParts } from "./parts.js";
import type { SegmentSummary } from "./segment-reader.js";
import { SegmentTaken, SegmentWriter } from "./segment-writer.js";
import { exists, putJson } from "./values.js";

/** Stands in for the id of the batch that will send the records. Reserves 64 bytes for it in each message. */
const PLACEHOLDER_ID = "-".repeat(64);

const COLLECTION_AT: ReadonlyMap<string, Collection> = new Map(
  Object.values(COLLECTIONS).map(({ path, name }) => [path.join(), name]),
);

export interface Extraction {
  readonly run: StagedParts;
  readonly open: OpenOffline;
  readonly onProgress: OnProgress | undefined;
  readonly observerOf?: ObserverOf | undefined;
}

/**
 * Extracts what `write` writes to a batch that no service gets, into a segment for each collection.
 * @returns what the segments contain, if all of them were stored; otherwise nothing that was not sealed by then is
 */
export async function extract<Result>(
  { run, open, onProgress, observerOf }: Extraction,
  partitionOf: (collection: Collection) => Partition & { readonly token: string },
  write: (batch: BatchHandle) => Promise<Result>,
): Promise<{ readonly result: Result; readonly sealed: ReadonlyMap<Collection, SegmentSummary> }> {
  const { staging, plan, configuration } = run;
  const { segments } = runKeys(plan);
  const writers = new Map<Collection, SegmentWriter>();
  const openWriter = (name: Collection): SegmentWriter => {
    const { collection, partition, token } = partitionOf(name);
    const { contract } = COLLECTIONS[collection];
    const header = { id: plan.id, collection, partition, token, contract };
    const key = `${segments}${partitionHash(collection, partition)}`;
    const writer = new SegmentWriter(staging.store, key, header, configuration.clock);
    writers.set(name, writer);
    return writer;
  };
  const transport: SyncTransport = {
    ...OFFLINE,
    startBatch: async () => ({ batchId: PLACEHOLDER_ID }),
    syncRecords: async (messages, { signal }) => {
      for (const message of messages) {
        const { collection, start } = placeOf(message);
        const writer = writers.get(collection) ?? openWriter(collection);
        if (start < message.length) await raceAbort(writer.push(message.subarray(start)), signal);
      }
      return { accepted: undefined };
    },
  };
  const engine = open(offlineConfiguration(configuration), transport);
  try {
    // The batch of an extraction has no id and is never completed: of its events, only the progress means anything.
    const notify: OnProgress = (progress) => void (progress.type === "progress" && onProgress?.(progress));
    const batch = await engine.start(
      { installationId: plan.installationId, onProgress: notify },
      { attempt: 1, observerOf, leaseMs: OFFLINE_LEASE_MS },
    );
    const result = await write(batch);
    const sealed = [...writers].map(async ([name, writer]) => [name, await writer.seal()] as const);
    return { result, sealed: new Map(await Promise.all(sealed)) };
  } catch (error) {
    const drop = async () =>
      void (await Promise.all([...writers.values()].map((writer) => writer.drop(error))));
    await withinGrace(configuration.clock, drop).catch(() => {});
    throw error;
  } finally {
    await engine.close();
  }
}

/** Finds the collection of a message, and where its records begin: behind the batch id and the tags above them. */
function placeOf(message: Uint8Array): { readonly collection: Collection; readonly start: number } {
  const idLength = afterVarint(message, 0);
  let at = afterVarint(message, idLength) + varintAt(message, idLength);
  const path: number[] = [];
  for (;;) {
    path.push(varintAt(message, at) >>> 3);
    at = afterVarint(message, afterVarint(message, at));
    const collection = COLLECTION_AT.get(path.join());
    if (collection !== undefined) return { collection, start: at };
    if (at >= message.length) throw new Error("A message has no collection.");
  }
}

/** Extracts one partition. Keys of its own say that the extraction has begun, and how it has ended. */
export async function extractPartition<Result>(
  extraction: Extraction,
  place: Partition,
  write: (batch: BatchHandle) => Promise<Result>,
): Promise<Result> {
  const { run } = extraction;
  const { store } = run.staging;
  const keys = runKeys(run.plan);
  const hash = partitionHash(place.collection, place.partition);
  await requireOpen(run);
  if (await exists(store, `${keys.segments}${hash}`)) throw sealedError(run, place, "nothing was read");
  const token = randomBytes(6).toString("hex");
  const attempt = `${keys.attempts}${hash}.${token}`;
  await putJson(store, attempt, { at: run.configuration.clock.now() });
  const ended = (summary: SegmentSummary | null) => putJson(store, `${attempt}.ended`, summary);
  try {
    const { result, sealed } = await extract(extraction, () => ({ ...place, token }), write);
    // Without it, a status reads the segment itself.
    await ended(sealed.get(place.collection) ?? null).catch(() => {});
    // Nothing of a discarded run stays in the staging.
    if (await isDiscarded(run)) {
      await store.delete(`${keys.segments}${hash}`);
      throw discardedError(run.plan);
    }
    return result;
  } catch (error) {
    await withinGrace(run.configuration.clock, async () => void (await ended(null))).catch(() => {});
    if (error instanceof SegmentTaken)
      throw sealedError(run, place, "the records of this extraction were dropped");
    // A discard has deleted what the store was writing.
    if (error instanceof ConfigurationError && (await isDiscarded(run).catch(() => false)))
      throw discardedError(run.plan);
    throw error;
  }
}

/** @throws {InvalidInputError} the run is being committed, or was committed or discarded */
async function requireOpen(run: StagedParts): Promise<void> {
  const { staging, plan } = run;
  if (!(await requireKept(run)) && !(await exists(staging.store, runKeys(plan).receipt))) return;
  throw new InvalidInputError(
    `The commit of the run ${quote(plan.runKey)} has begun, so nothing more is extracted for it. Open a run with another runKey.`,
  );
}

async function isDiscarded({ staging, plan }: StagedParts): Promise<boolean> {
  return (await readFate(staging.store, runKeys(plan)))?.fate === "discard";
}

function sealedError(
  { plan }: StagedParts,
  { collection, partition }: Partition,
  effect: string,
): InvalidInputError {
  return new InvalidInputError(
    `The partition ${quote(partition)} of ${collection} in the run ${quote(plan.runKey)} is sealed: another extraction has stored it, so ${effect}. Ask status() which partitions are missing.`,
  );
}
