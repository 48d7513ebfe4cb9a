import type { Clock } from "../clock.js";

/** How long a batch lives after its last accepted message: 15 minutes (service description, "Limits"). */
export const LEASE_MS = 15 * 60 * 1000;

/** The lease of a batch: how long the server keeps it without a further accepted message. */
export class Lease {
  readonly #clock: Clock;
  #renewedAt: number;

  /** @param sentAt Monotonic time before the request that began the lease was sent: it cannot have begun earlier. */
  constructor(clock: Clock, sentAt: number) {
    this.#clock = clock;
    this.#renewedAt = sentAt;
  }

  /** Milliseconds left, at least; 0 when the lease is over. */
  get remainingMs(): number {
    return Math.max(0, this.#renewedAt + LEASE_MS - this.#clock.monotonic());
  }

  /** When the lease ends, by the wall clock. */
  get expiresAt(): Date {
    return new Date(this.#clock.now() + this.remainingMs);
  }

  /** @internal The server accepted something that was sent at this monotonic time. */
  renew(sentAt: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, sentAt);
  }
}
