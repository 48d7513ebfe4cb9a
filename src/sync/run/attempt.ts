import { raceAbort } from "../../core/abort.js";
import { BatchOutcomeUnknownError, BatchStateError, InvalidInputError } from "../../core/errors/index.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import type { SnapshotCollection } from "../collections.js";
import type { RunGuard } from "../guard/run-guard.js";
import type { Journal } from "../ledger/journal.js";
import type { SyncConfiguration } from "../options.js";
import type { CompletionCounts } from "../transport.js";
import type { Connector, RunContext } from "./connector.js";
import { DeclaredBatch } from "./declared-batch.js";
import type { ResolvedRunOptions } from "./options.js";
import { LeftEmpty, type RunSteps } from "./run-steps.js";
import type { Watermarks } from "./watermarks.js";

export interface WriteParts<Snapshots extends SnapshotCollection> {
  /** Receives what the function returns, when it was called. */
  readonly called?: (result: Promise<unknown>) => void;
  readonly connector: Connector<Snapshots>;
  readonly signal: AbortSignal;
  /** Fires when the attempt is held; the function is not waited for then. */
  readonly held?: AbortSignal;
}

export interface AttemptParts<Snapshots extends SnapshotCollection> extends WriteParts<Snapshots> {
  readonly options: ResolvedRunOptions;
  readonly configuration: SyncConfiguration;
  readonly guard: RunGuard;
  readonly watermarks: Watermarks;
  readonly journal: Journal;
  readonly steps: RunSteps | undefined;
}

export interface FailedAttempt {
  readonly completed: false;
  readonly error: unknown;
  readonly failure: unknown;
  /** Why it is unknown whether the batch was completed. */
  readonly unclear: BatchOutcomeUnknownError | undefined;
  readonly released: boolean;
  /** Settles when the function has returned; the batch may end before that. */
  readonly returned: Promise<unknown>;
}

interface CompletedAttempt {
  readonly completed: true;
  readonly counts: CompletionCounts;
  /** Whether the ledger has the watermarks. */
  readonly isNoted: boolean;
}

export type AttemptEnd = CompletedAttempt | FailedAttempt;

/**
 * Runs one attempt: calls the function to write the batch, and completes or aborts it. Never rejects.
 *
 * A batch that the service calls completed is a success only if this attempt sent CompleteSyncBatch and the answer was
 * lost. Otherwise somebody else completed it, perhaps with only a part of the records.
 */
export async function attemptRun<Snapshots extends SnapshotCollection>(
  batch: BatchHandle,
  number: number,
  parts: AttemptParts<Snapshots>,
): Promise<AttemptEnd> {
  const { signal, guard, watermarks, journal } = parts;
  let returned: Promise<unknown> = Promise.resolve();
  const { connector } = parts;
  const called = (result: Promise<unknown>) => {
    returned = result.catch(() => {});
  };
  // Ends the writes at once; the abort below waits for the service.
  const abort = () => void batch.abort().catch(() => {});
  signal.addEventListener("abort", abort, { once: true });
  let counts: CompletionCounts;
  let unclear: BatchOutcomeUnknownError | undefined;
  try {
    signal.throwIfAborted();
    await raceAbort(journal.opened(batch.id), batch.signal);
    const left = await (parts.steps && raceAbort(parts.steps.underLock(guard, batch), batch.signal));
    if (left !== undefined) throw new LeftEmpty(left);
    await guard.begin(batch);
    const context = { attempt: number, preview: false, ...(await watermarks.begin(batch)) };
    await writeBatch(batch, context, { connector, signal, called, held: guard.held });
    const completion = await completeBatch(batch);
    if (completion instanceof BatchOutcomeUnknownError) {
      unclear = completion;
      throw completion;
    }
    counts = completion;
  } catch (thrown) {
    const { held } = guard;
    // The function may have thrown an error of its own because its write was refused.
    const own: unknown = held.aborted ? held.reason : thrown;
    const error: unknown = signal.aborted ? signal.reason : own;
    const abort = await giveUp(batch, parts);
    const released = abort === "aborted";
    // A service that aborts a completed batch without a word would say the same.
    const outcome = released && unclear !== undefined ? "unknown" : abort;
    if (outcome !== "completed" || unclear === undefined) {
      if (outcome === "completed")
        parts.configuration.logger.warn(
          "saas-management: the service says that the batch is completed, but this run did not complete it; records that its snapshots lacked by then are marked as removed until they are sent in full",
          { batchId: batch.id },
        );
      await guard.givenUp(outcome);
      const { failure } = batch;
      return { completed: false, error, failure, unclear, released, returned };
    }
    counts = {};
  } finally {
    signal.removeEventListener("abort", abort);
  }
  const [isNoted] = await Promise.all([watermarks.completed(), guard.completed(counts)]);
  return { completed: true, counts, isNoted };
}

/**
 * Calls the function to write the batch, and checks the declaration. If the batch ends meanwhile, rejects with the reason
 * without waiting for the function.
 */
export async function writeBatch<Snapshots extends SnapshotCollection>(
  batch: BatchHandle,
  context: Omit<RunContext, "signal">,
  { connector, signal, called, held }: WriteParts<Snapshots>,
): Promise<void> {
  const declared = new DeclaredBatch(batch, connector.snapshots);
  const written = Promise.resolve(connector.run(declared, { ...context, signal: batch.signal }));
  called?.(written);
  const result = await raceAbort(written, signal, held, batch.signal);
  batch.signal.throwIfAborted();
  checkReturned(result);
  declared.requireComplete();
}

/**
 * Completes a batch that was written.
 * @returns the error if CompleteSyncBatch was sent and its outcome is unknown
 * @throws the reason for which it was not completed
 */
export async function completeBatch(
  batch: BatchHandle,
): Promise<CompletionCounts | BatchOutcomeUnknownError> {
  try {
    // A run knows what it had to write: without snapshots, that may be nothing.
    return await batch.complete({ unverified: true });
  } catch (error) {
    if (error instanceof BatchOutcomeUnknownError) return error;
    // The function may not have awaited the write that failed.
    throw error instanceof BatchStateError && batch.failure !== undefined ? batch.failure : error;
  }
}

/**
 * Refuses return values whose work nobody waits for.
 * @throws {InvalidInputError} it is an iterator or an array of promises
 */
function checkReturned(result: unknown): void {
  if (typeof result !== "object" || result === null) return;
  if ("next" in result && (Symbol.iterator in result || Symbol.asyncIterator in result)) {
    throw new InvalidInputError(
      "The connector's run returned an iterator, which nobody reads. Use an async function, and pass the generator to batch.write.",
    );
  }
  if (Array.isArray(result) && result.some((item) => item instanceof Promise)) {
    throw new InvalidInputError(
      "The connector's run returned an array of promises, which nobody awaits. Return Promise.all of them.",
    );
  }
}

/** Releases the lock. A failure is logged and must not mask the original error. */
async function giveUp<Snapshots extends SnapshotCollection>(
  batch: BatchHandle,
  { options, configuration: { logger } }: AttemptParts<Snapshots>,
): Promise<"aborted" | "completed" | "unknown"> {
  const lockedUntil = batch.lease.expiresAt;
  try {
    await batch.abort();
    return "aborted";
  } catch (error) {
    if (error instanceof BatchStateError) return error.reason === "completed" ? "completed" : "aborted";
    options.onProgress?.({ type: "abort-failed", lockedUntil });
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
