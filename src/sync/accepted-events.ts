import { createHash } from "node:crypto";
import type { CollectionName } from "./collections.js";

/**
 * Which events earlier attempts of a run got accepted, so that a restart leaves them out.
 *
 * Each is remembered as often as it was accepted: two equal observations are two, not a duplicate. Kept as digests of
 * the encoded records.
 */
export class AcceptedEvents {
  readonly #earlier = new Map<string, number>();
  #current = new Map<string, number>();

  /** A new attempt begins: what the last one got accepted is now to be left out. */
  nextAttempt(): void {
    for (const [key, count] of this.#current) this.#earlier.set(key, (this.#earlier.get(key) ?? 0) + count);
    this.#current = new Map();
  }

  /** Whether the record was accepted by an earlier attempt; each acceptance answers true once an attempt. */
  take(digest: string): boolean {
    const left = this.#earlier.get(digest) ?? 0;
    if (left === 0) return false;
    this.#earlier.set(digest, left - 1);
    // It stays accepted for the attempts to come.
    this.accepted([digest]);
    return true;
  }

  /** The service acknowledged these records. */
  accepted(digests: readonly string[]): void {
    for (const digest of digests) this.#current.set(digest, (this.#current.get(digest) ?? 0) + 1);
  }
}

/** What a record is remembered by. */
export function digestOf(collection: CollectionName, record: Uint8Array): string {
  return createHash("sha256").update(collection).update(record).digest("base64").slice(0, 22);
}
