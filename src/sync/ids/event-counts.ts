import { IdTable } from "./id-table.js";

/** Highest count of an entry; the entry of the next hash continues it. */
const MAX_COUNT = 0xffff;
/** An entry's counts: how often the event was added (upper half), and how many of those were taken (lower half). */
const ADDED_AND_TAKEN = 0x10001;
const TAKEN = 1;

/**
 * Counts how often each event was added, and how often it may still be taken. Events are known by 96-bit hashes.
 *
 * If two events share a hash, one may be mistaken for the other. With 100 million added and as many others that
 * happens once in 2^96 ÷ 10^16, about 10^13 times; with 64 bits it would be once in 2,000.
 */
export class EventCounts {
  readonly #table = new IdTable();

  add(low: number, high: number, third: number): void {
    for (let hash = high; ; hash = (hash + 1) | 0) {
      const counts = this.#table.add(low, hash, third, ADDED_AND_TAKEN);
      if (counts === -1) return;
      if (this.#table.contentsOf(low, hash) !== third || counts >>> 16 === MAX_COUNT) continue;
      this.#table.setIndex(low, hash, counts + ADDED_AND_TAKEN);
      return;
    }
  }

  /** Takes an event once. Returns false if none of it is left. */
  take(low: number, high: number, third: number): boolean {
    for (let hash = high; ; hash = (hash + 1) | 0) {
      const counts = this.#table.indexOf(low, hash);
      if (counts === undefined) return false;
      const left = (counts >>> 16) - (counts & MAX_COUNT);
      if (left === 0 || this.#table.contentsOf(low, hash) !== third) continue;
      this.#table.setIndex(low, hash, counts + TAKEN);
      return true;
    }
  }

  /** Lets each event be taken again as often as it was ever added. */
  restore(): void {
    this.#table.mapIndexes((counts) => counts & ~MAX_COUNT);
  }
}
