import { type LinkedController, linkAbort } from "./abort.js";
import type { Clock } from "./clock.js";
import { type SaasManagementError, TimeoutError } from "./errors/index.js";

/**
 * The time and the cancellation of one operation, its retries included.
 *
 * Its signal fires with the caller's own reason, or with a {@link TimeoutError} when the time is up. `end()` must be
 * called: it stops the timer and takes the listener off the caller's signal.
 */
export class Deadline {
  /** Fires when the caller aborts or the time is up. */
  readonly signal: AbortSignal;
  /** Failure of the last attempt, for the cause of the {@link TimeoutError}. */
  lastFailure: SaasManagementError | undefined;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #stopTimer: () => void;
  readonly #linked: LinkedController;
  #timeout: TimeoutError | undefined;

  constructor(options: {
    readonly clock: Clock;
    /** In milliseconds. */
    readonly timeoutMs: number;
    /** What is being done, for the error's message: "GraphQL request Licenses". */
    readonly operation: string;
    /** Monotonic time when it began, where some of the time is over. @default now */
    readonly begunAt?: number | undefined;
    /** Name of the option that gives the time, for the error's message. @default "timeoutMs" */
    readonly option?: string | undefined;
    /** Ends it before the time is up. A controller is the operation's own, and fires when the time is up too. */
    readonly cancellation?: AbortSignal | AbortController | undefined;
    /** Whether calling the same method again is safe when the time is up. @default false */
    readonly retryable?: boolean | undefined;
  }) {
    const { clock, timeoutMs, operation, option = "timeoutMs", cancellation, retryable } = options;
    const begunAt = options.begunAt ?? clock.monotonic();
    this.#linked =
      cancellation instanceof AbortController
        ? { controller: cancellation, unlink: () => {} }
        : linkAbort(cancellation);
    const { controller } = this.#linked;
    this.signal = controller.signal;
    this.#clock = clock;
    this.#endsAt = begunAt + timeoutMs;
    // Not a sleep, which takes a signal and a promise to cancel: every request pays for this.
    this.#stopTimer = clock.after(
      options.begunAt === undefined ? timeoutMs : Math.max(0, this.remainingMs),
      () => {
        this.#timeout = new TimeoutError(
          `${operation} took longer than ${timeoutMs} ms. Raise ${option}, or try again later.`,
          { timeoutMs, retryable, ...(this.lastFailure === undefined ? {} : { cause: this.lastFailure }) },
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

  /** Whether something was rejected with because the caller ended the operation: such a reason is the caller's own. */
  isCallersReason(reason: unknown): boolean {
    return this.signal.aborted && reason === this.signal.reason && reason !== this.#timeout;
  }

  /** Releases the timer and the listener. */
  end(): void {
    this.#stopTimer();
    this.#linked.unlink();
  }
}
