import pRetry from "p-retry";
import { linkAbort } from "./abort.js";
import type { Clock } from "./clock.js";
import {
  annotate,
  ConfigurationError,
  RateLimitError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "./errors/index.js";
import { type OptionTable, POSITIVE, readOptions, wholeNumber } from "./validate.js";

/** How failed attempts are retried: exponential back-off with full jitter. */
export interface RetryOptions {
  /**
   * Maximum number of attempts after the first; 0 means none. All operations of a client share a retry budget, so
   * retries stop when the service fails for all of them. @default 4
   */
  readonly retries?: number | undefined;
  /** Upper bound of the first pause, in milliseconds; it doubles with each attempt. @default 200 */
  readonly minDelayMs?: number | undefined;
  /** Upper bound of every pause, in milliseconds. @default 10_000 */
  readonly maxDelayMs?: number | undefined;
}

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly operation: string;
  /** Name of the option that sets the time, for the error's message. @default "timeoutMs" */
  readonly option?: string | undefined;
  /** What to do when the time is up, for the error's message. @default to raise the option, or try again later */
  readonly advice?: (() => string | undefined) | undefined;
  /** Ends the operation early. If it's a controller, the SDK also aborts it when the time is up. */
  readonly cancellation?: AbortSignal | AbortController | undefined;
  /** Whether calling the same method again is safe after the time is up. @default false */
  readonly retryable?: boolean | undefined;
}

/** The time limit and the cancellation of one operation, including retries. Always call `end()`. */
export class Deadline {
  /** Aborts with the caller's reason, or with a {@link TimeoutError} when time runs out. */
  readonly signal: AbortSignal;
  /** Failure of the last attempt: the cause of a later {@link TimeoutError}. */
  lastFailure: SaasManagementError | undefined;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #stopTimer: () => void;
  readonly #unlink: () => void;
  #timeout: TimeoutError | undefined;

