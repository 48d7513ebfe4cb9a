import pRetry from "p-retry";
import type { Clock } from "./clock.js";
import type { Deadline } from "./deadline.js";
import { noteAttempts, RateLimitError, SaasManagementError, TransportError } from "./errors.js";

/** How failed attempts are repeated: exponential back-off with full jitter. */
export interface RetryOptions {
  /** Attempts after the first; 0 means none. @default 4 */
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
  /** Called before each pause. */
  readonly onRetry?: (event: {
    readonly attempt: number;
    readonly delayMs: number;
    readonly code: string;
  }) => void;
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: unknown };

/**
 * Runs `attempt` until it succeeds, fails for good, or the policy or the time is exhausted.
 *
 * Whether a failure is repeated is read from the error alone: one of the SDK's that says `retryable`. A pause that the
 * service asked for is kept; where it exceeds the time left, the error is thrown at once instead of tried too early.
 */
export async function withRetry<T>(
  attempt: (number: number) => Promise<T>,
  context: RetryContext,
): Promise<T> {
  const { policy, clock, deadline } = context;
  // Only what may be repeated is thrown into p-retry: it treats non-errors and TypeErrors by rules of its own, and
  // given the signal it would drop a success that came in while the signal fired.
  const outcome = await pRetry<Outcome<T>>(
    async (number) => {
      try {
        deadline.signal.throwIfAborted();
        return { ok: true, value: await attempt(number) };
      } catch (reason) {
        if (!(reason instanceof SaasManagementError)) return { ok: false, reason };
        noteAttempts(reason, number);
        if (reason.retryable) throw reason;
        return { ok: false, reason };
      }
    },
    {
      retries: policy.retries,
      minTimeout: 0,
      maxTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        if (!(error instanceof SaasManagementError)) return false;
        const delayMs = Math.max(backOffMs(policy, attemptNumber), retryAfterMs(error) ?? 0);
        if (delayMs >= deadline.remainingMs) return false;
        context.onRetry?.({ attempt: attemptNumber, delayMs, code: error.code });
        await clock.sleep(delayMs, deadline.signal);
        return true;
      },
    },
  );
  if (outcome.ok) return outcome.value;
  throw outcome.reason;
}

/** Full jitter: anything between nothing and the bound, so that clients that failed together do not return together. */
function backOffMs(policy: RetryPolicy, attempt: number): number {
  return Math.random() * Math.min(policy.maxDelayMs, policy.minDelayMs * 2 ** (attempt - 1));
}

function retryAfterMs(error: SaasManagementError): number | undefined {
  return error instanceof RateLimitError || error instanceof TransportError ? error.retryAfterMs : undefined;
}
