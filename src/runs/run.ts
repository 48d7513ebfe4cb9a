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
import { retryAfterMs } from "../core/retry.js";
import { bestEffort, withinGrace } from "../sync/call.js";
import { COLLECTIONS, type Collection, type SnapshotCollection } from "../sync/collections.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { Connector } from "./connector.js";
import { Extraction } from "./extract.js";
import { checkCounts } from "./guard/first-run.js";
import { Guard } from "./guard/guard.js";
import { randomToken } from "./ledger/installation-ledger.js";
import { noteCompleted } from "./ledger/notes.js";
import { type LedgerSnapshot, ledgerVersion } from "./ledger/state.js";
import { NewEvents } from "./new-events.js";
import type { ResolvedRunOptions } from "./options.js";
import { describedReceipt, isReceipt, notNoted, type RunReceipt, receiptOf } from "./receipt.js";
import { withRunScope } from "./scope.js";
import { type BatchEnd, BatchSender, type Extracted, type RunParts } from "./send.js";
import { readSpoolOptions, Spool } from "./spool.js";
import { usualOf } from "./usual.js";
import { type Watermarks, watermarkCalls } from "./watermarks.js";

/** How long a run tries to send what it has, in milliseconds. */
const RETRY_FOR_MS = 600_000;
/** The pause before the third batch, in milliseconds; it doubles with each. The second is tried at once. */
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

type CompletedEnd = Extract<BatchEnd, { type: "completed" }>;

