import { COLLECTIONS, type Collection } from "../collections.js";
import { forEachRecord } from "../encoding/encoded-records.js";
import type { EncodedMessage } from "../encoding/message-builder.js";
import { idRange } from "../encoding/record-observer.js";
import { EventCounts } from "../ids/event-counts.js";
import { IdHash, viewOf } from "../ids/id-hash.js";

/**
 * The events that earlier attempts of a run had accepted, so that a restart leaves them out. Each is remembered as often
 * as it was accepted: two equal observations are not duplicates. An event with an id is known by that alone, because its
 * other fields may have changed since; one without is known by its contents. Both are stored as 96-bit hashes.
 */
export class AcceptedEvents {
  readonly #events = new Map<Collection, EventCounts>();
  readonly #hash = new IdHash();
  #isFirstAttempt = true;
  #restartsLeft: number;

  /** @param restarts Number of attempts that may follow the first; with none, nothing is remembered. */
  constructor(restarts: number) {
    this.#restartsLeft = restarts;
  }

  nextAttempt(): void {
    this.#isFirstAttempt = false;
    this.#restartsLeft -= 1;
    for (const events of this.#events.values()) events.restore();
  }

  /** Whether an earlier attempt had the record accepted; true once per attempt for each acceptance. */
  take(collection: Collection, buffer: Uint8Array, start: number, end: number): boolean {
    if (this.#isFirstAttempt) return false;
    const events = this.#events.get(collection);
    if (events === undefined) return false;
    const hash = this.#hash;
    const contents = hashEvent(hash, collection, buffer, viewOf(buffer), start, end);
    return events.take(hash.low, hash.high, contents);
  }

  /** Remembers the records of a message that the service accepted. */
  accepted(collection: Collection, message: Pick<EncodedMessage, "bytes" | "recordsStart">): void {
    if (this.#restartsLeft <= 0) return;
    const events = this.#events.get(collection) ?? new EventCounts();
    this.#events.set(collection, events);
    const view = viewOf(message.bytes);
    const hash = this.#hash;
    forEachRecord(message, (start, end) => {
      const contents = hashEvent(hash, collection, message.bytes, view, start, end);
      events.add(hash.low, hash.high, contents);
    });
  }
}

/** Hashes what an event is known by into `hash`. Returns the third part. */
function hashEvent(
  hash: IdHash,
  collection: Collection,
  bytes: Uint8Array,
  view: DataView,
  recordStart: number,
  recordEnd: number,
): number {
  const hasId = COLLECTIONS[collection].idField !== undefined;
  const { start, end } = hasId ? idRange(bytes, recordStart) : { start: recordStart, end: recordEnd };
  hash.id(view, start, end);
  return hash.contents(view, start, end);
}
