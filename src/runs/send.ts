/** Steps 4 to 8 of a run: one batch. */
import { linkAbort, onAbort, raceAbort } from "../core/abort.js";
import { BatchInProgressError, BatchOutcomeUnknownError, BatchStateError } from "../core/errors/index.js";
import type { BatchHandle } from "../sync/batch/handle.js";
import type { BatchOptions, BatchWatch } from "../sync/batch/start.js";
import { hasEnded, lockedError, withinGrace } from "../sync/call.js";
import type { Collection } from "../sync/collections.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { SyncProgress } from "../sync/progress.js";
import type { CompletionCounts } from "../sync/transport.js";
import type { Extraction } from "./extract.js";
import { type CompletedDrafts, Drafts } from "./guard/drafts.js";
import type { Guard } from "./guard/guard.js";
import { Journal } from "./ledger/journal.js";
import { type LedgerSnapshot, NOTHING_SEEN, readLedger } from "./ledger/state.js";
import { ledgerError } from "./ledger/value.js";
import type { NewEvents } from "./new-events.js";
import type { ResolvedRunOptions } from "./options.js";
import type { Spool } from "./spool.js";
import { sendSpool } from "./spool-sender.js";

/** How long a run waits for the abort of an orphan, in milliseconds. */
const RECOVERY_MS = 30_000;

export interface RunParts {
  readonly configuration: SyncConfiguration;
  readonly start: (options: BatchOptions, watch: BatchWatch) => Promise<BatchHandle>;
  readonly abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  readonly closed: AbortSignal;
}

/** What a connector has written. */
export interface Extracted {
  readonly spool: Spool;
  readonly guard: Guard;
  readonly newEvents: NewEvents;
  readonly extraction: Pick<Extraction<never>, "stats" | "incomplete">;
  /** @throws {RunOutdatedError} another run was completed since T0 that has to do with this one */
  readonly requireCurrent: (now: LedgerSnapshot) => void;
}

/** The run that is sent. */
interface SentRun
  extends Pick<ResolvedRunOptions, "installationId" | "ledger" | "waitForLockMs" | "onProgress"> {
  readonly id: string;
}

/** How a batch has ended. */
export type BatchEnd =
  | {
      readonly type: "completed";
      readonly batch: BatchHandle;
      readonly counts: CompletionCounts;
      /** What the ledger is to know of it. */
      readonly drafts: CompletedDrafts;
    }
  | {
      readonly type: "failed";
      readonly error: unknown;
      /** What failed in the batch, or its start: another batch may succeed if this was transient. */
      readonly failure: unknown;
      /** Undefined if none was started. */
      readonly batchId?: string;
    };

/** Sends what a run has extracted, each time in a batch of its own. */
export class BatchSender {
  readonly #run: SentRun;
  readonly #parts: RunParts;
  readonly #configuration: SyncConfiguration;
  readonly #journal: Journal;
  /** Fires when the run is ended from outside. */
  readonly #ended: AbortSignal;
  /** Batches that could not be aborted, and why they failed: each may still hold the lock. */
  readonly #unreleased = new Map<string, unknown>();
  #batches = 0;
  #waitedForLockMs = 0;
  #unclear: BatchOutcomeUnknownError | undefined;

  constructor(run: SentRun, parts: RunParts, ended: AbortSignal) {
    this.#run = run;
    this.#parts = parts;
    this.#configuration = parts.configuration;
    this.#journal = new Journal(run.ledger, parts.configuration);
    this.#ended = ended;
  }

  get waitedForLockMs(): number {
    return this.#waitedForLockMs;
  }

  /** The error of a batch that may have been completed. */
  get unclear(): BatchOutcomeUnknownError | undefined {
    return this.#unclear;
  }

