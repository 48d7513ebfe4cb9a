import type { Clock } from "../core/clock.js";

/** How long a batch lives after its last accepted message: 15 minutes (service description, "Limits"). */
export const LEASE_MS = 15 * 60 * 1000;

/** The rest of a lease at which its owner is warned: a fifth. */
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
 * A lease counted on this machine, from before the request that began or renewed it: the server's cannot have begun
 * earlier.
 *
 * The lease keeps the process alive until it is closed: otherwise a process whose source waits for nothing that Node
 * knows of would end with the lock held.
 */
export class CountedLease implements Lease {
  readonly #clock: Clock;
  readonly #callbacks: LeaseCallbacks;
  #renewedAt: Moment;
  #warned = false;
  #over = false;
  #closed = false;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, sentAt: Moment, callbacks: LeaseCallbacks) {
    this.#clock = clock;
    this.#renewedAt = sentAt;
    this.#callbacks = callbacks;
  }

  get remainingMs(): number {
    if (this.#over) return 0;
    return Math.max(0, LEASE_MS - elapsedSince(this.#clock, this.#renewedAt));
  }

  get expiresAt(): Date {
    return new Date(this.#clock.now() + this.remainingMs);
  }

  renew(sentAt: Moment): void {
    if (sentAt.monotonic > this.#renewedAt.monotonic) this.#renewedAt = sentAt;
    this.#warned = false;
  }

  end(): void {
    this.#over = true;
  }

  close(): void {
    this.#closed = true;
    this.#stopTimer();
  }

  /** Calls back what is due, and looks again when the next thing could be due. Renewals need not touch the timer. */
  watch(): void {
    const remaining = this.remainingMs;
    if (remaining === 0) {
      this.#callbacks.onLost();
      return;
    }
    if (remaining <= WARN_AT_MS && !this.#warned) {
      this.#warned = true;
      this.#callbacks.onWarning(remaining);
      // The callback may end the batch.
      if (this.#closed) return;
    }
    const next = remaining > WARN_AT_MS ? remaining - WARN_AT_MS : remaining;
    this.#stopTimer = this.#clock.after(next, () => this.watch(), { keepAlive: true });
  }
}

interface LeaseCallbacks {
  readonly onWarning: (remainingMs: number) => void;
  readonly onLost: () => void;
}

export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** Milliseconds since a moment. The monotonic clock may stand still while a machine is suspended: the one ahead counts. */
export function elapsedSince(clock: Clock, { monotonic, wall }: Moment): number {
  return Math.max(clock.monotonic() - monotonic, clock.now() - wall);
}
