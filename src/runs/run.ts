/** A run: it extracts everything, is judged, and only then sends. The numbers are those of docs/reference/run-and-guard.md. */
import { raceAbort } from "../core/abort.js";
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  type HeldReport,
  RateLimitError,
  RunHeldError,
  RunOutdatedError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../core/errors/index.js";
import type { BatchHandle } from "../sync/batch/sync-batch.js";
import { bestEffort } from "../sync/call.js";
import { COLLECTIONS, type SnapshotCollection } from "../sync/collections.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { Connector } from "./connector.js";
import { Extraction } from "./extract.js";
import { Guard } from "./guard/guard.js";
import { type InstallationLedger, randomToken } from "./ledger/installation-ledger.js";
import { noteCompleted, noteHeld } from "./ledger/notes.js";
import { type LedgerSnapshot, ledgerVersion } from "./ledger/state.js";
import { DEFAULT_RESTARTS, type ResolvedRunOptions } from "./options.js";
import { isReceipt, type RunReceipt, receiptOf } from "./receipt.js";
import { withRunScope } from "./scope.js";
import { type BatchEnd, BatchSender, type Extracted, type RunParts } from "./send.js";
import { readSpoolOptions, Spool } from "./spool.js";
import { unclearEvents } from "./spool-sender.js";
import { type Watermarks, watermarkCalls } from "./watermarks.js";

type CompletedEnd = Extract<BatchEnd, { type: "completed" }>;

export function runConnector<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  options: ResolvedRunOptions,
  parts: RunParts,
): Promise<RunReceipt> {
  const begunAt = parts.configuration.clock.monotonic();
  return withRunScope(options, parts, (watched, ended) =>
    new Run(connector, watched, parts, ended, begunAt).execute(),
  );
}

class Run<Snapshots extends SnapshotCollection> {
  readonly #connector: Connector<Snapshots>;
  readonly #options: ResolvedRunOptions;
  readonly #configuration: SyncConfiguration;
  /** Fires when the caller, the client, the time or a signal of the process ends the run. */
  readonly #ended: AbortSignal;
  readonly #begunAt: number;
  readonly #runId = randomToken();
  readonly #sender: BatchSender;
  #restarts: number;
  #restarted = 0;

  constructor(
    connector: Connector<Snapshots>,
    options: ResolvedRunOptions,
    parts: RunParts,
    ended: AbortSignal,
    begunAt: number,
  ) {
    this.#connector = connector;
    this.#options = options;
    this.#configuration = parts.configuration;
    this.#ended = ended;
    this.#begunAt = begunAt;
    const run = { ...options, id: this.#runId };
    this.#sender = new BatchSender(run, parts, ended);
    this.#restarts = options.restarts ?? DEFAULT_RESTARTS;
  }

  async execute(): Promise<RunReceipt> {
    try {
      return await this.#extractJudgeSend();
    } catch (error) {
      if (error instanceof RunHeldError) {
        const message = "the ledger could not note the held run in its history";
        await this.#note({ level: "warn", message }, (ledger, at, over) =>
          noteHeld(ledger, error.report, at, over),
        );
        await this.#tell(error.report);
      }
      throw this.#withUnclear(error);
    }
  }

