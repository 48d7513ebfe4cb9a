import { Deadline } from "../deadline.js";
import {
  BatchOutcomeUnknownError,
  BatchStateError,
  InvalidInputError,
  RateLimitError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../errors.js";
import { linkedController } from "../signals.js";
import { untilAborted } from "../until-aborted.js";
import { AcceptedEvents } from "./accepted-events.js";
import type { SyncBatch } from "./batch.js";
import type { StartBatchOptions } from "./client.js";
import type { SnapshotCollection } from "./collections.js";
import type { SyncConfiguration } from "./configuration.js";
import { listenForSignals } from "./process-signals.js";
import { guardProgress, type SyncProgress } from "./progress.js";
import { collectionReceipts, type SyncReceipt } from "./receipt.js";
import { DeclaredBatch, type RunBatch } from "./run-batch.js";
import type { BatchWatch } from "./session.js";
import type { CompletionCounts } from "./transport.js";

/** Options of {@link SyncClient.run}. */
export interface RunOptions<Snapshots extends SnapshotCollection = SnapshotCollection>
  extends StartBatchOptions {
  /** The snapshot collections of this run: each is written exactly once, as a whole. */
  readonly snapshots: readonly Snapshots[];
  /** How many times a batch that failed transiently is started anew. @default 2 */
  readonly restarts?: number | undefined;
  /** How long the run may take with all its restarts and waits, in milliseconds. @default no limit */
  readonly maxDurationMs?: number | undefined;
  /** Whether SIGINT and SIGTERM abort the batch; a second one ends the process as ever. @default false */
  readonly signals?: boolean | undefined;
}

/** What a run's function is told. */
export interface RunAttempt {
  /** Number of the attempt, from 1. */
  readonly number: number;
  /** Fires when the attempt is over: for whatever feeds it. */
  readonly signal: AbortSignal;
}

/** The function of a run: writes everything, from the beginning, each time it is called. */
export type RunFunction<Snapshots extends SnapshotCollection> = (
  batch: RunBatch<Snapshots>,
  attempt: RunAttempt,
) => Promise<void> | void;

/** What a run does its work with. */
export interface RunParts {
  readonly configuration: SyncConfiguration;
  readonly start: (options: StartBatchOptions, watch: BatchWatch) => Promise<SyncBatch>;
}

/** How an attempt ended that is not the last. */
type Attempt = { readonly done: true; readonly receipt: SyncReceipt } | { readonly done: false };

/** One call of `SyncClient.run`. */
export class SyncRun<Snapshots extends SnapshotCollection> {
  readonly #options: RunOptions<Snapshots>;
  readonly #fn: RunFunction<Snapshots>;
  readonly #parts: RunParts;
  readonly #acceptedEvents = new AcceptedEvents();
  readonly #restarts: number;
  #waitedForLockMs = 0;

  constructor(options: RunOptions<Snapshots>, fn: RunFunction<Snapshots>, parts: RunParts) {
    const { restarts = 2, maxDurationMs } = options;
    if (!Number.isInteger(restarts) || restarts < 0) {
      throw new InvalidInputError("restarts must be a whole number, 0 or more.");
    }
    if (maxDurationMs !== undefined && !(Number.isFinite(maxDurationMs) && maxDurationMs > 0)) {
      throw new InvalidInputError("maxDurationMs must be a positive, finite number of milliseconds.");
    }
    this.#options = options;
    this.#fn = fn;
    this.#parts = parts;
    this.#restarts = restarts;
  }

  async execute(): Promise<SyncReceipt> {
    const { signal, signals, maxDurationMs } = this.#options;
    const { clock } = this.#parts.configuration;
    const since = clock.monotonic();
    const listener = signals === true ? listenForSignals() : undefined;
    const deadline =
      maxDurationMs === undefined
        ? undefined
        : new Deadline({ clock, timeoutMs: maxDurationMs, operation: "The run" });
    const { controller, unlink } = linkedController(signal, listener?.signal, deadline?.signal);
    try {
      for (let number = 1; ; number += 1) {
        const attempt = await this.#attempt(number, controller.signal, since);
        if (attempt.done) return attempt.receipt;
      }
    } finally {
      unlink();
      deadline?.end();
      listener?.stop();
    }
  }

  async #attempt(number: number, signal: AbortSignal, since: number): Promise<Attempt> {
    const { clock } = this.#parts.configuration;
    const batch = await this.#start(signal);
    const receipt = (counts: CompletionCounts): SyncReceipt => ({
      batchId: batch.id,
      collections: collectionReceipts(batch.stats, counts),
      restarts: number - 1,
      waitedForLockMs: this.#waitedForLockMs,
      durationMs: clock.monotonic() - since,
    });
    const abort = () => {
      // Whatever is under way ends now; the abort below waits for the server.
      batch.abort().catch(() => {});
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      const counts = await this.#writeAndComplete(batch, { number, signal: batch.signal }, signal);
      return { done: true, receipt: receipt(counts) };
    } catch (error) {
      const ended: unknown = signal.aborted ? signal.reason : error;
      // The service may say that a completion whose answer was lost was done.
      if ((await this.#giveUp(batch)) === "completed") return { done: true, receipt: receipt(NO_COUNTS) };
      if (signal.aborted || number > this.#restarts || !isTransient(batch.failure)) throw ended;
      this.#parts.configuration.logger.warn("saas-management: the batch failed and is started anew", {
        batchId: batch.id,
        attempt: number,
        code: batch.failure instanceof SaasManagementError ? batch.failure.code : undefined,
      });
      this.#acceptedEvents.nextAttempt();
      return { done: false };
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async #start(signal: AbortSignal): Promise<SyncBatch> {
    const { onProgress } = this.#options;
    const { clock } = this.#parts.configuration;
    const since = clock.monotonic();
    let waited = false;
    const notice = (progress: SyncProgress) => {
      waited ||= progress.type === "waiting-for-lock";
      onProgress?.(progress);
    };
    const batch = await this.#parts.start(
      { ...this.#options, signal, onProgress: notice },
      { acceptedEvents: this.#acceptedEvents, observerOf: undefined },
    );
    if (waited) this.#waitedForLockMs += clock.monotonic() - since;
    return batch;
  }

  async #writeAndComplete(
    batch: SyncBatch,
    attempt: RunAttempt,
    signal: AbortSignal,
  ): Promise<CompletionCounts> {
    const declared = new DeclaredBatch(batch, this.#options.snapshots);
    await untilAborted(Promise.resolve(this.#fn(declared, attempt)), signal);
    declared.requireComplete();
    try {
      return await batch.complete();
    } catch (error) {
      // A write that the function did not await is what really went wrong.
      throw error instanceof BatchStateError && batch.failure !== undefined ? batch.failure : error;
    }
  }

  /** Releases the lock. That it cannot be released is told, and never takes the place of what went wrong. */
  async #giveUp(batch: SyncBatch): Promise<"aborted" | "completed"> {
    const lockedUntil = batch.lease.expiresAt;
    try {
      await batch.abort();
      return "aborted";
    } catch (error) {
      if (error instanceof BatchStateError) return error.reason === "completed" ? "completed" : "aborted";
      const { logger } = this.#parts.configuration;
      guardProgress(this.#options.onProgress, logger)({ type: "abort-failed", lockedUntil });
      logger.error("saas-management: the batch could not be aborted; its lock ends with the lease", {
        batchId: batch.id,
        lockedUntil,
        error,
      });
      return "aborted";
    } finally {
      batch.close();
    }
  }
}

/** A completion of which the service tells nothing more. */
const NO_COUNTS: CompletionCounts = { snapshots: {}, events: {} };

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
