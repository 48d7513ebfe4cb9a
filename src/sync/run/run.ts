/**
 * A run: it extracts everything, is judged, and only then sends. The numbers are those of docs/reference/run-and-guard.md.
 */
import { linkAbort, onAbort, raceAbort } from "../../core/abort.js";
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  ConfigurationError,
  type HeldReport,
  RateLimitError,
  RunHeldError,
  RunOutdatedError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../../core/errors/index.js";
import type { BatchWatch } from "../batch/session.js";
import type { BatchOptions } from "../batch/start.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import { withinGrace } from "../call.js";
import type { SnapshotCollection } from "../collections.js";
import { requireFirstRun } from "../guard/first-run.js";
import { RunGuard } from "../guard/run-guard.js";
import { stateOf } from "../ledger/installation.js";
import { Journal } from "../ledger/journal.js";
import { newRunId } from "../ledger/keys.js";
import { type LedgerParts, requireLedger } from "../ledger/ledger.js";
import type { SyncConfiguration } from "../options.js";
import type { SyncProgress } from "../progress.js";
import { counted } from "../report-text.js";
import type { CompletionCounts } from "../transport.js";
import type { Connector } from "./connector.js";
import { Extraction } from "./extract.js";
import { lastReceipt, RunNotes } from "./history.js";
import { DEFAULT_RESTARTS, type ResolvedRunOptions } from "./options.js";
import { type RunReceipt, receiptOf } from "./receipt.js";
import { untilRunEnds } from "./run-end.js";
import { completeBatch, sendSpool, unclearEvents } from "./send.js";
import { readSpoolOptions, Spool } from "./spool.js";
import { type AbortBatch, endBatch, UnreleasedBatches } from "./unreleased-batches.js";
import { Watermarks } from "./watermarks.js";

/** How long a run waits for the abort of an orphan, in milliseconds. */
const RECOVERY_MS = 30_000;

/** How long a run waits before it calls its connector again, in milliseconds; twice as long each time. */
const PAUSE_MS = 1000;

export interface RunParts {
  readonly configuration: SyncConfiguration;
  readonly start: (options: BatchOptions, watch: BatchWatch) => Promise<BatchHandle>;
  readonly abort: AbortBatch;
  readonly begunAt: number;
  readonly closed: AbortSignal;
}

/** What a connector has written, in the state of the ledger that it has seen. */
interface Extracted {
  readonly spool: Spool;
  readonly guard: RunGuard;
  readonly extraction: Pick<Extraction<never>, "stats" | "incomplete">;
  /** T0. */
  readonly state: string;
}

/** How a batch of the run has ended. */
type BatchEnd =
  | { readonly type: "completed"; readonly counts: CompletionCounts }
  | { readonly type: "outdated"; readonly isReleased: boolean }
  | { readonly type: "failed"; readonly error: unknown; readonly isReleased: boolean };

export function runConnector<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  options: ResolvedRunOptions,
  parts: RunParts,
): Promise<RunReceipt> {
  const { configuration, begunAt, closed } = parts;
  return untilRunEnds(options, { clock: configuration.clock, begunAt }, async (signal) => {
    const { controller, unlink } = linkAbort(signal, closed);
    try {
      return await new Run(connector, options, parts, controller.signal).execute();
    } finally {
      unlink();
    }
  });
}

class Run<Snapshots extends SnapshotCollection> {
  readonly #connector: Connector<Snapshots>;
  readonly #options: ResolvedRunOptions;
  readonly #parts: RunParts;
  readonly #configuration: SyncConfiguration;
  /** Fires when the caller, the client, the time or a signal of the process ends the run. */
  readonly #ended: AbortSignal;
  readonly #ledger: LedgerParts | undefined;
  readonly #scope: { readonly endpoint: string; readonly installationId: string };
  readonly #runId = newRunId();
  readonly #watermarks: Watermarks;
  readonly #journal: Journal;
  readonly #notes: RunNotes;
  readonly #unreleased: UnreleasedBatches;
  readonly #restarts: number;
  #restarted = 0;
  #batches = 0;
  #waitedForLockMs = 0;
  /** The error of a batch that may have been completed. */
  #unclear: BatchOutcomeUnknownError | undefined;

