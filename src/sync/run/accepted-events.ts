import type { CollectionName } from "../collections.js";
import { type EncodedMessage, forEachRecord } from "../encoding/message-builder.js";
import { EventCounts } from "../ids/event-counts.js";
import { IdHash, viewOf } from "../ids/id-hash.js";

/**
 * Which events earlier attempts of a run got accepted, so that a restart leaves them out.
 *
 * Each is remembered as often as it was accepted: two equal observations are two, not a duplicate. Kept as hashes of
 * the encoded records, of 96 bits: the keyed hash of 64, which cannot be steered, and that of contents.
 */
export class AcceptedEvents {
  readonly #events = new Map<CollectionName, EventCounts>();
  readonly #hash = new IdHash();
  #isFirstAttempt = true;
  #restartsLeft: number;

  /** @param restarts How many attempts may follow the first; where none does, nothing is remembered. */
  constructor(restarts: number) {
    this.#restartsLeft = restarts;
  }

  /** A new attempt begins: what those before it got accepted is now to be left out. */
  nextAttempt(): void {
    this.#isFirstAttempt = false;
    this.#restartsLeft -= 1;
    for (const events of this.#events.values()) events.restore();
  }

  /** Whether the record was accepted by an earlier attempt; each acceptance answers true once an attempt. */
  take(collection: CollectionName, buffer: Uint8Array, start: number, end: number): boolean {
    if (this.#isFirstAttempt) return false;
    const events = this.#events.get(collection);
    if (events === undefined) return false;
    const bytes = viewOf(buffer);
    const hash = this.#hash;
    hash.id(bytes, start, end);
    return events.take(hash.low, hash.high, hash.contents(bytes, start, end));
  }

  /**
   * The service acknowledged this message. Its records are read from its bytes: nothing has to be kept of them before.
   * @throws {ConfigurationError} there is no memory left
   */
  accepted(collection: CollectionName, message: Pick<EncodedMessage, "bytes" | "recordsStart">): void {
    // Nobody will ask again.
    if (this.#restartsLeft <= 0) return;
    const events = this.#events.get(collection) ?? new EventCounts();
    this.#events.set(collection, events);
    const view = viewOf(message.bytes);
    const hash = this.#hash;
    forEachRecord(message, (start, end) => {
      hash.id(view, start, end);
      events.add(hash.low, hash.high, hash.contents(view, start, end));
    });
  }
}
