/** A run extracts everything, is judged, and only then sends. For its steps see docs/reference/run-and-guard.md. */
import { linkAbort, onAbort, raceAbort } from "../core/abort.js";
import { BatchOutcomeUnknownError, BatchStateError } from "../core/errors/index.js";
import { traced } from "../core/trace.js";
import type { BatchHandle } from "../sync/batch/handle.js";
import type { BatchOptions, BatchWatch } from "../sync/batch/start.js";
import { openSyncTrace } from "../sync/call.js";
import { COLLECTIONS, type SnapshotCollection } from "../sync/collections.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { SyncProgress } from "../sync/progress.js";
import type { CompletionCounts } from "../sync/transport.js";
import type { Connector } from "./connector.js";
import { EventMemory } from "./events.js";
import { Extraction } from "./extraction.js";
import { type FailedBatch, Outage, outdated, released, reportFailure } from "./failures.js";
import { Guard } from "./guard/guard.js";
import { BatchIds } from "./ledger/collection-ledger.js";
import { randomToken } from "./ledger/installation-ledger.js";
import { Journal } from "./ledger/journal.js";
import { noteCompleted } from "./ledger/notes.js";
import { type LedgerSnapshot, ledgerVersion, NOTHING_SEEN, readLedger } from "./ledger/state.js";
import type { ResolvedRunOptions } from "./options.js";
import { acceptedOf, notNoted, type RunReceipt, receiptOf, usualOf, withSurprise } from "./receipt.js";
import { abortAtSignals } from "./signals.js";
import { readSpoolOptions, Spool } from "./spool.js";
import { sendSpool } from "./spool-sender.js";

type AnyConnector = Connector<SnapshotCollection>;

export interface RunParts {
  readonly configuration: SyncConfiguration;
  readonly start: (options: BatchOptions, watch: BatchWatch) => Promise<BatchHandle>;
  readonly abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  readonly closed: AbortSignal;
}

/** What the connector wrote, and what the ledger had before. */
interface Extracted {
  readonly spool: Spool;
  readonly guard: Guard;
  readonly events: EventMemory;
  readonly extraction: Extraction;
  readonly before: LedgerSnapshot;
}

interface CompletedBatch {
  readonly batch: BatchHandle;
  readonly ids: BatchIds;
  readonly counts: CompletionCounts;
}

/** Runs a connector as a traced operation, until the caller, the client or a signal of the process ends the run. */
export async function runConnector(
  connector: AnyConnector,
  options: ResolvedRunOptions,
  parts: RunParts,
): Promise<RunReceipt> {
  const { installationId, signal, stopOnSignals } = options;
  const { controller, unlink } = linkAbort(signal, parts.closed);
  const stopListening = stopOnSignals === true ? abortAtSignals(controller) : undefined;
  const run = new Run(connector, options, parts, controller.signal);
  const trace = openSyncTrace(parts.configuration, "sync.run", { installationId });
  try {
    const execute = () => run.execute();
    return await traced(trace, execute, (receipt) => receipt);
  } finally {
    unlink();
    stopListening?.();
    // Ends anything that nobody is waiting for, such as the abort of an orphan.
    controller.abort(new Error("The run has ended."));
  }
}

class Run {
  readonly #connector: AnyConnector;
  readonly #options: ResolvedRunOptions;
  readonly #parts: RunParts;
  readonly #configuration: SyncConfiguration;
  /** Fires when the run is ended from outside. */
  readonly #ended: AbortSignal;
  readonly #begunAt: number;
  readonly #id = randomToken();
  readonly #journal: Journal;
  readonly #outage: Outage;
  /** The window limit before the run. */
  readonly #windowBytes: number;
  #waitedForLockMs = 0;
  /** The error of a batch that may have been completed. */
  #unclear: BatchOutcomeUnknownError | undefined;

  constructor(connector: AnyConnector, options: ResolvedRunOptions, parts: RunParts, ended: AbortSignal) {
    const { configuration } = parts;
    this.#connector = connector;
    this.#options = options;
    this.#parts = parts;
    this.#configuration = configuration;
    this.#ended = ended;
    this.#begunAt = configuration.clock.monotonic();
    this.#journal = new Journal(options.ledger, configuration, { abort: parts.abort, ended });
    this.#outage = new Outage(options, configuration);
    this.#windowBytes = configuration.windowLimit.bytes;
  }