  constructor(
    connector: Connector<Snapshots>,
    options: ResolvedRunOptions,
    parts: RunParts,
    ended: AbortSignal,
  ) {
    const { configuration } = parts;
    const { clock, logger, endpoint } = configuration;
    const { installationId } = options;
    const ledger = requireLedger(options.ledger);
    this.#connector = connector;
    this.#options = options;
    this.#parts = parts;
    this.#configuration = configuration;
    this.#ended = ended;
    this.#ledger = ledger;
    this.#scope = { endpoint: endpoint.origin, installationId };
    this.#watermarks = new Watermarks({ ledger, installationId, preview: false }, configuration);
    this.#journal = new Journal({ ledger, endpoint: endpoint.origin, installationId, clock, logger });
    this.#notes = new RunNotes(ledger, installationId, configuration);
    this.#unreleased = new UnreleasedBatches(parts.abort);
    this.#restarts = options.restarts ?? DEFAULT_RESTARTS;
  }

  async execute(): Promise<RunReceipt> {
    try {
      for (;;) {
        const receipt = await this.#extractJudgeSend();
        if (receipt !== undefined) return receipt;
        await this.#beginAgain();
      }
    } catch (error) {
      if (error instanceof RunHeldError) {
        await this.#notes.held(error.report);
        await this.#tell(error.report);
      }
      throw this.#withUnclear(error);
    }
  }

