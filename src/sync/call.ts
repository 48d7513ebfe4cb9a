import { raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import {
  AuthenticationError,
  annotate,
  BatchInProgressError,
  PermissionDeniedError,
  RateLimitError,
  SyncProtocolError,
} from "../core/errors/index.js";
import { runOperation } from "../core/operation.js";
import { Deadline } from "../core/retry.js";
import { type ChannelMessage, openTrace, type Trace, type TracedCall } from "../core/trace.js";
import type { Collection } from "./collections.js";
import type { SyncConfiguration } from "./options.js";
import type { OnProgress } from "./progress.js";
import type { CallContext, SyncRpc } from "./transport.js";

/** The subject of a call, for events. */
export interface Subject {
  readonly installationId?: string;
  readonly batchId?: string;
}

/** Facts that only the tracing channels publish. */
type Facts = Subject & Pick<ChannelMessage, "attempt" | "collection">;

export interface SyncOperation extends Subject {
  readonly rpc: SyncRpc;
  readonly collection?: Collection;
  readonly lease?: { readonly remainingMs: number };
  /** The batch's trace, if it has subscribers. */
  readonly parent?: ChannelMessage | undefined;
}

/** Opens the trace of a call; a preview has none. */
export function openSyncTrace(
  { endpoint, isTraced }: SyncConfiguration,
  call: TracedCall,
  facts: Facts,
  parent?: ChannelMessage,
): Trace | undefined {
  return isTraced ? openTrace(call, () => ({ endpoint: endpoint.origin, ...facts }), parent) : undefined;
}

export function callWithRetry<T>(
  configuration: SyncConfiguration,
  operation: SyncOperation,
  cancellation: AbortSignal | AbortController | undefined,
  attempt: (call: CallContext) => Promise<T>,
  onProgress?: OnProgress,
): Promise<T> {
  const { rpc, collection, lease, parent, ...info } = operation;
  const label = collection === undefined ? rpc : `${rpc} of ${collection}`;
  return runOperation(
    configuration,
    {
      call: "sync.rpc",
      parent,
      info: { api: "sync", operation: rpc, ...info },
      facts: () => ({
        endpoint: configuration.endpoint.origin,
        collection,
        leaseRemainingMs: lease?.remainingMs,
      }),
      label,
      credential: configuration.credential,
      cancellation,
      // Only aborts are safe to repeat: a start may leave a lock behind, a write may be applied twice, and the outcome
      // of a completion must not be guessed.
      repeatable: rpc === "AbortSyncBatch",
      onEvent: ({ type, attempt, delayMs, code }) => {
        if (type === "retry" && delayMs !== undefined && code !== undefined)
          onProgress?.({ type, operation: label, attempt, delayMs, code });
      },
    },
    ({ carried, ...context }) => {
      const answer = attempt({ ...context, carried: { ...configuration.headers, ...carried } });
      // Doesn't warn about SyncRecords, because sending a large window may take a long time.
      return rpc === "SyncRecords" ? answer : untilNamed(configuration, label, answer);
    },
  );
}

/** How long to wait for a response before warning about the service, in milliseconds. */
const SILENT_MS = 30_000;
/** Clients that have logged a warning about a service that hasn't responded since. */
const SILENT = new WeakSet<SyncConfiguration["credential"]>();

/** Warns once about a service that doesn't respond, because the call itself fails much later. */
async function untilNamed<T>(
  configuration: SyncConfiguration,
  label: string,
  answer: Promise<T>,
): Promise<T> {
  const { clock, credential, endpoint, logger, timeoutMs } = configuration;
  const stopTimer = clock.after(SILENT_MS, () => {
    if (SILENT.has(credential)) return;
    SILENT.add(credential);
    logger.warn(`saas-management: ${endpoint.origin} hasn't answered ${label} for 30 s`, { timeoutMs });
  });
  try {
    const value = await answer;
    SILENT.delete(credential);
    return value;
  } finally {
    stopTimer();
  }
}

/** What the failed attempts of one operation, taken together, say about the operation's effect. */
export class Attempts {
  /**
   * Whether the service may have executed the operation: an attempt was sent, and no response proves that the attempt
   * was refused.
   */
  mayBeDone = false;
  /** Whether the service refused an attempt. If `refused` and `mayBeDone` are false, nothing reached the service. */
  refused = false;

  async make<T>(call: CallContext, attempt: (call: CallContext) => Promise<T>): Promise<T> {
    let unsent = false;
    const onUnsent = () => {
      unsent = true;
    };
    try {
      return await attempt({ ...call, onUnsent });
    } catch (error) {
      if (!unsent && isRefusal(error)) this.refused = true;
      else if (!unsent) this.mayBeDone = true;
      throw error;
    }
  }
}

/** Statuses of a server that broke down, which don't reveal what the server had done before. */
const UNCLEAR: ReadonlySet<string> = new Set(["UNKNOWN", "INTERNAL", "DATA_LOSS"]);

/** Returns whether the error proves that the service didn't execute the operation. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof AuthenticationError ||
    error instanceof PermissionDeniedError ||
    error instanceof RateLimitError ||
    error instanceof BatchInProgressError ||
    (error instanceof SyncProtocolError && error.grpcStatus !== undefined && !UNCLEAR.has(error.grpcStatus))
  );
}

/** Returns whether the service refused to abort a batch because the batch has ended. */
export function hasEnded(error: unknown): error is SyncProtocolError {
  if (!(error instanceof SyncProtocolError)) return false;
  return error.grpcStatus === "NOT_FOUND" || error.grpcStatus === "FAILED_PRECONDITION";
}

/** Returns a more detailed error for a held lock. */
export function lockedError(
  locked: BatchInProgressError,
  message: string,
  more: { readonly waitedMs?: number; readonly mayBeOwn?: boolean; readonly cause?: unknown } = {},
): BatchInProgressError {
  const { installationId, serverMessage, waitedMs, mayBeOwn, cause } = locked;
  const details = { installationId, serverMessage, waitedMs, mayBeOwn, cause };
  return annotate(new BatchInProgressError(message, { ...details, ...more }), locked);
}

/** How long a run or a closed client waits for cleanup, in milliseconds. */
const CLEANUP_GRACE_MS = 5000;

/**
 * Waits for cleanup, at most 5 seconds. The cleanup has its own signal: the run's signal may already have aborted.
 * @param cleanUp Receives a signal that aborts when nobody is waiting any more.
 * @throws {TimeoutError} the cleanup took too long
 */
export async function withinGrace<T>(
  clock: Clock,
  cleanUp: (over: AbortSignal) => Promise<T>,
  timeoutMs = CLEANUP_GRACE_MS,
): Promise<T> {
  const advice = () => "The SDK no longer waits for it.";
  const deadline = new Deadline({ clock, timeoutMs, operation: "The cleanup", advice });
  try {
    return await raceAbort(cleanUp(deadline.signal), deadline.signal);
  } finally {
    deadline.end();
  }
}

/**
 * Like {@link withinGrace}, for cleanup that nothing depends on. Never rejects.
 * @param failed What to log if the cleanup fails.
 */
export async function bestEffort(
  { clock, logger }: Pick<SyncConfiguration, "clock" | "logger">,
  failed: { readonly level: "warn" | "error"; readonly message: string; readonly details?: object },
  work: (over: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await withinGrace(clock, work);
  } catch (error) {
    logger[failed.level](`saas-management: ${failed.message}`, { ...failed.details, error });
  }
}
