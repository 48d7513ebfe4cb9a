import type { Clock } from "../../core/clock.js";
import { LEASE_MS } from "../lease.js";

interface Ghost {
  readonly installationId: string;
  readonly since: number;
}

/** Locks that starts may have left behind: the request was sent, and what became of it is not known. */
export class GhostLocks {
  readonly #clock: Clock;
  readonly #ghosts = new Set<Ghost>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers one, for as long as a lock lives that nobody uses. Returns what forgets it. */
  add(installationId: string): () => void {
    this.#sweep();
    const ghost = { installationId, since: this.#clock.monotonic() };
    this.#ghosts.add(ghost);
    return () => void this.#ghosts.delete(ghost);
  }

  /** Whether a lock of this installation may be one. */
  has(installationId: string): boolean {
    this.#sweep();
    return [...this.#ghosts].some((ghost) => ghost.installationId === installationId);
  }

  /** The lock was acquired: whatever was left of it is gone. */
  clear(installationId: string): void {
    for (const ghost of this.#ghosts) if (ghost.installationId === installationId) this.#ghosts.delete(ghost);
  }

  /** A client that starts batches for years must not remember each that was lost. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const ghost of this.#ghosts) if (now - ghost.since >= LEASE_MS) this.#ghosts.delete(ghost);
  }
}
