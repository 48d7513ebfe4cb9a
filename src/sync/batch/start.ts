import { onAbort, raceAbort, SIGNAL } from "../../core/abort.js";
import { type Moment, momentOf } from "../../core/clock.js";
import { BatchInProgressError, InvalidInputError } from "../../core/errors/index.js";
import type { Trace } from "../../core/trace.js";
import { FUNCTION, type OptionTable, POSITIVE, type Rule } from "../../core/validate.js";
import { Attempts, callWithRetry, lockedError, openSyncTrace } from "../call.js";
import { LEASE_MS, type SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { CallContext, SyncTransport } from "../transport.js";

/** Options shared by batches and runs. */
export interface BatchOptions {
  /**
   * Id of the direct integration installation of the workspace.
   * @default the client's `sync.installationId`
   */
  readonly installationId?: string | undefined;
  /**
   * How long to wait while another batch holds the lock, in milliseconds. If the lock's owner died, the lock ends 15
   * minutes after the last accepted message. @default 0
   */
  readonly waitForLockMs?: number | undefined;
  /**
   * Cancels the start or the run, which rejects with the signal's reason. A batch that is still starting is aborted.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /** Time limit for an RPC or a window of records, with retries, in milliseconds. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** Headers of every RPC, which override the client's `headers` and follow the same rules. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called for every event of the batch. Errors it throws are logged. @default none */
  readonly onProgress?: OnProgress | undefined;
}

/** Infinity waits for as long as it takes. */
const WAIT: Rule = {
  expected: "a number of milliseconds, 0 or more",
  fits: (value) => typeof value === "number" && value >= 0,
};

export const BATCH_OPTIONS = {
  installationId: true,
  waitForLockMs: WAIT,
  signal: SIGNAL,
  timeoutMs: POSITIVE,
  headers: true,
  onProgress: FUNCTION,
} satisfies OptionTable<BatchOptions>;

/** Options for aborting a batch by its id. */
export type AbortOptions = Pick<BatchOptions, "signal" | "timeoutMs" | "headers">;

export const ABORT_OPTIONS = {
  signal: SIGNAL,
  timeoutMs: POSITIVE,
  headers: true,
} satisfies OptionTable<AbortOptions>;

export function requireInstallation(id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  const text = "pass it, or set sync.installationId (SAAS_MANAGEMENT_INSTALLATION_ID with fromEnv)";
  const what = "installationId must be the id of a direct integration installation";
  throw new InvalidInputError(`${what}: ${text}.`, { advice: { option: "installationId", text } });
}

/** A pending start runs at least this long, in milliseconds, even if nobody is waiting: it may have acquired a lock. */
const MIN_ANSWER_MS = 100_000;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

type Started = { readonly batchId: string };

const NEVER = new AbortController().signal;

/** A lock that may be this client's own, because the outcome of one of its starts is unknown. */
interface PossibleLock {
  readonly installationId: string;
  readonly endsAt: number;
}

/**
 * Notes that StartSyncBatch will be sent next.
 * @returns a function that deletes the note; call it once it's certain that no batch is open
 */
export type NoteStart = () => Promise<() => Promise<void>>;

/** Hooks that a run adds to its batches. */
export interface BatchWatch {
  /** Number of the run's attempt, from 1. */
  readonly attempt: number;
  /** Called before each attempt, because the owner of the lock may have died in the meantime. */
  readonly releaseOrphans?: () => Promise<void>;
  readonly noteStart?: NoteStart;
  /** Earlier starts may have left locks behind: returns the milliseconds until the first of them expires. */
  readonly startEndsInMs?: () => number;
}

interface StartContext extends BatchWatch {
  readonly configuration: SyncConfiguration;
  readonly installationId: string;
  readonly signal: AbortSignal;
  readonly waitForLockMs: number;
  readonly onProgress: OnProgress | undefined;
}

interface StartedBatch {
  readonly id: string;
  /** The moment just before the request that started the batch. */
  readonly startedAt: Moment;
  readonly trace: Trace | undefined;
}

/**
 * Starts batches without losing any. If the caller gives up or runs out of time, the call rejects at once. A request
 * that was already sent continues. If that request still starts a batch, the batch is aborted, so that it doesn't hold
 * the lock.
 */
export class BatchStarter {
  readonly #transport: SyncTransport;
  readonly #configuration: SyncConfiguration;
  readonly #possiblyOwnLocks = new Set<PossibleLock>();
  /** Starts that nobody is waiting for any more, and the aborts of their batches. */
  readonly #cleanups = new Set<Promise<void>>();
  readonly #givenUp = new AbortController();

  constructor(transport: SyncTransport, configuration: SyncConfiguration) {
    this.#transport = transport;
    this.#configuration = configuration;
  }

  /**
   * Starts a batch. While another batch holds the lock, tries again after jittered pauses that grow.
   * @throws {BatchInProgressError} with `waitedMs`, once `waitForLockMs` has passed
   */
  async start(context: StartContext): Promise<StartedBatch> {
    const { installationId, attempt } = context;
    const trace = openSyncTrace(this.#configuration, "sync.batch", { installationId, attempt });
    const start = () => this.#untilStarted(context);
    try {
      const { waitedForLockMs, ...batch } = await (trace === undefined ? start() : trace.run(start));
      if (trace !== undefined) Object.assign(trace.message, { batchId: batch.id, waitedForLockMs });
      return { ...batch, trace };
    } catch (error) {
      trace?.failed(error);
      throw error;
    }
  }

  async #untilStarted(
    context: StartContext,
  ): Promise<{ readonly id: string; readonly startedAt: Moment; readonly waitedForLockMs: number }> {
    const { clock } = this.#configuration;
    const { installationId, waitForLockMs, signal, onProgress, releaseOrphans = async () => {} } = context;
    await raceAbort(releaseOrphans(), signal);
    const since = clock.monotonic();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const startedAt = momentOf(clock);
      try {
        const id = await this.#start(context);
        return { id, startedAt, waitedForLockMs: Math.round(startedAt.monotonic - since) };
      } catch (error) {
        if (!(error instanceof BatchInProgressError)) throw error;
        const waitedMs = clock.monotonic() - since;
        const leftMs = waitForLockMs - waitedMs;
        if (leftMs <= 0) {
          if (waitForLockMs === 0) throw error;
          const waited = `${error.message} Waited for ${Math.round(waitedMs / 1000)} seconds.`;
          throw lockedError(error, waited, { waitedMs });
        }
        // Jittered, so that waiting clients don't all return together. Timers need whole milliseconds.
        const jitteredMs = pauseMs * (0.5 + Math.random() / 2);
        // For this client's own locks, the pause has no jitter, because nobody else waits for their end.
        const ownMs = this.#ownLocks(installationId).map(({ endsAt }) => endsAt - clock.monotonic());
        const lockMs = Math.min(...ownMs, context.startEndsInMs?.() ?? leftMs);
        const nextAttemptMs = Math.ceil(Math.min(leftMs, jitteredMs, lockMs));
        // The service's lease may have begun slightly later, so the next pause is short.
        if (nextAttemptMs >= lockMs) pauseMs = FIRST_PAUSE_MS / 2;
        onProgress?.({ type: "waiting-for-lock", waitedMs, nextAttemptMs });
        await clock.sleep(nextAttemptMs, signal);
        await raceAbort(releaseOrphans(), signal);
      }
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#cleanups);
  }

  /** Stops the cleanups. An abandoned batch that hasn't been aborted yet keeps its lock until its lease ends. */
  giveUp(reason: unknown): void {
    this.#givenUp.abort(reason);
  }

  async #start(context: StartContext): Promise<string> {
    const { configuration, installationId, signal, onProgress } = context;
    const operation = { rpc: "StartSyncBatch", installationId } as const;
    const attempt = (call: CallContext) => this.#attempt(call, context);
    try {
      const { batchId } = await callWithRetry(configuration, operation, signal, attempt, onProgress);
      for (const lock of this.#ownLocks(installationId)) this.#possiblyOwnLocks.delete(lock);
      return batchId;
    } catch (error) {
      const mayBeOwn = this.#ownLocks(installationId).length > 0;
      if (error instanceof BatchInProgressError && mayBeOwn)
        throw lockedError(error, POSSIBLY_OWN, { mayBeOwn });
      throw error;
    }
  }

  /** Makes one attempt, which ignores the caller's signal once it's sent: the attempt may have acquired a lock. */
  async #attempt(call: CallContext, context: StartContext): Promise<Started> {
    const { installationId, noteStart = async () => async () => {} } = context;
    const attempts = new Attempts();
    const unbound = {
      ...call,
      signal: NEVER,
      unlessSent: call.signal,
      answerMs: Math.max(call.timeoutMs, MIN_ANSWER_MS),
    };
    const noted = noteStart();
    const forget = async () => (await noted)();
    const answer = attempts.make(unbound, async (made) => {
      await noted;
      return this.#transport.startBatch(installationId, made);
    });
    let abandoned = false;
    // Registered at once: when a client closes, it waits only for starts that have already been abandoned.
    const unlink = onAbort(call.signal, () => {
      abandoned = true;
      this.#abandon(context, answer, attempts, forget);
    });
    answer.then(unlink, unlink);
    try {
      return await raceAbort(answer, call.signal);
    } catch (error) {
      if (!abandoned && attempts.mayBeDone) this.#addLock(installationId);
      else if (!abandoned) await forget();
      throw error;
    }
  }

  /** Aborts the batch of a start that nobody is waiting for any more. */
  #abandon(
    { configuration, installationId }: StartContext,
    answer: Promise<Started>,
    attempts: Attempts,
    forget: () => Promise<void>,
  ): void {
    const lock = this.#addLock(installationId);
    const abort = async () => {
      const started = await answer.catch((error: unknown) => {
        if (attempts.mayBeDone) throw error;
      });
      if (started !== undefined) {
        const { batchId } = started;
        const operation = { rpc: "AbortSyncBatch", installationId, batchId } as const;
        const send = (call: CallContext) => this.#transport.abortBatch(batchId, call);
        await callWithRetry(configuration, operation, this.#givenUp.signal, send);
      }
      this.#possiblyOwnLocks.delete(lock);
      await forget();
    };
    const message =
      "saas-management: could not abort a batch whose start was cancelled; its lock ends with the lease";
    const cleanup = abort()
      .catch((error: unknown) => this.#configuration.logger.warn(message, { error }))
      .finally(() => this.#cleanups.delete(cleanup));
    this.#cleanups.add(cleanup);
  }

  #addLock(installationId: string): PossibleLock {
    const lock = { installationId, endsAt: this.#configuration.clock.monotonic() + LEASE_MS };
    this.#possiblyOwnLocks.add(lock);
    return lock;
  }

  /** Returns the locks of an installation that may still be this client's own. Forgets locks that have ended. */
  #ownLocks(installationId: string): readonly PossibleLock[] {
    const now = this.#configuration.clock.monotonic();
    for (const lock of this.#possiblyOwnLocks) if (lock.endsAt <= now) this.#possiblyOwnLocks.delete(lock);
    return [...this.#possiblyOwnLocks].filter((lock) => lock.installationId === installationId);
  }
}

const POSSIBLY_OWN =
  "A batch of this installation is in progress. It may be this client's own, because the answer to an earlier start was lost. A lock that nobody uses ends 15 minutes after it was acquired.";
