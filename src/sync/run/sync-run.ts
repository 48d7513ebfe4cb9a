import { linkAbort, raceAbort } from "../../core/abort.js";
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  type HeldReport,
  RateLimitError,
  RunHeldError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../../core/errors/index.js";
import type { BatchWatch } from "../batch/session.js";
import type { BatchOptions } from "../batch/start.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import type { SnapshotCollection } from "../collections.js";
import { requireFirstRun } from "../guard/first-run.js";
import { RunGuard } from "../guard/run-guard.js";
import { Journal } from "../ledger/journal.js";
import { requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { SyncProgress } from "../progress.js";
import type { CompletionCounts } from "../transport.js";
import { hasUnknownEvents } from "../write/window-sender.js";
import { AcceptedEvents } from "./accepted-events.js";
import { attemptRun, type FailedAttempt } from "./attempt.js";
import type { Connector } from "./connector.js";
import { RunNotes } from "./history.js";
import { DEFAULT_RESTARTS, type ResolvedRunOptions } from "./options.js";
import { type RunReceipt, receiptOf } from "./receipt.js";
import { untilRunEnds } from "./run-end.js";
import { LeftEmpty, type RunSteps } from "./run-steps.js";
import { type AbortBatch, endBatch, UnreleasedBatches } from "./unreleased-batches.js";
import { Watermarks } from "./watermarks.js";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface RunParts {
  readonly configuration: SyncConfiguration;
  readonly start: (options: BatchOptions, watch: BatchWatch) => Promise<BatchHandle>;
  readonly abort: AbortBatch;
  readonly begunAt: number;
  readonly closed: AbortSignal;
}

/** Options of a run; a staged one has an id and a key. */
type SyncRunOptions = ResolvedRunOptions & { readonly runId?: string; readonly runKey?: string };

export class SyncRun<Snapshots extends SnapshotCollection> {
  readonly #connector: Connector<Snapshots>;
  readonly #options: SyncRunOptions;
  readonly #parts: RunParts;
  readonly #guard: RunGuard;
  readonly #watermarks: Watermarks;
  readonly #journal: Journal;
  readonly #notes: RunNotes;
  readonly #unreleased: UnreleasedBatches;
  readonly #restarts: number;
  readonly #acceptedEvents: AcceptedEvents;
  readonly #steps: RunSteps | undefined;
  #restarted = 0;
  #waitedForLockMs = 0;
  /** The error of an attempt whose batch may have been completed. */
  #unclear: BatchOutcomeUnknownError | undefined;

  constructor(connector: Connector<Snapshots>, options: SyncRunOptions, parts: RunParts, steps?: RunSteps) {
    const { clock, logger, endpoint } = parts.configuration;
    this.#guard = new RunGuard({ ...options, snapshots: connector.snapshots }, parts.configuration);
    this.#steps = steps;
    const { installationId } = options;
    const ledger = requireLedger(options.ledger);
    this.#watermarks = new Watermarks({ ledger, installationId, preview: false }, parts.configuration);
    this.#journal = new Journal({
      ledger,
      endpoint: endpoint.origin,
      installationId,
      clock,
      logger,
    });
    this.#notes = new RunNotes(ledger, installationId, parts.configuration);
    this.#unreleased = new UnreleasedBatches(parts.abort);
    this.#restarts = options.restarts ?? DEFAULT_RESTARTS;
    this.#acceptedEvents = new AcceptedEvents(this.#restarts);
    this.#connector = connector;
    this.#options = options;
    this.#parts = parts;
  }

  execute(): Promise<RunReceipt> {
    const { configuration, begunAt } = this.#parts;
    return untilRunEnds(this.#options, { clock: configuration.clock, begunAt }, async (signal) => {
      try {
        await this.#requireFirstRun(signal);
        return await this.#untilCompleted(signal);
      } catch (error) {
        if (error instanceof RunHeldError) {
          await this.#notes.held(error.report);
          await this.#tell(error.report, signal);
        }
        throw this.#withUnclear(error);
      }
    });
  }

  async #requireFirstRun(signal: AbortSignal): Promise<void> {
    const { firstRun, ledger, installationId, runId } = this.#options;
    const { configuration, closed } = this.#parts;
    if (firstRun !== true) return;
    const installation = { endpoint: configuration.endpoint.origin, installationId };
    await raceAbort(requireFirstRun(ledger, installation, configuration.clock, runId), signal, closed);
  }

  async #tell(report: HeldReport, signal: AbortSignal): Promise<void> {
    const { configuration, closed } = this.#parts;
    try {
      await raceAbort(Promise.resolve(this.#options.onHeld?.(report)), signal, closed);
    } catch (error) {
      configuration.logger.warn("saas-management: onHeld failed", { error });
    }
  }

  async #untilCompleted(signal: AbortSignal): Promise<RunReceipt> {
    const { configuration, closed } = this.#parts;
    const since = configuration.clock.monotonic();
    for (let number = 1; ; number += 1) {
      const known = await this.#beforeStart(signal);
      if (known !== undefined) return known;
      const release = () => this.#unreleased.release(signal);
      await raceAbort(this.#recover(signal).then(release), signal, closed);
      const batch = await this.#start(number, signal);
      const parts = {
        connector: this.#connector,
        options: this.#options,
        configuration,
        guard: this.#guard,
        watermarks: this.#watermarks,
        journal: this.#journal,
        steps: this.#steps,
        signal,
      };
      const end = await batch.within(() => attemptRun(batch, number, parts));
      const receipt = end.completed ? this.#receipt(batch, end.counts, since) : undefined;
      if (receipt !== undefined && end.completed && end.isNoted) await this.#steps?.completed(receipt);
      await this.#journal.ended(batch.id, end.completed || end.released);
      if (receipt !== undefined) {
        await this.#notes.completed(receipt);
        return receipt;
      }
      if (!end.completed) {
        const known = await this.#afterFailure(batch, end, number, signal);
        if (known !== undefined) return known;
      }
    }
  }

  /** Rejects with the reason of a signal when that fires, as the steps do. */
  async #beforeStart(signal: AbortSignal): Promise<RunReceipt | undefined> {
    if (this.#steps === undefined) return undefined;
    const { controller, unlink } = linkAbort(signal, this.#parts.closed);
    try {
      const { signal: ended } = controller;
      return await raceAbort(this.#steps.beforeStart(this.#guard, ended), ended);
    } finally {
      unlink();
    }
  }

  #receipt(batch: BatchHandle, reported: CompletionCounts, since: number): RunReceipt {
    const { ledger, runKey } = this.#options;
    return receiptOf({
      batchId: batch.id,
      runKey,
      restarts: this.#restarted,
      durationMs: this.#parts.configuration.clock.monotonic() - since,
      waitedForLockMs: this.#waitedForLockMs,
      ledger: ledger === "none" ? undefined : ledger.location,
      stats: batch.stats,
      expected: this.#guard.figures,
      approved: this.#guard.approvedRules,
      reported,
      guard: this.#guard.isOn ? "on" : "off",
      surprises: this.#guard.surprises,
    });
  }

  /** Prepares the next attempt. @returns the receipt if none is needed. @throws the error, if none may follow */
  async #afterFailure(
    batch: BatchHandle,
    { error, failure, unclear, released, returned }: FailedAttempt,
    number: number,
    signal: AbortSignal,
  ): Promise<RunReceipt | undefined> {
    const { configuration } = this.#parts;
    if (!released) this.#unreleased.add(batch.id, error);
    if (error instanceof LeftEmpty) return error.result === "again" ? undefined : error.result;
    this.#unclear = unclear ?? this.#unclear;
    const isFinal =
      error instanceof RunHeldError || !isTransient(failure) || hasUnknownEvents(batch.writes, configuration);
    if (signal.aborted || this.#restarted >= this.#restarts || isFinal) throw error;
    this.#restarted += 1;
    await this.#returned(returned, signal);
    configuration.logger.warn("saas-management: the batch failed and is started again", {
      batchId: batch.id,
      attempt: number,
      code: failure instanceof SaasManagementError ? failure.code : undefined,
    });
    this.#acceptedEvents.nextAttempt();
    return undefined;
  }

  /** Waits for the function of a failed attempt, which may hold what the next attempt needs. Keeps the process alive. */
  async #returned(returned: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { configuration, closed } = this.#parts;
    const stopTimer = configuration.clock.after(LONGEST_TIMER_MS, () => {}, { keepAlive: true });
    await raceAbort(returned, signal, closed).finally(stopTimer);
  }

  #recover(signal: AbortSignal): Promise<void> {
    return this.#journal.recover((batchId) => endBatch(this.#parts.abort, batchId, signal));
  }

  /**
   * No error of the run may hide that one of its batches may have been completed. The caller's own reasons and exceptions
   * stay unchanged; then a warning tells it.
   */
  #withUnclear(error: unknown): unknown {
    const unclear = this.#unclear;
    if (unclear === undefined || error === unclear) return error;
    const { batchId, requestId } = unclear;
    const { signal } = this.#options;
    const isCallers = signal?.aborted === true && error === signal.reason;
    if (isCallers || !(error instanceof SaasManagementError) || error instanceof RunHeldError) {
      this.#parts.configuration.logger.warn(
        "saas-management: CompleteSyncBatch was sent for a batch of this run, and its outcome is unknown",
        { batchId, requestId },
      );
      return error;
    }
    return new BatchOutcomeUnknownError(
      `CompleteSyncBatch was sent for a batch of this run, and its outcome is unknown: send every snapshot in full in another run. This run ended with: ${error.message}`,
      { batchId, requestId, cause: error },
    );
  }

  async #start(attempt: number, signal: AbortSignal): Promise<BatchHandle> {
    const { installationId, waitForLockMs, maxIdleMs, onProgress } = this.#options;
    const { clock } = this.#parts.configuration;
    const since = clock.monotonic();
    let waited = false;
    const notice = (progress: SyncProgress) => {
      if (progress.type === "waiting-for-lock") {
        waited = true;
        // The lock's owner may have died after the run began.
        void this.#recover(signal).then(() => this.#journal.warnOfStart());
        void this.#unreleased.release(signal);
      }
      onProgress?.(progress);
    };
    const starting = this.#parts.start(
      { installationId, waitForLockMs, maxIdleMs, signal, onProgress: notice },
      {
        attempt,
        runKey: this.#options.runKey,
        acceptedEvents: this.#acceptedEvents,
        observerOf: this.#guard.observerOf,
        sealed: this.#guard.sealed,
        beforeComplete: async ({ id, signal: ended }) => {
          await this.#guard.beforeComplete();
          await (this.#steps && raceAbort(this.#steps.beforeComplete(this.#guard, id), ended));
        },
        noteStart: this.#journal.noteStart,
        startEndsInMs: this.#journal.startEndsInMs,
      },
    );
    const batch = await starting.catch((error: unknown) => {
      throw this.#journal.explain(this.#unreleased.explain(error));
    });
    if (waited) this.#waitedForLockMs += clock.monotonic() - since;
    return batch;
  }
}

/** Whether a new batch may succeed. Judged by what failed in the batch, not by what the function threw. */
function isTransient(failure: unknown): boolean {
  return (
    (failure instanceof TransportError && failure.retryable) ||
    failure instanceof TimeoutError ||
    failure instanceof RateLimitError ||
    failure instanceof BatchOutcomeUnknownError ||
    (failure instanceof BatchStateError && failure.reason === "expired")
  );
}
