import { BatchStateError } from "../errors.js";
import { untilAborted } from "../until-aborted.js";
import type { SyncBatch } from "./batch.js";
import type { SnapshotCollection } from "./collections.js";
import { NO_COUNTS } from "./completion.js";
import type { SyncConfiguration } from "./configuration.js";
import { guardProgress } from "./progress.js";
import { DeclaredBatch } from "./run-batch.js";
import type { RunAttempt, RunFunction, RunOptions } from "./run-options.js";
import type { RunGuard } from "./safety/run-guard.js";
import type { RunJournal } from "./safety/run-journal.js";
import type { CompletionCounts } from "./transport.js";

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
 * How an attempt ended. `failure`: what failed in the batch, where something did; `released`: whether the batch is
 * known to have ended; `returned`: settles when the function has returned, which it need not have where the batch ended
 * meanwhile.
 */
export type AttemptEnd =
  | { readonly completed: true; readonly counts: CompletionCounts }
  | {
      readonly completed: false;
      readonly error: unknown;
      readonly failure: unknown;
      readonly released: boolean;
      readonly returned: Promise<void>;
    };

/** One attempt of a run: calls the function to write the batch, and completes or aborts it. Never rejects. */
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
    await result;
  };
  const abort = () => {
    // Whatever is under way ends now; the abort below waits for the server.
    batch.abort().catch(() => {});
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    await untilAborted(journal.opened(batch.id), batch.signal);
    await guard.begin(batch);
    const counts = await writeAndComplete(batch, { number, preview: false }, { ...parts, fn });
    await guard.completed(counts);
    return { completed: true, counts };
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown;
    // The service may say that a completion whose answer was lost was done.
    const outcome = await giveUp(batch, parts);
    if (outcome === "completed") {
      await guard.completed(NO_COUNTS);
      return { completed: true, counts: NO_COUNTS };
    }
    await guard.givenUp(outcome);
    return { completed: false, error, failure: batch.failure, released: outcome === "aborted", returned };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Has the function write the batch, holds it to the declaration, and completes the batch. What ends the batch meanwhile
 * is what it rejects with: the function may wait for something else, and what it had not written by then says nothing.
 */
export async function writeAndComplete<Snapshots extends SnapshotCollection>(
  batch: SyncBatch,
  attempt: Pick<RunAttempt, "number" | "preview">,
  { options, fn, signal }: WriteParts<Snapshots>,
): Promise<CompletionCounts> {
  const declared = new DeclaredBatch(batch, options.snapshots);
  const written = Promise.resolve(fn(declared, { ...attempt, signal: batch.signal }));
  await untilAborted(written, signal, batch.signal);
  batch.signal.throwIfAborted();
  declared.requireComplete();
  try {
    return await batch.complete();
  } catch (error) {
    // A write that the function did not await is what really went wrong.
    throw error instanceof BatchStateError && batch.failure !== undefined ? batch.failure : error;
  }
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
    guardProgress(options.onProgress, logger)({ type: "abort-failed", lockedUntil });
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
