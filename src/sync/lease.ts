import { onAbort } from "../core/abort.js";
import { type Clock, elapsedSince, type Moment } from "../core/clock.js";

/** How long a batch lives after its last accepted message: 15 minutes (service description, "Limits"). */
export const LEASE_MS = 15 * 60 * 1000;

/** The rest of a lease at which its owner is warned: a fifth. */
const WARN_AT_MS = LEASE_MS / 5;

/** When a lease was renewed that is over for good. */
const NEVER_AGAIN: Moment = { monotonic: Number.POSITIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

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
 */
export class CountedLease implements Lease {
  readonly #clock: Clock;
  #renewedAt: Moment;

  constructor(clock: Clock, sentAt: Moment) {
    this.#clock = clock;
    this.#renewedAt = sentAt;
  }

  get remainingMs(): number {
    return Math.max(0, LEASE_MS - elapsedSince(this.#clock, this.#renewedAt));
  }

  get expiresAt(): Date {
    return new Date(this.#clock.now() + this.remainingMs);
  }

  renew(sentAt: Moment): void {
    if (sentAt.monotonic > this.#renewedAt.monotonic) this.#renewedAt = sentAt;
  }

  /** The service says that it is over. */
  end(): void {
    this.#renewedAt = NEVER_AGAIN;
  }

  /**
   * Calls back when a fifth of it is left, each time, and when it is over. Renewals need not touch the timer, which keeps
   * the process alive: otherwise a process whose source waits for nothing that Node knows of would end with the lock held.
   */
  watch(closed: AbortSignal, onWarning: (remainingMs: number) => void, onOver: () => void): void {
    let warnedOf: Moment | undefined;
    let stopTimer = () => {};
    const look = (): void => {
      const { remainingMs } = this;
      if (remainingMs === 0) {
        onOver();
        return;
      }
      const isLow = remainingMs <= WARN_AT_MS;
      if (isLow && warnedOf !== this.#renewedAt) {
        warnedOf = this.#renewedAt;
        onWarning(remainingMs);
      }
      // The callback may have ended the batch.
      if (closed.aborted) return;
      const ms = isLow ? remainingMs : remainingMs - WARN_AT_MS;
      stopTimer = this.#clock.after(ms, look, { keepAlive: true });
    };
    look();
    onAbort(closed, () => stopTimer());
  }
}
