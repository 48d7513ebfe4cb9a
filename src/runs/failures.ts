/** What a run does when it fails: whether it tries again, and which error it throws in the end. */
import { raceAbort } from "../core/abort.js";
import {
  BatchInProgressError,
  BatchOutcomeUnknownError,
  BatchStateError,
  RateLimitError,
  RunHeldError,
  RunOutdatedError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../core/errors/index.js";
import type { Logger } from "../core/hooks.js";
import { retryAfterMs } from "../core/retry.js";
import type { BatchHandle } from "../sync/batch/handle.js";
import type { Collection } from "../sync/collections.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { OnProgress } from "../sync/progress.js";
import type { LedgerState } from "./ledger/state.js";
import type { ResolvedRunOptions } from "./options.js";
import { isReceipt } from "./receipt.js";

/** How long a run keeps trying to send its records, in milliseconds. */
const RETRY_FOR_MS = 600_000;
/** The pause before the third batch, in milliseconds. It doubles with each later batch; the second has no pause. */
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

type RunScope = Pick<SyncConfiguration, "clock" | "logger">;

/** A batch that failed or couldn't be started. */
export interface FailedBatch {
  /** The error the run throws if it doesn't try again. */
  readonly error: unknown;
  /** The failure of the connection or the service. If it is transient, another batch may succeed. */
  readonly failure: unknown;
  /** Undefined if no batch was started. */
  readonly batchId?: string;
}

/** Keeps trying while the service is unavailable. */
export class Outage {
  readonly #options: Pick<ResolvedRunOptions, "retryForMs" | "onProgress">;
  readonly #scope: RunScope;
  #since: number | undefined;
  /** How many batches the run has started after the first. */
  restarts = 0;

  constructor(options: ResolvedRunOptions, scope: RunScope) {
    this.#options = options;
    this.#scope = scope;
  }

  /** Pauses before the next batch. @returns false if another batch can't succeed, or not within `retryForMs` */
  async wait({ failure, batchId }: FailedBatch, ended: AbortSignal): Promise<boolean> {
    if (ended.aborted || !this.#mayPass(failure)) return false;
    const { retryForMs = RETRY_FOR_MS, onProgress } = this.#options;
    const { clock, logger } = this.#scope;
    const now = clock.monotonic();
    this.#since ??= now;
    const leftMs = this.#since + retryForMs - now;
    const pauseMs = this.restarts === 0 ? 0 : Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (this.restarts - 1));
    const delayMs = Math.max(Math.round(pauseMs * (0.5 + Math.random() / 2)), retryAfterMs(failure) ?? 0);
    if (delayMs >= leftMs) return false;
    this.restarts += 1;
    const { code } = failure;
    const until = new Date(clock.now() + leftMs);
    onProgress?.({ type: "service-away", code, delayMs, until });
    const message = `saas-management: the service is unavailable; retrying until ${until.toISOString()}`;
    logger.warn(message, { ...(batchId !== undefined && { batchId }), code, delayMs, error: failure });
    await clock.sleep(delayMs, ended);
    return true;
  }

  #mayPass(failure: unknown): failure is SaasManagementError {
    return (
      (failure instanceof TransportError && failure.retryable) ||
      failure instanceof TimeoutError ||
      failure instanceof RateLimitError ||
      failure instanceof BatchOutcomeUnknownError ||
      (failure instanceof BatchStateError && failure.reason === "expired") ||
      // The run's own lock, which could not be released in this outage.
      (failure instanceof BatchInProgressError && failure.mayBeOwn && this.restarts > 0)
    );
  }
}

/**
 * Releases the lock of a batch that failed. A failure is logged and must not mask the original error.
 * @param unclear Set if this run may have completed the batch. If it isn't set but the batch is completed, someone
 *   else completed it, perhaps with only some of the records.
 */
