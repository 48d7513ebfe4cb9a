/** Numbers that look random and are the same for the same seed, on every machine. */
export class SeededRandom {
  #state: number;

  /** @param seed A whole number, of which the lowest 32 bits count. */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  /** One of the values. */
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** mulberry32, by Tommy Ettinger, in the public domain. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}
