import pRetry from "p-retry";
import type { Clock } from "./clock.js";
import type { Deadline } from "./deadline.js";
import {
  annotate,
  RateLimitError,
  SaasManagementError,
  type StopReason,
  TimeoutError,
  TransportError,
} from "./errors/index.js";

/** How failed attempts are repeated: exponential back-off with full jitter. */
export interface RetryOptions {
  /**
   * Attempts after the first; 0 means none. All operations of a client share a budget, which ends the retries of a
   * service that fails for all of them. @default 4
   */
  readonly retries?: number | undefined;
  /** Upper bound of the first pause, in milliseconds; it doubles with each attempt. @default 200 */
  readonly minDelayMs?: number | undefined;
  /** Upper bound of every pause, in milliseconds. @default 10_000 */
  readonly maxDelayMs?: number | undefined;
}

/** Retry options with every value set. */
export interface RetryPolicy {
  readonly retries: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/** What happens around the attempts of one operation. */
export interface RetryContext {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** Bounds all attempts and the pauses between them. */
  readonly deadline: Deadline;
  /** Pays for the retries. */
  readonly budget: RetryBudget;
  /** Whether a transient failure may be repeated, as far as the operation goes. @default always */
  readonly mayRepeat?: (() => boolean) | undefined;
  /**
   * Asked where another attempt would be of no use: whether what was wrong with it has changed. It is then made at
   * once, whatever the policy.
   * @throws {SaasManagementError} to fail with instead
   */
  readonly recover: (failure: SaasManagementError) => Promise<boolean>;
  /** Called before each pause. */
  readonly onRetry: (failure: SaasManagementError, attempt: number, delayMs: number) => void;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: unknown };

/**
 * Runs `attempt` until it succeeds, fails for good, or the policy, the budget or the time is exhausted.
 *
 * Whether a failure is repeated is read from the error alone: one of the SDK's that says `retryable`. A pause that the
 * service asked for is kept; where it exceeds the time left, the error is thrown at once instead of tried too early.
 */
export async function withRetry<T>(
  attempt: (number: number) => Promise<T>,
  context: RetryContext,
): Promise<T> {
  const { policy, clock, deadline, budget } = context;
  let attempts = 0;
  let retries = 0;
  // Only what may be repeated is thrown into p-retry: it treats non-errors and TypeErrors by rules of its own, and
  // given the signal it would drop a success that came in while the signal fired.
  const attemptOnce = async (): Promise<Outcome<T>> => {
    for (;;) {
      try {
        deadline.signal.throwIfAborted();
        attempts += 1;
        return { ok: true, value: await attempt(attempts) };
      } catch (reason) {
        const failure = note(reason, attempts, deadline);
        if (failure?.retryable === true) throw failure;
        if (failure === undefined) return { ok: false, reason };
        const end = await recovery(failure, attempts, context);
        if (end !== undefined) return { ok: false, reason: end.reason };
      }
    }
  };
  const repeat = (first: Promise<Outcome<T>>): Promise<Outcome<T>> =>
    pRetry((number) => (number === 1 ? first : attemptOnce()), {
      retries: policy.retries,
      minTimeout: 0,
      maxTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        if (!(error instanceof SaasManagementError)) return false;
        const askedMs = retryAfterMs(error) ?? 0;
        const delayMs = Math.max(backOffMs(policy, attemptNumber), askedMs);
        const stop =
          (context.mayRepeat?.() === false ? "not-retryable" : undefined) ??
          stopReason(askedMs, delayMs, deadline) ??
          (budget.take() ? undefined : "budget-exhausted");
        if (stop !== undefined) {
          annotate(error, { attempts: attempts, stoppedBecause: stop });
          return false;
        }
        retries += 1;
        context.onRetry(error, attempts, delayMs);
        // A pause that is cut short is found out when the next attempt begins.
        await clock.sleep(delayMs, deadline.signal).catch(() => {});
        return true;
      },
    });
  const first = attemptOnce();
  // Setting up the loop costs as much as a small request does: most operations need none.
  const outcome = await first.catch(() => repeat(first));
  if (!outcome.ok) throw outcome.reason;
  budget.refund(retries > 0);
  return outcome.value;
}