  constructor(options: DeadlineOptions) {
    const { clock, timeoutMs, operation, option = "timeoutMs", cancellation, retryable } = options;
    const { controller, unlink } =
      cancellation !== undefined && "signal" in cancellation
        ? { controller: cancellation, unlink: () => {} }
        : linkAbort(cancellation);
    this.signal = controller.signal;
    this.#unlink = unlink;
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + timeoutMs;
    const expire = () => {
      const advice = options.advice?.() ?? `Raise ${option}, or try again later.`;
      const message = `${operation} took longer than ${timeoutMs} ms. ${advice}`;
      this.#timeout = new TimeoutError(message, { timeoutMs, retryable, cause: this.lastFailure });
      controller.abort(this.#timeout);
    };
    // Not `clock.sleep`, because every request would pay for a promise and a listener.
    this.#stopTimer = clock.after(timeoutMs, expire, { keepAlive: true });
  }

  /** Never negative, although a busy process may run its timers late: Node warns of timers with negative times. */
  get remainingMs(): number {
    return Math.max(0, this.#endsAt - this.#clock.monotonic());
  }

  /** Whether a rejection carries the reason that the caller gave when ending the operation. */
  isCallersReason(reason: unknown): boolean {
    return this.signal.aborted && reason === this.signal.reason && reason !== this.#timeout;
  }

  end(): void {
    this.#stopTimer();
    this.#unlink();
  }
}

const RETRY_OPTIONS = {
  retries: wholeNumber(0),
  minDelayMs: POSITIVE,
  maxDelayMs: POSITIVE,
} satisfies OptionTable<RetryOptions>;

export type RetryPolicy = { readonly [Name in keyof RetryOptions]-?: number };

/** @param defaults Values for the fields that are left out. */
export function resolveRetry(retry: RetryOptions | false | undefined, defaults: RetryPolicy): RetryPolicy {
  if (retry === undefined) return defaults;
  const given =
    retry === false ? { retries: 0 } : readOptions("retry", retry, RETRY_OPTIONS, ConfigurationError);
  const { retries = defaults.retries, minDelayMs = defaults.minDelayMs } = given;
  const { maxDelayMs = defaults.maxDelayMs } = given;
  if (minDelayMs > maxDelayMs)
    throw new ConfigurationError("retry: minDelayMs must not be above maxDelayMs.");
  return { retries, minDelayMs, maxDelayMs };
}

export interface RetryContext {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly budget: RetryBudget;
  /**
   * Called for a failure that isn't retryable. Returns true if it fixed what caused the failure; the next attempt
   * then follows at once, regardless of the policy.
   * @throws {SaasManagementError} the error that the operation fails with instead
   */
  readonly recover: (failure: SaasManagementError) => Promise<boolean>;
  readonly onRetry: (failure: SaasManagementError, attempt: number, delayMs: number) => void;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: unknown };

/**
 * Runs `attempt` until it succeeds or fails for good, or until the policy, the budget or the time is used up.
 *
 * Only `retryable` errors of the SDK are retried. If the service asks for a pause, the SDK waits that long; if not
 * enough time is left, it throws the error at once.
 *
 * p-retry runs the loop: it numbers the attempts, counts the retries, and asks after each failure whether the failure
 * counts and whether to continue. We pass p-retry no signal, because it would drop a success if the signal had since
 * aborted. We pass p-retry only errors of the SDK, because it replaces anything that isn't an error. We check the limit
 * ourselves, because p-retry stops asking once the limit is reached, even after a failure that doesn't count. We also
 * make the pauses, to honor Retry-After, full jitter and our clock.
 */
export async function withRetry<T>(
  attempt: (number: number) => Promise<T>,
  context: RetryContext,
): Promise<T> {
  const { policy, clock, deadline, budget, recover, onRetry } = context;
  let attempts = 0;
  let retried = false;
  const attemptOnce = async (number: number): Promise<Outcome<T>> => {
    try {
      deadline.signal.throwIfAborted();
      attempts = number;
      return { ok: true, value: await attempt(number) };
    } catch (reason) {
      const failure = noteFailure(reason, attempts, deadline);
      if (failure !== undefined) throw failure;
      return { ok: false, reason };
    }
  };
  const outcome = await pRetry(attemptOnce, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 0,
    shouldConsumeRetry: ({ error }) => error instanceof SaasManagementError && error.retryable,
    shouldRetry: async ({ error, retriesConsumed }) => {
      if (!(error instanceof SaasManagementError)) return false;
      if (!error.retryable) {
        const recovered = await recover(error).catch((reason: unknown) => {
          noteFailure(reason, attempts, deadline);
          throw reason;
        });
        if (recovered) onRetry(error, attempts, 0);
        return recovered;
      }
      const askedMs = retryAfterMs(error) ?? 0;
      const delayMs = Math.max(backOffMs(policy, retriesConsumed), askedMs);
      const stop =
        (retriesConsumed < policy.retries ? undefined : "retries-exhausted") ??
        stopReason(askedMs, delayMs, deadline) ??
        (budget.take() ? undefined : "budget-exhausted");
      if (stop !== undefined) {
        annotate(error, { stoppedBecause: stop });
        return false;
      }
      retried = true;
      onRetry(error, attempts, delayMs);
      // The next attempt notices that the pause was aborted.
      await clock.sleep(delayMs, deadline.signal).catch(() => {});
      return true;
    },
  });
  if (!outcome.ok) throw outcome.reason;
  budget.refund(retried);
  return outcome.value;
}

/**
 * Annotates a failed attempt, and remembers it in case time runs out later.
 * @returns the failure; undefined if it is the caller's abort reason, or if time ran out
 */
function noteFailure(reason: unknown, attempts: number, deadline: Deadline): SaasManagementError | undefined {
  if (!(reason instanceof SaasManagementError) || deadline.isCallersReason(reason)) return undefined;
  if (reason instanceof TimeoutError) {
    annotate(reason, { attempts, stoppedBecause: "deadline" });
    return undefined;
  }
  annotate(reason, { attempts, stoppedBecause: reason.retryable ? undefined : "not-retryable" });
  deadline.lastFailure = reason;
  return reason;
}

/** Why there is no time for another attempt; undefined if there is time. */
function stopReason(
  askedMs: number,
  delayMs: number,
  { remainingMs }: Deadline,
): SaasManagementError["stoppedBecause"] {
  if (delayMs < remainingMs) return undefined;
  return askedMs > 0 && askedMs >= remainingMs ? "retry-after-exceeds-deadline" : "deadline";
}

/** Full jitter, so that clients that failed together don't all retry together. */
function backOffMs(policy: RetryPolicy, retries: number): number {
  return Math.random() * Math.min(policy.maxDelayMs, policy.minDelayMs * 2 ** retries);
}

/** How long the service asked to wait, in milliseconds. */
export function retryAfterMs(error: SaasManagementError): number | undefined {
  return error instanceof RateLimitError || error instanceof TransportError ? error.retryAfterMs : undefined;
}

const BUDGET_CAPACITY = 500;
/** A full budget pays for 100 retries: 25 operations with the default of 4 each. */
const RETRY_COST = 5;
const SUCCESS_REFUND = 1;

/**
 * How many retries one client may make: a token bucket with the figures of the AWS SDKs' standard mode. Occasional
 * failures are always retried. A service that is failing for everyone gets first attempts and few retries.
 */
export class RetryBudget {
  #tokens = BUDGET_CAPACITY;

  /** Pays for one retry. @returns false if the budget doesn't cover it */
  take(): boolean {
    if (this.#tokens < RETRY_COST) return false;
    this.#tokens -= RETRY_COST;
    return true;
  }

  refund(retried: boolean): void {
    this.#tokens = Math.min(BUDGET_CAPACITY, this.#tokens + (retried ? RETRY_COST : SUCCESS_REFUND));
  }
}

/** Caps a number of seconds at 68 years, as HTTP caches do with ages (RFC 9111, section 1.2.2). */
const MAX_RETRY_AFTER_SECONDS = 2 ** 31;
/** `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun, 06 Nov 1994 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8}(, \d{2}[- ][A-Z][a-z]{2}[- ]\d{2,4} [\d:]{8} GMT| [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;
const ASCTIME = /\d{4}$/;
/** ISO 8601 isn't a date format of HTTP, but some services send it. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/;

/**
 * Converts a `Retry-After` (a number of seconds or a date; RFC 9110, section 10.2.3) to milliseconds. Returns undefined
 * for anything else.
 * @param now Wall-clock time in milliseconds since the epoch.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1000;
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return undefined;
  // The asctime format has no time zone; it means UTC.
  const date = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