  async #extractJudgeSend(): Promise<RunReceipt> {
    const { spool: spoolOptions } = this.#options;
    // 1 Read T0 before the connector is called.
    const seen = await this.#sender.readLedger();
    const watermarks: Watermarks = { before: seen.state.watermarks, advanced: {}, used: new Set() };
    const spool = new Spool(readSpoolOptions("spool", spoolOptions));
    try {
      // 2 Call the connector once. No batch, no lock, no lease: a source may take hours.
      const requireCurrent = (now: LedgerSnapshot) => this.#requireCurrent(seen, now, watermarks);
      const extracted = { ...(await this.#extract(spool, seen, watermarks)), requireCurrent };
      // 3 Read the ledger again, and judge all snapshots together. Held: nothing was sent.
      const now = await this.#sender.readLedger();
      requireCurrent(now);
      const held = await extracted.guard.judge(now);
      if (held.length > 0) throw await extracted.guard.offer(held, now);
      return await this.#send(extracted, watermarks);
    } finally {
      // 10 Close the spool.
      await spool.close();
    }
  }

  async #extract(
    spool: Spool,
    seen: LedgerSnapshot,
    watermarks: Watermarks,
  ): Promise<Omit<Extracted, "requireCurrent">> {
    const { snapshots } = this.#connector;
    const configuration = this.#configuration;
    const sending = { id: this.#runId, ids: spool };
    const guard = new Guard(this.#options, snapshots, configuration, this.#ended, sending);
    await guard.checkFirstRun();
    const extraction = new Extraction<Snapshots>({
      configuration,
      subject: { installationId: this.#options.installationId },
      snapshots,
      keep: (collection, message) => spool.append(collection, message),
      inspectorOf: guard.inspectorOf,
      onProgress: this.#options.onProgress,
      signal: this.#ended,
    });
    const calls = watermarkCalls(watermarks, guard.ledger && seen, false);
    await extraction.run(this.#connector, { preview: false, ...calls });
    guard.flush();
    await raceAbort(spool.settled(), this.#ended);
    return { spool, guard, extraction };
  }

  /** Sends what was extracted, again in another batch if one failed transiently. */
  async #send(extracted: Extracted, watermarks: Watermarks): Promise<RunReceipt> {
    for (;;) {
      const { batch, end } = await this.#sender.send(extracted);
      if (end.type === "completed") {
        const receipt = this.#receipt(batch, end, extracted);
        await this.#completed(receipt, end, watermarks);
        return receipt;
      }
      const { failure } = batch;
      if (this.#ended.aborted || !isTransient(failure)) throw end.error;
      this.#spendRestart(end.error);
      this.#configuration.logger.warn("saas-management: the batch failed and is sent again", {
        batchId: batch.id,
        code: failure instanceof SaasManagementError ? failure.code : undefined,
      });
    }
  }

  /** 9 Note the run, with which its ids become the known ones. Without the note, the next run does too much. */
  async #completed(receipt: RunReceipt, { snapshots }: CompletedEnd, watermarks: Watermarks): Promise<void> {
    const { approve: approval } = this.#options;
    const message =
      "the batch was completed, but the ledger could not note it; the next run is compared with both snapshots, and sends the same events again";
    await this.#note({ level: "error", message }, (ledger, at, over) =>
      noteCompleted(ledger, { run: { at, receipt }, snapshots, ...watermarks, approval }, over),
    );
  }

  /** @throws {RunOutdatedError} another run has completed a collection of this one, or moved a watermark that it was given */
  #requireCurrent(before: LedgerSnapshot, now: LedgerSnapshot, watermarks: Watermarks): void {
    const { installationId } = this.#options;
    const names = [...this.#connector.snapshots, ...watermarks.used];
    const subjects = names.map((name) => COLLECTIONS[name].wireName);
    const [first, last] = [before, now].map((seen) => ledgerVersion(seen, subjects, this.#runId));
    if (first === last) return;
    const receiptsOf = ({ state }: LedgerSnapshot) =>
      state.runs.map(({ receipt }) => receipt).filter(isReceipt);
    const known = new Set(receiptsOf(before).map(({ batchId }) => batchId));
    const otherBatchId = receiptsOf(now).findLast(
      ({ batchId, collections }) => !known.has(batchId) && names.some((name) => name in collections),
    )?.batchId;
    const named = otherBatchId === undefined ? "Another run" : `The run of batch ${otherBatchId}`;
    throw new RunOutdatedError(
      `${named} of installation ${JSON.stringify(installationId)} was completed while this one read its source, so what it read may be older and was not completed. Run it again, and let runs of the same collections not overlap.`,
      { installationId, otherBatchId },
    );
  }

  #spendRestart(error: unknown): void {
    if (this.#restarted >= this.#restarts) throw error;
    this.#restarted += 1;
  }

  #receipt(
    batch: BatchHandle,
    { counts: reported }: CompletedEnd,
    { spool, guard, extraction }: Extracted,
  ): RunReceipt {
    const run = {
      batchId: batch.id,
      restarts: this.#restarted,
      durationMs: this.#configuration.clock.monotonic() - this.#begunAt,
      waitedForLockMs: this.#sender.waitedForLockMs,
      ledger: guard.ledger?.location,
      guard: guard.rules.isOn ? "on" : "off",
    } as const;
    const { figures: expected, approvedRules: approved } = guard;
    const facts = { sent: batch.stats, extracted: extraction.stats, expected, reported, approved };
    const receipt = receiptOf(run, facts, unclearEvents(spool));
    for (const surprise of receipt.surprises)
      this.#configuration.logger.error(`saas-management: ${surprise}`);
    return receipt;
  }

  /** Notes in the ledger what became of the run, which does not depend on it. */
  async #note(
    failed: Parameters<typeof bestEffort>[1],
    put: (ledger: InstallationLedger, at: number, over: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { ledger } = this.#options;
    if (ledger === undefined) return;
    const at = this.#configuration.clock.now();
    await bestEffort(this.#configuration, failed, (over) => put(ledger, at, over));
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
    const { unclear } = this.#sender;
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
    // Events of which nobody knows whether they were accepted are not sent again; the rest is.
    (failure instanceof TransportError && (failure.retryable || isTransient(failure.cause))) ||
    failure instanceof TimeoutError ||
    failure instanceof RateLimitError ||
    failure instanceof BatchOutcomeUnknownError ||
    (failure instanceof BatchStateError && failure.reason === "expired")
  );
}