export function runConnector<Snapshots extends SnapshotCollection>(
  connector: Connector<Snapshots>,
  options: ResolvedRunOptions,
  parts: RunParts,
): Promise<RunReceipt> {
  const begunAt = parts.configuration.clock.monotonic();
  return withRunScope(options, parts, (ended) =>
    new Run(connector, options, parts, ended, begunAt).execute(),
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
  /** The limit of windows before the run. */
  readonly #windowBytes: number;
  /** Failures after which it was tried again. */
  #restarted = 0;
  /** When the service began to be away. */
  #awaySince: number | undefined;

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
    this.#windowBytes = parts.configuration.windowLimit.bytes;
    const run = { ...options, id: this.#runId };
    this.#sender = new BatchSender(run, parts, ended);
  }

  async execute(): Promise<RunReceipt> {
    try {
      return await this.#extractJudgeSend();
    } catch (error) {
      if (error instanceof RunHeldError) await this.#tell(error.report);
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
      const read = await this.#extract(spool, seen, watermarks);
      const events = [...new Set([...watermarks.used, ...read.newEvents.collections])];
      const requireCurrent = (now: LedgerSnapshot) => this.#requireCurrent(seen, now, events);
      const extracted = { ...read, requireCurrent };
      checkCounts(this.#options.firstRun, extracted.extraction.stats);
      // 3 Read the ledger again, and judge all snapshots together. Held: nothing was sent.
      const now = await this.#sender.readLedger();
      requireCurrent(now);
      const held = await extracted.guard.judge(now);
      if (held.length > 0)
        throw await extracted.guard.offer(held, now, (name) => usualOf(now.state.runs, name));
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
    const guard = new Guard(this.#options, snapshots, configuration, this.#ended, spool);
    const keep = (name: Collection, lines: Uint8Array) => spool.appendLines(name, lines, () => {});
    const newEvents = new NewEvents(guard.ledger, seen, this.#ended, keep);
    await guard.checkLedger();
    const extraction = new Extraction<Snapshots>({
      configuration,
      subject: { installationId: this.#options.installationId },
      snapshots,
      keep: (collection, message) => spool.append(collection, message),
      inspectorOf: guard.inspectorOf,
      newEvents,
      onProgress: this.#options.onProgress,
      signal: this.#ended,
    });
    const calls = watermarkCalls(watermarks, guard.ledger && seen, false);
    await extraction.run(this.#connector, { preview: false, ...calls });
    guard.flush();
    await newEvents.flush();
    await raceAbort(spool.settled(), this.#ended);
    return { spool, guard, newEvents, extraction };
  }

  /** 4 to 8 Sends what was extracted, in another batch if one fails transiently: what took hours to read is not thrown away. */
  async #send(extracted: Extracted, watermarks: Watermarks): Promise<RunReceipt> {
    for (;;) {
      const end = await this.#sender.send(extracted);
      if (end.type === "completed") {
        const receipt = this.#receipt(end, extracted);
        return await this.#completed(receipt, end, watermarks);
      }
      const { failure, batchId } = end;
      if (this.#ended.aborted || !isTransient(failure) || !(await this.#waitForService(failure, batchId)))
        throw end.error;
    }
  }

  /** Pauses before the next attempt. @returns false if `retryForMs` ends before it */
  async #waitForService(failure: SaasManagementError, batchId: string | undefined): Promise<boolean> {
    const { retryForMs = RETRY_FOR_MS, onProgress } = this.#options;
    const { clock, logger } = this.#configuration;
    const now = clock.monotonic();
    this.#awaySince ??= now;
    const leftMs = this.#awaySince + retryForMs - now;
    const pauseMs = this.#restarted === 0 ? 0 : Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (this.#restarted - 1));
    const delayMs = Math.max(Math.round(pauseMs * (0.5 + Math.random() / 2)), retryAfterMs(failure) ?? 0);
    if (delayMs >= leftMs) return false;
    this.#restarted += 1;
    const { code } = failure;
    const until = new Date(clock.now() + leftMs);
    onProgress?.({ type: "service-away", code, delayMs, until });
    const message = `saas-management: the service is away; trying again until ${until.toISOString()}`;
    logger.warn(message, { batchId, code, delayMs });
    await clock.sleep(delayMs, this.#ended);
    return true;
  }

  /** 9 Note the run, with which its ids become the known ones. Without the note, the next run does too much, and says so. */
  async #completed(
    receipt: RunReceipt,
    { drafts: { token, snapshots } }: CompletedEnd,
    watermarks: Watermarks,
  ): Promise<RunReceipt> {
    const { ledger } = this.#options;
    if (ledger === undefined) return receipt;
    const { clock, logger } = this.#configuration;
    const completion = { run: { at: clock.now(), token, receipt }, snapshots, ...watermarks };
    try {
      const needless = await withinGrace(clock, (over) => noteCompleted(ledger, completion, over));
      const message = "the ledger could not delete what is not needed any more";
      await bestEffort(this.#configuration, { level: "warn", message }, () => ledger.delete(needless));
      return receipt;
    } catch (error) {
      const surprise = notNoted(this.#connector.snapshots.length > 0, error);
      logger.error(`saas-management: ${surprise}`, { error });
      return describedReceipt({ ...receipt, surprises: [...receipt.surprises, surprise] });
    }
  }

  /** @throws {RunOutdatedError} another run has completed a collection of this one, or moved a watermark that it was given */
  #requireCurrent(before: LedgerSnapshot, now: LedgerSnapshot, events: readonly Collection[]): void {
    const { installationId } = this.#options;
    const names = [...this.#connector.snapshots, ...events];
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

  #receipt(
    { batch, counts: reported, drafts: { lists } }: CompletedEnd,
    { guard, extraction }: Extracted,
  ): RunReceipt {
    const note = this.#configuration.windowLimit.noteSince(this.#windowBytes);
    const run = {
      batchId: batch.id,
      restarts: this.#restarted,
      durationMs: this.#configuration.clock.monotonic() - this.#begunAt,
      waitedForLockMs: this.#sender.waitedForLockMs,
      ledger: guard.ledger?.location,
      guard: guard.rules.isOn ? "on" : "off",
      notes: note === undefined ? [] : [note],
    } as const;
    const { figures: expected, approvedRules: approved } = guard;
    const facts = { sent: batch.stats, extracted: extraction.stats, expected, reported, approved, lists };
    const receipt = receiptOf(run, facts);
    for (const surprise of receipt.surprises)
      this.#configuration.logger.error(`saas-management: ${surprise}`);
    return receipt;
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
function isTransient(failure: unknown): failure is SaasManagementError {
  return (
    (failure instanceof TransportError && failure.retryable) ||
    failure instanceof TimeoutError ||
    failure instanceof RateLimitError ||
    failure instanceof BatchOutcomeUnknownError ||
    (failure instanceof BatchStateError && failure.reason === "expired")
  );
}
