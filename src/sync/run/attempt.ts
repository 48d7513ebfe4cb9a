import { raceAbort } from "../../core/abort.js";
import { BatchOutcomeUnknownError, BatchStateError } from "../../core/errors/index.js";
import type { SyncBatch } from "../batch/sync-batch.js";
import type { SnapshotCollection } from "../collections.js";
import type { RunGuard } from "../guard/run-guard.js";
import type { RunJournal } from "../ledger/run-journal.js";
import type { SyncConfiguration } from "../options.js";
import { guardProgress } from "../progress.js";
import type { CompletionCounts } from "../transport.js";
import { NO_COUNTS } from "../transport.js";
import type { RunAttempt, RunFunction, RunOptions } from "./options.js";
import { DeclaredBatch } from "./run-batch.js";
import { checkReturned } from "./run-function.js";

/** What a batch is written with. */
export interface WriteParts<Snapshots extends SnapshotCollection> {
  readonly options: Pick<RunOptions<Snapshots>, "snapshots">;
  readonly fn: RunFunction<Snapshots>;
  /** Fires when the run is ended from outside. */
  readonly signal: AbortSignal;
}

/** What an attempt needs. */
export interface AttemptParts<Snapshots extends SnapshotCollection> extends WriteParts<Snapshots> {
  readonly options: RunOptions<Snapshots>;
  readonly configuration: SyncConfiguration;
  readonly guard: RunGuard;
  readonly journal: RunJournal;
}

/**
 * How an attempt ended. `failure`: what failed in the batch, where something did; `unclear`: what its completion failed
 * with, where nobody knows whether it was done; `released`: whether the batch is known to have ended; `returned`:
 * settles when the function has returned, which it need not have where the batch ended meanwhile.
 */
export type AttemptEnd =
  | { readonly completed: true; readonly counts: CompletionCounts }
  | {
      readonly completed: false;
      readonly error: unknown;
      readonly failure: unknown;
      readonly unclear: BatchOutcomeUnknownError | undefined;
      readonly released: boolean;
      readonly returned: Promise<void>;
    };

/**
 * One attempt of a run: calls the function to write the batch, and completes or aborts it. Never rejects.
 *
 * That the service has the batch as completed is no success by itself: somebody else may have completed it, by its id,
 * and then with less than all records. It is one where this attempt sent CompleteSyncBatch, and its answer was lost.
 */
export async function attemptRun<Snapshots extends SnapshotCollection>(
  batch: SyncBatch,
  number: number,
  parts: AttemptParts<Snapshots>,
): Promise<AttemptEnd> {
  const { signal, guard, journal } = parts;
  let returned = Promise.resolve();
  const fn: RunFunction<Snapshots> = async (...given) => {
    const result = Promise.resolve(parts.fn(...given));
    returned = result.then(
      () => {},
      () => {},
    );
    return result;
  };
  const abort = () => {
    // Whatever is under way ends now; the abort below waits for the server.
    batch.abort().catch(() => {});
  };
  signal.addEventListener("abort", abort, { once: true });
  let counts: CompletionCounts;
  let unclear: BatchOutcomeUnknownError | undefined;
  try {
    signal.throwIfAborted();
    await raceAbort(journal.opened(batch.id), batch.signal);
    await guard.begin(batch);
    await writeBatch(batch, { number, preview: false }, { ...parts, fn });
    const completion = await completeBatch(batch);
    if (completion instanceof BatchOutcomeUnknownError) {
      unclear = completion;
      throw completion;
    }
    counts = completion;
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown;
    const outcome = await giveUp(batch, parts);
    if (outcome !== "completed" || unclear === undefined) {
      if (outcome === "completed") tellForeignCompletion(batch, parts);
      await guard.givenUp(outcome);
      const released = outcome === "aborted";
      const { failure } = batch;
      return {
        completed: false,
        error,
        failure,
        unclear: released ? undefined : unclear,
        released,
        returned,
      };
    }
    // The service says that the completion whose answer was lost was done.
    counts = NO_COUNTS;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  await guard.completed(counts);
  return { completed: true, counts };
}

/**
 * Has the function write the batch, and holds it to the declaration. What ends the batch meanwhile is what it rejects
 * with: the function may wait for something else, and what it had not written by then says nothing.
 */
export async function writeBatch<Snapshots extends SnapshotCollection>(
  batch: SyncBatch,
  attempt: Pick<RunAttempt, "number" | "preview">,
  { options, fn, signal }: WriteParts<Snapshots>,
): Promise<void> {
  const declared = new DeclaredBatch(batch, options.snapshots);
  const written = Promise.resolve(fn(declared, { ...attempt, signal: batch.signal }));
  const result = await raceAbort(written, signal, batch.signal);
  batch.signal.throwIfAborted();
  checkReturned(result);
  declared.requireComplete();
}

/**
 * Completes a batch that was written.
 * @returns the error where CompleteSyncBatch was sent, and whether the service did it is not known
 * @throws what kept it from being completed
 */
export async function completeBatch(batch: SyncBatch): Promise<CompletionCounts | BatchOutcomeUnknownError> {
  try {
    return await batch.complete();
  } catch (error) {
    if (error instanceof BatchOutcomeUnknownError) return error;
    // A write that the function did not await is what really went wrong.
    throw error instanceof BatchStateError && batch.failure !== undefined ? batch.failure : error;
  }
}

/** What the snapshots lacked by then is marked as removed, whatever the run fails with. */
function tellForeignCompletion(
  { id }: SyncBatch,
  { configuration }: { readonly configuration: SyncConfiguration },
): void {
  configuration.logger.warn(
    "saas-management: the service says that the batch was completed, which this run did not do; whatever its snapshots lacked by then is marked as removed until they are sent in full",
    { batchId: id },
  );
}

/** Releases the lock. That it cannot be released is told, and never takes the place of what went wrong. */
async function giveUp<Snapshots extends SnapshotCollection>(
  batch: SyncBatch,
  { options, configuration: { logger } }: AttemptParts<Snapshots>,
): Promise<"aborted" | "completed" | "unknown"> {
  const lockedUntil = batch.lease.expiresAt;
  try {
    await batch.abort();
    return "aborted";
  } catch (error) {
    if (error instanceof BatchStateError) return error.reason === "completed" ? "completed" : "aborted";
    guardProgress(options.onProgress, logger)?.({ type: "abort-failed", lockedUntil });
    logger.error("saas-management: the batch could not be aborted; its lock ends with the lease", {
      batchId: batch.id,
      lockedUntil,
      error,
    });
    return "unknown";
  } finally {
    batch.close();
  }
}
