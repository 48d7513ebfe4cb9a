/** A seeded generator: a seed produces the same installations, events and disasters on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A separate generator for a part of the simulation, so that one part's draws don't affect another. */
  fork(name: string): Random {
    let hash = this.#state ^ 0x9e3779b9;
    for (const character of name) hash = mix(hash ^ (character.codePointAt(0) ?? 0));
    return new Random(hash);
  }

  /** A number from 0 to less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return mix(this.#state) / 2 ** 32;
  }

  /** A number from `min` to less than `max`. */
  between(min: number, max: number): number {
    return min + (max - min) * this.next();
  }

  /** An integer from 0 to less than `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  poisson(mean: number): number {
    if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.#normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > limit; product *= this.next()) count += 1;
    return count;
  }

  /** One of the numbers; 0 if there are none. */
  of(numbers: Int32Array = new Int32Array()): number {
    return numbers[this.below(numbers.length)] ?? 0;
  }

  /** One of the items; undefined if there are none. */
  one<Thing>(things: readonly Thing[]): Thing | undefined {
    return things[this.below(things.length)];
  }

  /** Draws an index by weight. @param sums Running sums of the weights; the last one is 1. */
  weighted(sums: readonly number[]): number {
    const at = this.next();
    let low = 0;
    for (let high = sums.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 1) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Some of the numbers, in random order, all of them by default. */
  pick(numbers: Int32Array, count = numbers.length): Int32Array {
    const all = numbers.slice();
    const most = Math.min(count, all.length);
    for (let i = 0; i < most; i += 1) {
      const other = i + this.below(all.length - i);
      const chosen = all[other] ?? 0;
      all[other] = all[i] ?? 0;
      all[i] = chosen;
    }
    return all.subarray(0, most);
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

/** Mixes the bits of a 32-bit number. */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