  /** @returns undefined if another run was completed meanwhile: what was extracted may be older than what that one sent */
  async #extractJudgeSend(): Promise<RunReceipt | undefined> {
    const { firstRun, ledger, spool: spoolOptions } = this.#options;
    const { clock } = this.#configuration;
    // 1 Read T0 before the connector is called.
    const state = await this.#readState();
    if (firstRun === true && this.#restarted === 0)
      await raceAbort(requireFirstRun(ledger, this.#scope, clock), this.#ended);
    const spool = new Spool(readSpoolOptions("spool", spoolOptions));
    try {
      // 2 Call the connector once. No batch, no lock, no lease: a source may take hours.
      const extracted = { ...(await this.#extract(spool)), state };
      // 3 Read the ledger again, and judge all snapshots together. Held: nothing was sent.
      if ((await this.#readState()) !== state) return undefined;
      await extracted.guard.judge();
      return await this.#send(extracted);
    } finally {
      // 10 Close the spool.
      await spool.close();
    }
  }

  async #extract(spool: Spool): Promise<Omit<Extracted, "state">> {
    const { snapshots } = this.#connector;
    const runId = this.#runId;
    const configuration = this.#configuration;
    const guard = new RunGuard({ ...this.#options, snapshots, runId }, configuration, spool, this.#ended);
    const extraction = new Extraction<Snapshots>({
      configuration,
      subject: { installationId: this.#options.installationId },
      snapshots,
      keep: (collection, message) => spool.append(collection, message),
      observerOf: guard.observerOf,
      onProgress: this.#options.onProgress,
      signal: this.#ended,
    });
    const context = { preview: false, ...(await this.#watermarks.begin(this.#ended)) };
    await extraction.run(this.#connector, context);
    guard.flush();
    await raceAbort(spool.settled(), this.#ended);
    return { spool, guard, extraction };
  }

  /**
   * Sends what was extracted, again in another batch if one failed transiently.
   * @returns undefined if another run was completed meanwhile
   */
  async #send(extracted: Extracted): Promise<RunReceipt | undefined> {
    for (;;) {
      const batch = await this.#start();
      const end = await batch.within(() => this.#sendBatch(batch, extracted));
      if (end.type === "completed") {
        const receipt = this.#receipt(batch, end.counts, extracted);
        await this.#journal.ended(batch.id, true);
        await this.#notes.completed(receipt);
        return receipt;
      }
      if (!end.isReleased) this.#unreleased.add(batch.id, end.type === "failed" ? end.error : undefined);
      await this.#journal.ended(batch.id, end.isReleased);
      if (end.type === "outdated") return undefined;
      const { failure } = batch;
      if (this.#ended.aborted || !isTransient(failure)) throw end.error;
      this.#spendRestart(end.error);
      this.#configuration.logger.warn("saas-management: the batch failed and is sent again", {
        batchId: batch.id,
        code: failure instanceof SaasManagementError ? failure.code : undefined,
      });
    }
  }

  /** 4 Abort own orphans, and start a batch. It is noted before it is sent. */
  async #start(): Promise<BatchHandle> {
    const { installationId, waitForLockMs, onProgress } = this.#options;
    const ended = this.#ended;
    const { clock } = this.#configuration;
    await raceAbort(
      this.#recover().then(() => this.#unreleased.release(ended)),
      ended,
    );
    const since = clock.monotonic();
    let waited = false;
    const notice = (progress: SyncProgress) => {
      if (progress.type === "waiting-for-lock") {
        waited = true;
        // The lock's owner may have died after the run began.
        void this.#recover().then(() => this.#journal.warnOfStart());
        void this.#unreleased.release(ended);
      }
      onProgress?.(progress);
    };
    this.#batches += 1;
    const { noteStart, startEndsInMs } = this.#journal;
    const options = { installationId, waitForLockMs, signal: ended, onProgress: notice };
    const starting = this.#parts.start(options, { attempt: this.#batches, noteStart, startEndsInMs });
    const batch = await starting.catch((error: unknown) => {
      throw this.#journal.explain(this.#unreleased.explain(error));
    });
    if (waited) this.#waitedForLockMs += clock.monotonic() - since;
    return batch;
  }

  /**
   * Sends one batch, and completes or aborts it. Never rejects.
   *
   * A batch that the service calls completed is a success only if this run sent CompleteSyncBatch and the answer was
   * lost. Otherwise somebody else completed it, perhaps with only a part of the records.
   */
  async #sendBatch(batch: BatchHandle, { spool, guard, extraction, state }: Extracted): Promise<BatchEnd> {
    // A write that comes too late shows that what was extracted is not complete.
    const { controller, unlink } = linkAbort(this.#ended, extraction.incomplete);
    const cut = controller.signal;
    // Ends the writes at once; the abort below waits for the service.
    const stopListening = onAbort(cut, () => void batch.abort().catch(() => {}));
    let counts: CompletionCounts;
    let unclear: BatchOutcomeUnknownError | undefined;
    let isOutdated = false;
    try {
      cut.throwIfAborted();
      await raceAbort(this.#journal.opened(batch.id), batch.signal);
      // 5 Under the lock, while the batch is empty: compare with T0 once more.
      isOutdated = (await raceAbort(this.#readState(), batch.signal)) !== state;
      if (isOutdated) throw new Error("Another run was completed meanwhile.");
      // 6 Draft the ids, whose sequence needs the lock, and send.
      await guard.draft(batch.signal);
      await sendSpool(batch, spool, this.#configuration);
      // 7 Store the pending ids durably.
      await guard.save(batch.signal);
      // 8 CompleteSyncBatch: asked again, never guessed.
      const completion = await completeBatch(batch);
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
        await guard.givenUp(outcome);
        const isReleased = abort === "aborted";
        if (isOutdated && !cut.aborted) return { type: "outdated", isReleased };
        this.#unclear = unclear ?? this.#unclear;
        return { type: "failed", error: cut.aborted ? cut.reason : thrown, isReleased };
      }
      counts = {};
    } finally {
      stopListening();
      unlink();
    }
    // 9 Promote the ids, store the watermarks; then the receipt.
    await Promise.all([this.#watermarks.completed(), guard.completed(counts)]);
    return { type: "completed", counts };
  }

  /** Releases the lock. A failure is logged and must not mask the original error. */
  async #giveUp(batch: BatchHandle): Promise<"aborted" | "completed" | "unknown"> {
    const lockedUntil = batch.lease.expiresAt;
    try {
      await batch.abort();
      return "aborted";
    } catch (error) {
      if (error instanceof BatchStateError) return error.reason === "completed" ? "completed" : "aborted";
      this.#options.onProgress?.({ type: "abort-failed", lockedUntil });
      this.#configuration.logger.error(
        "saas-management: the batch could not be aborted; its lock ends with the lease",
        { batchId: batch.id, lockedUntil, error },
      );
      return "unknown";
    } finally {
      batch.close();
    }
  }

  /** Names what the ledger says of the installation, without the batches of this run. */
  async #readState(): Promise<string> {
    if (this.#ledger === undefined) return "";
    try {
      return await raceAbort(stateOf(this.#ledger, this.#scope, this.#runId), this.#ended);
    } catch (error) {
      this.#ended.throwIfAborted();
      if (error instanceof SaasManagementError) throw error;
      throw new ConfigurationError("The ledger could not be read; nothing was sent. See the error's cause.", {
        cause: error,
      });
    }
  }

  /** Another run was completed since T0: waits before the connector is called again. @throws {RunOutdatedError} too often */
  async #beginAgain(): Promise<void> {
    const { installationId } = this.#options;
    const other = this.#ledger && (await lastReceipt(this.#ledger, this.#scope).catch(() => undefined));
    const named = other === undefined ? "Another run" : `The run of batch ${other.batchId}`;
    this.#spendRestart(
      new RunOutdatedError(
        `${named} of installation ${JSON.stringify(installationId)} was completed while this one read its source, so what it read may be older. It was not completed. Let runs of one installation not overlap, or run again.`,
        { installationId, otherBatchId: other?.batchId },
      ),
    );
    const pauseMs = PAUSE_MS * 2 ** (this.#restarted - 1) * (0.5 + Math.random() / 2);
    this.#configuration.logger.warn(
      "saas-management: another run was completed meanwhile; the connector is called again",
      { otherBatchId: other?.batchId, pauseMs },
    );
    await this.#configuration.clock.sleep(pauseMs, this.#ended);
  }

  #spendRestart(error: unknown): void {
    if (this.#restarted >= this.#restarts) throw error;
    this.#restarted += 1;
  }

  #receipt(
    batch: BatchHandle,
    reported: CompletionCounts,
    { spool, guard, extraction }: Extracted,
  ): RunReceipt {
    const { ledger } = this.#options;
    const unclear = unclearEvents(spool).map(
      ({ collection, records }) =>
        `it is not known whether the service accepted ${counted(records, "record")} of ${collection}, and eventDelivery: "at-most-once" does not send them again`,
    );
    for (const surprise of unclear) this.#configuration.logger.error(`saas-management: ${surprise}`);
    return receiptOf({
      batchId: batch.id,
      restarts: this.#restarted,
      durationMs: this.#configuration.clock.monotonic() - this.#parts.begunAt,
      waitedForLockMs: this.#waitedForLockMs,
      ledger: ledger === "none" ? undefined : ledger.location,
      stats: batch.stats,
      extracted: extraction.stats,
      expected: guard.figures,
      approved: guard.approvedRules,
      reported,
      guard: guard.isOn ? "on" : "off",
      surprises: [...guard.surprises, ...unclear],
    });
  }

  /** Aborts orphans. A service that does not answer is left to the start, which tells of it. */
  #recover(): Promise<void> {
    const { abort, configuration } = this.#parts;
    return this.#journal.recover((batchId) =>
      withinGrace(configuration.clock, (over) => endBatch(abort, batchId, over), RECOVERY_MS),
    );
  }

  async #tell(report: HeldReport): Promise<void> {
    try {
      await raceAbort(Promise.resolve(this.#options.onHeld?.(report)), this.#ended);
    } catch (error) {
      this.#configuration.logger.warn("saas-management: onHeld failed", { error });
    }
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
      this.#configuration.logger.warn(
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
}

/** Whether a new batch may succeed. Judged by what failed in the batch. */
function isTransient(failure: unknown): boolean {
  return (
    (failure instanceof TransportError && failure.retryable) ||
    failure instanceof TimeoutError ||
    failure instanceof RateLimitError ||
    failure instanceof BatchOutcomeUnknownError ||
    (failure instanceof BatchStateError && failure.reason === "expired")
  );
}