export async function released(
  batch: BatchHandle,
  unclear: BatchOutcomeUnknownError | undefined,
  logger: Logger,
  onProgress: OnProgress | undefined,
): Promise<"aborted" | "completed" | "unknown"> {
  const batchId = batch.id;
  const lockedUntil = batch.lease.expiresAt;
  try {
    await batch.abort();
    return "aborted";
  } catch (error) {
    if (error instanceof BatchStateError) {
      if (error.reason !== "completed") return "aborted";
      if (unclear === undefined)
        logger.warn(
          "saas-management: the service says that the batch is completed, but this run didn't complete it; records missing from its snapshots are marked as removed until a run sends them in full",
          { batchId },
        );
      return "completed";
    }
    onProgress?.({ type: "abort-failed", lockedUntil });
    logger.error("saas-management: the batch could not be aborted; its lock ends with the lease", {
      batchId,
      lockedUntil,
      error,
    });
    return "unknown";
  } finally {
    batch.close();
  }
}

/** The error of a run that another one has overtaken. @param names The collections of the run. */
export function outdated(
  installationId: string,
  names: readonly Collection[],
  before: LedgerState,
  now: LedgerState,
): RunOutdatedError {
  const receiptsOf = ({ runs }: LedgerState) => runs.map(({ receipt }) => receipt).filter(isReceipt);
  const known = new Set(receiptsOf(before).map(({ batchId }) => batchId));
  const otherBatchId = receiptsOf(now).findLast(
    ({ batchId, collections }) => !known.has(batchId) && names.some((name) => name in collections),
  )?.batchId;
  const named = otherBatchId === undefined ? "Another run" : `The run of batch ${otherBatchId}`;
  return new RunOutdatedError(
    `${named} of installation ${JSON.stringify(installationId)} was completed while this one read its source, so this one may have read older data and was not completed. Run it again, and make sure that runs of the same collections don't overlap.`,
    { installationId, otherBatchId },
  );
}

/**
 * Reports a failed run to `onHeld` and to the log.
 * @param unclear The error of a batch that may have been completed.
 * @returns the error that the run throws
 */
export async function reportFailure(
  error: unknown,
  { installationId, onHeld, signal }: ResolvedRunOptions,
  logger: Logger,
  { ended, unclear }: { readonly ended: AbortSignal; readonly unclear: BatchOutcomeUnknownError | undefined },
): Promise<unknown> {
  if (error instanceof RunHeldError) {
    const { report } = error;
    const telling = (async () => onHeld?.(report))();
    await raceAbort(telling, ended).catch((failed: unknown) => {
      logger.warn("saas-management: onHeld failed", { error: failed });
    });
    const reasons = report.reasons.map(({ collection, rule, diff }) => {
      const { known, sent, added, removed } = diff;
      return { collection, rule, known, sent, added, removed };
    });
    logger.warn("saas-management: run held", { installationId, reasons });
  }
  const isCallers = signal?.aborted === true && error === signal.reason;
  const told = unclear === undefined ? error : withUnclear(error, unclear, isCallers, logger);
  if (!(error instanceof RunHeldError))
    logger.error("saas-management: run failed", { installationId, error: told });
  return told;
}

/**
 * If one of a run's batches may have been completed, the run's error must not hide that. If the error is the caller's
 * own, it stays unchanged, and a warning says so.
 */
function withUnclear(
  error: unknown,
  unclear: BatchOutcomeUnknownError,
  isCallers: boolean,
  logger: Logger,
): unknown {
  if (error === unclear) return error;
  const { batchId, requestId } = unclear;
  if (!isCallers && error instanceof SaasManagementError && !(error instanceof RunHeldError))
    return new BatchOutcomeUnknownError(
      `CompleteSyncBatch was sent for a batch of this run, and its outcome is unknown: send every snapshot in full in another run. This run ended with: ${error.message}`,
      { batchId, requestId, cause: error },
    );
  logger.warn(
    "saas-management: CompleteSyncBatch was sent for a batch of this run, and its outcome is unknown",
    { batchId, requestId },
  );
  return error;
}
