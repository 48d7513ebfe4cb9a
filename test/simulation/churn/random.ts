/** A seeded generator, so that a seed gives the same organisations, changes and disasters on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A generator of its own for a part of the simulation: what one part draws does not change another. */
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

  /** How many of `count` happen that each have this probability. */
  binomial(count: number, probability: number): number {
    if (probability <= 0 || count <= 0) return 0;
    if (probability >= 1) return count;
    if (count > 200) {
      const mean = count * probability;
      const spread = Math.sqrt(mean * (1 - probability));
      return Math.min(count, Math.max(0, Math.round(mean + spread * this.#normal())));
    }
    let sum = 0;
    for (let i = 0; i < count; i += 1) if (this.chance(probability)) sum += 1;
    return sum;
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}

/** Spreads the bits of a number of 32 bits. */
export function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
