import { linkAbort, raceAbort } from "../../core/abort.js";
import { Deadline } from "../../core/deadline.js";
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  RateLimitError,
  RemovalGuardError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../../core/errors/index.js";
import type { BatchWatch } from "../batch/session.js";
import type { StartBatchOptions } from "../batch/start.js";
import type { SyncBatch } from "../batch/sync-batch.js";
import type { SnapshotCollection } from "../collections.js";
import { RunGuard } from "../guard/run-guard.js";
import { RunJournal } from "../ledger/run-journal.js";
import type { SyncConfiguration } from "../options.js";
import type { SyncProgress } from "../progress.js";
import { hasUnknownEvents } from "../write/window-sender.js";
import { AcceptedEvents } from "./accepted-events.js";
import { attemptRun } from "./attempt.js";
import { LeftBatches } from "./left-batches.js";
import {
  checkRunFunction,
  checkRunOptions,
  checkSnapshots,
  DEFAULT_RESTARTS,
  type RunFunction,
  type RunOptions,
} from "./options.js";
import { abortAtSignals } from "./process-signals.js";
import { collectionReceipts, type SyncReceipt } from "./receipt.js";

/** A process that waits for a function must not end in the middle, even where nothing else keeps it alive. */
const FOREVER_MS = 2 ** 31 - 1;

/** What a run does its work with. */
export interface RunParts {
  readonly configuration: SyncConfiguration;
  readonly start: (options: StartBatchOptions, watch: BatchWatch) => Promise<SyncBatch>;
  /** Aborts a batch that another process started. */
  readonly abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  /** Monotonic time when the run was called. */
  readonly begunAt: number;
  /** Fires when the client is closed. */
  readonly closed: AbortSignal;
}

/** One call of `SyncClient.run`. */
export class SyncRun<Snapshots extends SnapshotCollection> {
  readonly #options: RunOptions<Snapshots>;
  readonly #fn: RunFunction<Snapshots>;
  readonly #parts: RunParts;
  readonly #guard: RunGuard;
  readonly #journal: RunJournal;
  readonly #left: LeftBatches;
  readonly #restarts: number;
  readonly #acceptedEvents: AcceptedEvents;
  #waitedForLockMs = 0;
  /** How an attempt failed of whose batch nobody knows whether it was completed. */
  #unclear: BatchOutcomeUnknownError | undefined;

  constructor(given: RunOptions<Snapshots>, fn: RunFunction<Snapshots>, parts: RunParts) {
    checkRunOptions(given);
    const options = { ...given, snapshots: checkSnapshots(given.snapshots) };
    checkRunFunction("run", fn);
    this.#guard = new RunGuard(options, parts.configuration);
    this.#journal = new RunJournal(options, parts.configuration, parts.abort);
    this.#left = new LeftBatches(parts.abort);
    this.#restarts = options.restarts ?? DEFAULT_RESTARTS;
    this.#acceptedEvents = new AcceptedEvents(this.#restarts);
    this.#options = options;
    this.#fn = fn;
    this.#parts = parts;
  }

  async execute(): Promise<SyncReceipt> {
    const { signal, signals, maxDurationMs } = this.#options;
    const { configuration, begunAt } = this.#parts;
    // First of all: it refuses a signal that is none.
    const { controller, unlink } = linkAbort(signal);
    const stopListening = signals === true ? abortAtSignals(controller) : undefined;
    const deadline =
      maxDurationMs === undefined
        ? undefined
        : new Deadline({
            clock: configuration.clock,
            timeoutMs: maxDurationMs,
            begunAt,
            operation: "The run",
            option: "maxDurationMs",
            cancellation: controller,
          });
    try {
      return await this.#untilCompleted(controller.signal);
    } catch (error) {
      throw this.#withUnclear(error);
    } finally {
      unlink();
      deadline?.end();
      stopListening?.();
    }
  }

