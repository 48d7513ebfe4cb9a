import type { Clock } from "../core/clock.js";

/** How long a batch lives after its last accepted message: 15 minutes (service description, "Limits"). */
export const LEASE_MS = 15 * 60 * 1000;

/** What is left of a lease when its owner is warned: a fifth. */
const WARN_AT_MS = LEASE_MS / 5;

/**
 * The lease of a batch (service description, "Limits"): how long the server keeps it without a further accepted
 * message.
 */
export interface Lease {
  /** Milliseconds left, at least; 0 when the lease is over. */
  readonly remainingMs: number;
  /** When the lease ends, by the wall clock. */
  readonly expiresAt: Date;
}

/**
 * A lease counted on this machine, from before the request that began or renewed it was sent: the server's cannot have
 * begun earlier.
 *
 * It is counted on the monotonic clock. That may stand still while a machine is suspended, so where the wall clock went
 * further, the wall clock counts.
 *
 * Until it is closed it keeps the process alive: one whose source is held up by nothing that Node waits for would
 * otherwise end in the middle, with the lock held.
 */
export class CountedLease implements Lease {
  readonly #clock: Clock;
  readonly #callbacks: { readonly onWarning: (remainingMs: number) => void; readonly onLost: () => void };
  #renewedAt: Moment;
  #warned = false;
  #over = false;
  #closed = false;
  #stopTimer: () => void = () => {};

  constructor(
    clock: Clock,
    sentAt: Moment,
    callbacks: { readonly onWarning: (remainingMs: number) => void; readonly onLost: () => void },
  ) {
    this.#clock = clock;
    this.#renewedAt = sentAt;
    this.#callbacks = callbacks;
  }

  get remainingMs(): number {
    if (this.#over) return 0;
    const { monotonic, wall } = momentOf(this.#clock);
    const elapsed = Math.max(monotonic - this.#renewedAt.monotonic, wall - this.#renewedAt.wall);
    return Math.max(0, LEASE_MS - elapsed);
  }

  get expiresAt(): Date {
    return new Date(this.#clock.now() + this.remainingMs);
  }

  /** The server accepted something that was sent at this moment. */
  renew(sentAt: Moment): void {
    if (sentAt.monotonic > this.#renewedAt.monotonic) this.#renewedAt = sentAt;
    this.#warned = false;
  }

  /** The service says that it is over, whatever was counted here. */
  end(): void {
    this.#over = true;
  }

  /** Ends the watch: nothing is called back any more, and no timer is left. */
  close(): void {
    this.#closed = true;
    this.#stopTimer();
  }

  /**
   * Begins the watch; what is due already is called back at once, as where a start was long under way. One timer, which
   * looks again when the next thing could be due: renewals need not touch it.
   */
  watch(): void {
    const remaining = this.remainingMs;
    if (remaining === 0) {
      this.#callbacks.onLost();
      return;
    }
    if (remaining <= WARN_AT_MS && !this.#warned) {
      this.#warned = true;
      this.#callbacks.onWarning(remaining);
      // Whoever is warned may end it.
      if (this.#closed) return;
    }
    const next = remaining > WARN_AT_MS ? remaining - WARN_AT_MS : remaining;
    this.#stopTimer = this.#clock.after(next, () => this.watch(), { keepAlive: true });
  }
}

/** A moment on both clocks. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The present moment. */
export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}
