import { type LinkedController, linkAbort } from "./abort.js";
import type { Clock } from "./clock.js";
import { type SaasManagementError, TimeoutError } from "./errors/index.js";

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** What is being done, for the error's message: `GraphQL request Licenses`. */
  readonly operation: string;
  /** Monotonic time of the start, if some of the time is over. @default now */
  readonly begunAt?: number | undefined;
  /** Name of the option with the time, for the error's message. @default "timeoutMs" */
  readonly option?: string | undefined;
  /** What to do when the time is up, for the error's message. @default to raise the option, or try again later */
  readonly advice?: (() => string | undefined) | undefined;
  /** Ends it before the time is up. A controller is the operation's own, and aborts when the time is up too. */
  readonly cancellation?: AbortSignal | AbortController | undefined;
  /** Whether calling the same method again is safe after the time is up. @default false */
  readonly retryable?: boolean | undefined;
}

/**
 * The time and the cancellation of one operation, its retries included.
 *
 * Its signal aborts with the caller's reason, or with a {@link TimeoutError} when the time is up. `end()` must be called:
 * it stops the timer and removes the listener from the caller's signal.
 */
export class Deadline {
  /** Aborts when the caller does or the time is up. */
  readonly signal: AbortSignal;
  /** Failure of the last attempt, for the cause of the {@link TimeoutError}. */
  lastFailure: SaasManagementError | undefined;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #stopTimer: () => void;
  readonly #linked: LinkedController;
  #timeout: TimeoutError | undefined;

  constructor(options: DeadlineOptions) {
    const { clock, timeoutMs, operation, option = "timeoutMs", cancellation, retryable } = options;
    this.#linked =
      cancellation instanceof AbortController
        ? { controller: cancellation, unlink: () => {} }
        : linkAbort(cancellation);
    const { controller } = this.#linked;
    this.signal = controller.signal;
    this.#clock = clock;
    this.#endsAt = (options.begunAt ?? clock.monotonic()) + timeoutMs;
    // Not a sleep, whose promise and signal every request would pay for.
    this.#stopTimer = clock.after(
      options.begunAt === undefined ? timeoutMs : Math.max(0, this.remainingMs),
      () => {
        const cause = this.lastFailure === undefined ? {} : { cause: this.lastFailure };
        this.#timeout = new TimeoutError(
          `${operation} took longer than ${timeoutMs} ms. ${options.advice?.() ?? `Raise ${option}, or try again later.`}`,
          { timeoutMs, retryable, ...cause },
        );
        controller.abort(this.#timeout);
      },
      { keepAlive: true },
    );
  }

  /** Milliseconds left; zero or less when the time is up. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** Whether a rejection has the reason with which the caller ended the operation. */
  isCallersReason(reason: unknown): boolean {
    return this.signal.aborted && reason === this.signal.reason && reason !== this.#timeout;
  }

  /** Releases the timer and the listener. */
  end(): void {
    this.#stopTimer();
    this.#linked.unlink();
  }
}
