import type { Clock } from "./clock.js";
import { TimeoutError } from "./errors.js";
import { type LinkedController, linkedController } from "./signals.js";

/**
 * The time and the cancellation of one operation, its retries included.
 *
 * Its signal fires with the caller's own reason, or with a {@link TimeoutError} when the time is up. `end()` must be
 * called: it stops the timer and takes the listener off the caller's signal.
 */
export class Deadline {
  /** Fires when the caller aborts or the time is up. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #stopTimer: () => void;
  readonly #linked: LinkedController;

  constructor(options: {
    readonly clock: Clock;
    /** In milliseconds. */
    readonly timeoutMs: number;
    /** What is being done, for the error's message: "GraphQL request Licenses". */
    readonly operation: string;
    readonly signal?: AbortSignal | undefined;
  }) {
    const { clock, timeoutMs, operation, signal } = options;
    this.#linked = linkedController(signal);
    const { controller } = this.#linked;
    this.signal = controller.signal;
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + timeoutMs;
    // Not a sleep, which takes a signal and a promise to cancel: every request pays for this.
    this.#stopTimer = clock.after(
      timeoutMs,
      () =>
        controller.abort(
          new TimeoutError(
            `${operation} took longer than ${timeoutMs} ms. Raise timeoutMs, or try again later.`,
            {
              timeoutMs,
              retryable: false,
            },
          ),
        ),
      { keepAlive: true },
    );
  }

  /** Milliseconds left; zero or less when the time is up. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** Releases the timer and the listener. */
  end(): void {
    this.#stopTimer();
    this.#linked.unlink();
  }
}