/**
 * Writes down what is known of a failure, for the failure itself and for the time's being up later.
 * @returns the failure, where it is the attempt's own: neither the caller's reason nor the end of the time
 */
function note(reason: unknown, attempts: number, deadline: Deadline): SaasManagementError | undefined {
  if (!(reason instanceof SaasManagementError) || deadline.isCallersReason(reason)) return undefined;
  if (reason instanceof TimeoutError) {
    annotate(reason, { attempts: attempts, stoppedBecause: "deadline" });
    return undefined;
  }
  annotate(reason, {
    attempts: attempts,
    stoppedBecause: reason.retryable ? "retries-exhausted" : "not-retryable",
  });
  deadline.lastFailure = reason;
  return reason;
}

/** What to fail with after a failure that is not retryable; undefined where another attempt may be made at once. */
async function recovery(
  failure: SaasManagementError,
  attempts: number,
  { recover, onRetry, deadline }: RetryContext,
): Promise<{ readonly reason: unknown } | undefined> {
  try {
    if (!(await recover(failure))) return { reason: failure };
    onRetry(failure, attempts, 0);
    return undefined;
  } catch (reason) {
    note(reason, attempts, deadline);
    return { reason };
  }
}

/** Why there is no time for another attempt; undefined where there is. */
function stopReason(askedMs: number, delayMs: number, { remainingMs }: Deadline): StopReason | undefined {
  if (delayMs < remainingMs) return undefined;
  return askedMs > 0 && askedMs >= remainingMs ? "retry-after-exceeds-deadline" : "deadline";
}

/** Full jitter: anything between nothing and the bound, so that clients that failed together do not return together. */
function backOffMs(policy: RetryPolicy, attempt: number): number {
  return Math.random() * Math.min(policy.maxDelayMs, policy.minDelayMs * 2 ** (attempt - 1));
}

function retryAfterMs(error: SaasManagementError): number | undefined {
  return error instanceof RateLimitError || error instanceof TransportError ? error.retryAfterMs : undefined;
}

/** Tokens of a full budget. */
const CAPACITY = 500;
/** Tokens that a retry costs. A full budget pays for 100 retries: for 25 operations with the default of 4. */
const RETRY_COST = 5;
/** Tokens that an operation which succeeds at once gives back. */
const SUCCESS_REFUND = 1;

/**
 * How many retries one client may make: a token bucket with the figures of the AWS SDKs' standard mode.
 *
 * Each retry takes tokens out. A retry that succeeds puts its own back, and an operation that succeeds at once puts one
 * back. So a failure here and there is always retried, while a server that fails for everybody gets little more than
 * the first attempts. Nothing depends on time.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Pays for one retry. @returns whether there was enough left */
  take(): boolean {
    if (this.#tokens < RETRY_COST) return false;
    this.#tokens -= RETRY_COST;
    return true;
  }

  /** An operation succeeded, after retries or at once. */
  refund(retried: boolean): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + (retried ? RETRY_COST : SUCCESS_REFUND));
  }
}

/** What a number too large to be meant counts as: 68 years, as recipients do with ages (RFC 9111, section 1.2.2). */
const MAX_SECONDS = 2 ** 31;
/** `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun, 06 Nov 1994 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8}(, \d{2}[- ][A-Z][a-z]{2}[- ]\d{2,4} [\d:]{8} GMT| [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;
const ASCTIME = /\d{4}$/;
/** No header's form, and written by some services all the same. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/;

/**
 * Milliseconds that a `Retry-After` means, which is a number of seconds or a date (RFC 9110, section 10.2.3); undefined
 * where it is neither.
 * @param now Wall-clock time in milliseconds since the epoch.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return undefined;
  // The form of asctime names no zone, and means UTC as the others do.
  const date = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