  async #untilCompleted(signal: AbortSignal): Promise<SyncReceipt> {
    const { configuration, closed } = this.#parts;
    const { clock, logger } = configuration;
    const since = clock.monotonic();
    for (let number = 1; ; number += 1) {
      await raceAbort(this.#journal.recover(signal), signal, closed);
      await raceAbort(this.#left.release(signal), signal, closed);
      const batch = await this.#start(signal);
      const end = await attemptRun(batch, number, {
        options: this.#options,
        fn: this.#fn,
        configuration,
        guard: this.#guard,
        journal: this.#journal,
        signal,
      });
      await this.#journal.ended(batch.id, end.completed || end.released);
      if (end.completed) {
        return {
          batchId: batch.id,
          collections: collectionReceipts(batch.stats, end.counts, this.#guard.figures),
          restarts: number - 1,
          waitedForLockMs: this.#waitedForLockMs,
          durationMs: clock.monotonic() - since,
        };
      }
      const { error, failure, unclear, released, returned } = end;
      if (!released) this.#left.add(batch.id, error);
      this.#unclear = unclear ?? this.#unclear;
      const final = !isTransient(failure) || hasUnknownEvents(batch.writes, configuration);
      if (signal.aborted || number > this.#restarts || final) throw error;
      // Never two of them at once: the one that goes on may hold what the next one needs.
      const letGo = clock.after(FOREVER_MS, () => {}, { keepAlive: true });
      await raceAbort(returned, signal, closed).finally(letGo);
      logger.warn("saas-management: the batch failed and is started anew", {
        batchId: batch.id,
        attempt: number,
        code: failure instanceof SaasManagementError ? failure.code : undefined,
      });
      this.#acceptedEvents.nextAttempt();
    }
  }

  /**
   * Whatever a run fails with must not hide that a batch of it may have been completed. The caller's own reason stays
   * what it is, as do exceptions of the function's own: the log tells it then.
   */
  #withUnclear(error: unknown): unknown {
    const unclear = this.#unclear;
    if (unclear === undefined || error === unclear) return error;
    const { batchId, requestId } = unclear;
    const { signal } = this.#options;
    const isCallers = signal?.aborted === true && error === signal.reason;
    if (isCallers || !(error instanceof SaasManagementError) || error instanceof RemovalGuardError) {
      this.#parts.configuration.logger.warn(
        "saas-management: CompleteSyncBatch of a batch of this run was sent, and whether the service did it is not known",
        { batchId, requestId },
      );
      return error;
    }
    return new BatchOutcomeUnknownError(
      `CompleteSyncBatch of a batch of this run was sent, and whether the service did it is not known: send every snapshot in full in another run. What ended this one: ${error.message}`,
      { batchId, requestId, cause: error },
    );
  }

  async #start(signal: AbortSignal): Promise<SyncBatch> {
    const { installationId, waitForLockMs, keepAlive, onProgress } = this.#options;
    const { clock } = this.#parts.configuration;
    const since = clock.monotonic();
    let waited = false;
    const notice = (progress: SyncProgress) => {
      if (progress.type === "waiting-for-lock") {
        waited = true;
        // The owner may have died too recently to be taken for dead when the run began.
        this.#journal.recover(signal);
        this.#left.release(signal);
      }
      onProgress?.(progress);
    };
    const starting = this.#parts.start(
      { installationId, waitForLockMs, keepAlive, signal, onProgress: notice },
      {
        acceptedEvents: this.#acceptedEvents,
        observerOf: this.#guard.observerOf,
        beforeComplete: (batchId) => this.#guard.beforeComplete(batchId),
      },
    );
    const batch = await starting.catch((error: unknown) => {
      throw this.#left.explain(error);
    });
    if (waited) this.#waitedForLockMs += clock.monotonic() - since;
    return batch;
  }
}

/** Whether a new batch may do better: decided on what failed in the batch, not on what the function threw. */
function isTransient(failure: unknown): boolean {
  return (
    (failure instanceof TransportError && failure.retryable) ||
    failure instanceof TimeoutError ||
    failure instanceof RateLimitError ||
    failure instanceof BatchOutcomeUnknownError ||
    (failure instanceof BatchStateError && failure.reason === "expired")
  );
}
