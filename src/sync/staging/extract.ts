import { randomBytes } from "node:crypto";
import { ConfigurationError, InvalidInputError } from "../../core/errors/index.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import { withinGrace } from "../call.js";
import { COLLECTIONS, type Collection } from "../collections.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import type { OnProgress } from "../progress.js";
import { OFFLINE_LEASE_MS, type OpenOffline, offlineConfiguration } from "../run/offline.js";
import { partitionHash, runKeys } from "./keys.js";
import { discardedError, readFate, requireKept } from "./outcome.js";
import { type Partition, quote } from "./partitions.js";
import type { StagedParts } from "./parts.js";
import type { SegmentSummary } from "./segment-reader.js";
import { SegmentTransport } from "./segment-transport.js";
import { SegmentTaken, SegmentWriter } from "./segment-writer.js";
import { exists, putJson } from "./values.js";

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
  const transport = new SegmentTransport((name) => {
    const { collection, partition, token } = partitionOf(name);
    const { contract } = COLLECTIONS[collection];
    const header = { id: plan.id, collection, partition, token, contract };
    const key = `${segments}${partitionHash(collection, partition)}`;
    return new SegmentWriter(staging.store, key, header, configuration.clock);
  });
  const engine = open(offlineConfiguration(configuration), transport);
  try {
    // The batch of an extraction has no id and is never completed: of its events, only the progress means anything.
    const notify: OnProgress = (progress) => void (progress.type === "progress" && onProgress?.(progress));
    const batch = await engine.start(
      { installationId: plan.installationId, onProgress: notify },
      { attempt: 1, observerOf, leaseMs: OFFLINE_LEASE_MS },
    );
    const result = await write(batch);
    return { result, sealed: await transport.seal() };
  } catch (error) {
    await withinGrace(configuration.clock, () => transport.drop(error)).catch(() => {});
    throw error;
  } finally {
    await engine.close();
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