  async execute(): Promise<RunReceipt> {
    const { installationId } = this.#options;
    const { logger } = this.#configuration;
    logger.info("saas-management: run started", { installationId });
    try {
      const receipt = await this.#extractJudgeSend();
      const { batchId, durationMs, restarts } = receipt;
      const about = { installationId, batchId, durationMs, restarts, records: acceptedOf(receipt) };
      logger.info("saas-management: run completed", about);
      return receipt;
    } catch (error) {
      throw await reportFailure(error, this.#options, logger, { ended: this.#ended, unclear: this.#unclear });
    }
  }

  async #extractJudgeSend(): Promise<RunReceipt> {
    // 1 Read T0 before the connector is called, and show that the ledger can be written.
    const before = await this.#readLedger();
    const spool = new Spool(readSpoolOptions("spool", this.#options.spool));
    try {
      // 2 Call the connector once. No batch, no lock, no lease: a source may take hours.
      const extracted = await this.#extract(spool, before);
      // 3 Read the ledger again, and judge all snapshots together. If any is held, nothing is sent.
      const now = await this.#readLedger();
      this.#requireCurrent(extracted, now);
      const held = await extracted.guard.judge(now);
      if (held.length > 0)
        throw await extracted.guard.offer(held, now, (name) => usualOf(now.state.runs, name));
      // 4 to 8. If a batch fails transiently, another one sends the same data, which may have taken hours to read.
      let end = await this.#sendInBatch(extracted);
      while ("error" in end) {
        if (!(await this.#outage.wait(end, this.#ended))) throw end.error;
        end = await this.#sendInBatch(extracted);
      }
      return await this.#noteCompleted(end, extracted);
    } finally {
      // 10 Close the spool.
      await spool.close();
    }
  }

  async #readLedger(): Promise<LedgerSnapshot> {
    const { ledger } = this.#options;
    return ledger === undefined ? NOTHING_SEEN : raceAbort(readLedger(ledger), this.#ended);
  }

  async #extract(spool: Spool, before: LedgerSnapshot): Promise<Extracted> {
    const { snapshots } = this.#connector;
    const { installationId, onProgress } = this.#options;
    const configuration = this.#configuration;
    const signal = this.#ended;
    const guard = new Guard(this.#options, snapshots, configuration, signal, spool);
    await guard.checkLedger(before);
    const events = new EventMemory(guard.ledger, before, signal, spool);
    const extraction = new Extraction({
      configuration,
      subject: { installationId },
      snapshots,
      keep: (collection, message) => spool.append(collection, message),
      inspectorOf: guard.inspectorOf,
      events,
      onProgress,
      signal,
    });
    await extraction.run(this.#connector, { preview: false });
    guard.flush();
    await events.flush();
    await raceAbort(spool.settled(), signal);
    guard.checkCounts(extraction.stats);
    return { spool, guard, events, extraction, before };
  }

  /** @throws {RunOutdatedError} another run completed one of its collections, or moved one of its watermarks */
  #requireCurrent({ before, events }: Extracted, now: LedgerSnapshot): void {
    const names = [...this.#connector.snapshots, ...events.used];
    const subjects = names.map((name) => COLLECTIONS[name].wireName);
    if (ledgerVersion(before, subjects, this.#id) === ledgerVersion(now, subjects, this.#id)) return;
    throw outdated(this.#options.installationId, names, before.state, now.state);
  }

  /** Sends everything in one batch, and completes or aborts it. Never rejects. */
  async #sendInBatch(extracted: Extracted): Promise<CompletedBatch | FailedBatch> {
    let batch: BatchHandle;
    try {
      batch = await this.#start();
    } catch (thrown) {
      const error = this.#journal.explain(thrown);
      return { error, failure: error };
    }
    const end = await batch.within(() => this.#send(batch, extracted));
    await this.#journal.ended(batch.id, "error" in end && !end.isReleased ? end : undefined);
    return end;
  }

  /** 4 Abort the batches of dead processes, and start a new one. The start is recorded before it's sent. */
  async #start(): Promise<BatchHandle> {
    const { installationId, waitForLockMs, onProgress } = this.#options;
    const { noteStart, startEndsInMs, releaseOrphans } = this.#journal;
    const { clock } = this.#configuration;
    const since = clock.monotonic();
    let waited = false;
    const notice = (progress: SyncProgress) => {
      waited ||= progress.type === "waiting-for-lock";
      if (waited) this.#journal.warnOfStart();
      onProgress?.(progress);
    };
    const batch = await this.#parts.start(
      { installationId, waitForLockMs, signal: this.#ended, onProgress: notice },
      { attempt: this.#outage.restarts + 1, releaseOrphans, noteStart, startEndsInMs },
    );
    if (waited) this.#waitedForLockMs += clock.monotonic() - since;
    return batch;
  }

  /** 5 to 8. Never rejects. A batch that someone else has completed may be only half sent. */
  async #send(
    batch: BatchHandle,
    extracted: Extracted,
  ): Promise<CompletedBatch | (FailedBatch & { readonly isReleased: boolean })> {
    const { spool, guard, events, extraction } = extracted;
    // A late write shows that the extracted data is incomplete.
    const { controller, unlink } = linkAbort(this.#ended, extraction.incomplete);
    const cut = controller.signal;
    // Ends the writes at once; the abort below waits for the service.
    const stopListening = onAbort(cut, () => void batch.abort().catch(() => {}));
    const ids = new BatchIds(this.#id, guard.ledger, this.#configuration, batch.signal);
    try {
      cut.throwIfAborted();
      await raceAbort(this.#journal.opened(batch.id), batch.signal);
      // 5 Under the lock, while the batch is empty: compare with T0 once more.
      const now = await raceAbort(this.#readLedger(), batch.signal);
      this.#requireCurrent(extracted, now);
      // 6 Send everything.
      await sendSpool(batch, spool, this.#configuration);
      // 7 Store the ids durably, marked as unclear until the batch is completed. Only the lock's owner assigns their sequence.
      await ids.save(now, [...guard.snapshots.values(), ...events.sent]);
      // 8 Send CompleteSyncBatch. If its outcome is unclear, it is sent again; nothing is guessed.
      return { batch, ids, counts: await complete(batch) };
    } catch (thrown) {
      const unclear = thrown instanceof BatchOutcomeUnknownError ? thrown : undefined;
      const state = await released(batch, unclear, this.#configuration.logger, this.#options.onProgress);
      if (state === "completed" && unclear !== undefined) return { batch, ids, counts: {} };
      // If the outcome is unclear, "aborted" proves nothing: a service may silently abort a completed batch.
      await ids.abandon(unclear === undefined ? state : "unknown");
      this.#unclear = unclear ?? this.#unclear;
      const error: unknown = cut.aborted ? cut.reason : thrown;
      return { error, failure: batch.failure, batchId: batch.id, isReleased: state !== "unknown" };
    } finally {
      stopListening();
      unlink();
    }
  }

  /** 9 Note the run: its ids become the known ones. If that fails, the next run does extra work, and says so. */
  async #noteCompleted({ batch, ids, counts }: CompletedBatch, extracted: Extracted): Promise<RunReceipt> {
    const { guard, events, extraction } = extracted;
    const { clock, logger, windowLimit } = this.#configuration;
    const receipt = receiptOf({
      batch,
      counts,
      guard,
      extracted: extraction.stats,
      lists: ids.lists,
      restarts: this.#outage.restarts,
      durationMs: clock.monotonic() - this.#begunAt,
      waitedForLockMs: this.#waitedForLockMs,
      note: windowLimit.noteSince(this.#windowBytes),
      runs: extracted.before.state.runs,
      now: clock.now(),
    });
    for (const surprise of receipt.surprises) logger.error(`saas-management: ${surprise}`);
    if (guard.ledger === undefined) return receipt;
    const { before, advanced } = events;
    const run = { at: clock.now(), token: ids.token, receipt };
    const completion = { run, snapshots: ids.baselines, advanced, before };
    try {
      await noteCompleted(guard.ledger, completion, this.#configuration);
      return receipt;
    } catch (error) {
      const surprise = notNoted(this.#connector.snapshots.length > 0, error);
      logger.error(`saas-management: ${surprise}`, { error });
      return withSurprise(receipt, surprise);
    }
  }
}

/** Completes a batch after all its records were accepted. The run has already checked that everything was written. */
async function complete(batch: BatchHandle): Promise<CompletionCounts> {
  try {
    return await batch.complete({ unverified: true });
  } catch (error) {
    throw error instanceof BatchStateError ? (batch.failure ?? error) : error;
  }
}