  /** What the ledger has of the installation. */
  async readLedger(): Promise<LedgerSnapshot> {
    const { ledger } = this.#run;
    try {
      return ledger === undefined ? NOTHING_SEEN : await raceAbort(readLedger(ledger), this.#ended);
    } catch (error) {
      this.#ended.throwIfAborted();
      throw ledgerError("be read; nothing was sent", error);
    }
  }

  /** Sends one batch, and completes or aborts it. Never rejects. */
  async send(extracted: Extracted): Promise<BatchEnd> {
    let batch: BatchHandle;
    try {
      batch = await this.#start();
    } catch (error) {
      return { type: "failed", error, failure: error };
    }
    const { isReleased, ...end } = await batch.within(() => this.#send(batch, extracted));
    if (end.type === "failed" && !isReleased) this.#unreleased.set(batch.id, end.error);
    await this.#journal.ended(batch.id, isReleased);
    return end;
  }

  /** 4 Abort own orphans, and start a batch. It is noted before it is sent. */
  async #start(): Promise<BatchHandle> {
    const { installationId, waitForLockMs, onProgress } = this.#run;
    const journal = this.#journal;
    const ended = this.#ended;
    const { clock } = this.#configuration;
    const since = clock.monotonic();
    let waited = false;
    const notice = (progress: SyncProgress) => {
      if (progress.type === "waiting-for-lock") {
        waited = true;
        journal.warnOfStart();
      }
      onProgress?.(progress);
    };
    this.#batches += 1;
    const { noteStart, startEndsInMs } = journal;
    const starting = this.#parts.start(
      { installationId, waitForLockMs, signal: ended, onProgress: notice },
      { attempt: this.#batches, releaseOrphans: this.#releaseOrphans, noteStart, startEndsInMs },
    );
    const batch = await starting.catch((error: unknown) => {
      throw journal.explain(this.#explain(error));
    });
    if (waited) this.#waitedForLockMs += clock.monotonic() - since;
    return batch;
  }

  /** Aborts orphans, also those of this run. A service that does not answer is left to the start, which tells of it. */
  readonly #releaseOrphans = async (): Promise<void> => {
    const abort = (batchId: string, over: AbortSignal) => {
      const { controller, unlink } = linkAbort(over, this.#ended);
      return this.#end(batchId, controller.signal).finally(unlink);
    };
    await this.#journal.recover((batchId) =>
      withinGrace(this.#configuration.clock, (over) => abort(batchId, over), RECOVERY_MS),
    );
    // What fails is tried again while the run waits.
    for (const batchId of [...this.#unreleased.keys()]) {
      const ended = this.#end(batchId, this.#ended);
      await ended.then(
        () => this.#unreleased.delete(batchId),
        () => {},
      );
    }
  };

  /** Aborts a batch that may have ended already. @returns its state, as far as the service tells it */
  async #end(batchId: string, signal: AbortSignal): Promise<string> {
    try {
      await this.#parts.abort(batchId, signal);
      return "aborted";
    } catch (error) {
      if (hasEnded(error)) return error.batchState ?? "unknown";
      throw error;
    }
  }

  /** Returns an error that tells if a batch of this run may hold the lock; otherwise the same error. */
  #explain(error: unknown): unknown {
    const [first] = this.#unreleased;
    if (first === undefined || !(error instanceof BatchInProgressError)) return error;
    const [batchId, cause] = first;
    const message = `A batch of this installation is in progress. It may be batch ${batchId} of this run, which failed and could not be aborted. Its lock ends 15 minutes after its last accepted message.`;
    return lockedError(error, message, { mayBeOwn: true, cause });
  }

  /**
   * Never rejects. A batch that the service calls completed is a success only if this run sent CompleteSyncBatch and the
   * answer was lost. Otherwise somebody else completed it, perhaps with only a part of the records.
   */
  async #send(
    batch: BatchHandle,
    { spool, guard, newEvents, extraction, requireCurrent }: Extracted,
  ): Promise<BatchEnd & { readonly isReleased: boolean }> {
    // A write that comes too late shows that what was extracted is not complete.
    const { controller, unlink } = linkAbort(this.#ended, extraction.incomplete);
    const cut = controller.signal;
    // Ends the writes at once; the abort below waits for the service.
    const stopListening = onAbort(cut, () => void batch.abort().catch(() => {}));
    const events = {
      collections: newEvents.collections,
      lines: (collection: Collection) => spool.lines(collection),
    };
    const drafts = new Drafts(guard, events, this.#run.id, this.#configuration, batch.signal);
    let counts: CompletionCounts;
    let unclear: BatchOutcomeUnknownError | undefined;
    try {
      cut.throwIfAborted();
      await raceAbort(this.#journal.opened(batch.id), batch.signal);
      // 5 Under the lock, while the batch is empty: compare with T0 once more.
      const now = await raceAbort(this.readLedger(), batch.signal);
      requireCurrent(now);
      // 6 Draft the ids, whose sequence needs the lock, and send.
      await drafts.begin(now);
      await sendSpool(batch, spool, this.#configuration);
      // 7 Store the pending ids durably.
      await drafts.save();
      // 8 CompleteSyncBatch: asked again, never guessed.
      const completion = await complete(batch);
      if (completion instanceof BatchOutcomeUnknownError) {
        unclear = completion;
        throw completion;
      }
      counts = completion;
    } catch (thrown) {
      const abort = await this.#giveUp(batch);
      // A service that aborts a completed batch without a word would say the same.
      const outcome = abort === "aborted" && unclear !== undefined ? "unknown" : abort;
      if (outcome !== "completed" || unclear === undefined) {
        if (outcome === "completed")
          this.#configuration.logger.warn(
            "saas-management: the service says that the batch is completed, but this run did not complete it; records that its snapshots lacked by then are marked as removed until they are sent in full",
            { batchId: batch.id },
          );
        await drafts.abandon(outcome);
        this.#unclear = unclear ?? this.#unclear;
        const isReleased = abort === "aborted";
        const error: unknown = cut.aborted ? cut.reason : thrown;
        return { type: "failed", error, failure: batch.failure, batchId: batch.id, isReleased };
      }
      counts = {};
    } finally {
      stopListening();
      unlink();
    }
    return { type: "completed", batch, counts, drafts: drafts.completed, isReleased: true };
  }

  /** Releases the lock. A failure is logged and must not mask the original error. */
  async #giveUp(batch: BatchHandle): Promise<"aborted" | "completed" | "unknown"> {
    const lockedUntil = batch.lease.expiresAt;
    try {
      await batch.abort();
      return "aborted";
    } catch (error) {
      if (error instanceof BatchStateError) return error.reason === "completed" ? "completed" : "aborted";
      this.#run.onProgress?.({ type: "abort-failed", lockedUntil });
      this.#configuration.logger.error(
        "saas-management: the batch could not be aborted; its lock ends with the lease",
        { batchId: batch.id, lockedUntil, error },
      );
      return "unknown";
    } finally {
      batch.close();
    }
  }
}

/**
 * Completes a batch of which everything was accepted.
 * @returns the error if CompleteSyncBatch was sent and its outcome is unknown
 * @throws the reason for which it was not completed
 */
async function complete(batch: BatchHandle): Promise<CompletionCounts | BatchOutcomeUnknownError> {
  try {
    // A run knows what it had to write: without snapshots, that may be nothing.
    return await batch.complete({ unverified: true });
  } catch (error) {
    if (error instanceof BatchOutcomeUnknownError) return error;
    throw error instanceof BatchStateError && batch.failure !== undefined ? batch.failure : error;
  }
}
