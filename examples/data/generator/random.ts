/** Pseudo-random choices that are the same on every machine and in every Node version. */
export interface Random {
  /** An integer from `low` to `high`, inclusive. */
  int(low: number, high: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** One of the items, each as likely as its weight. */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T;
  /** The items in another order. */
  shuffled<T>(items: readonly T[]): T[];
  /** `length` characters of the alphabet. */
  text(alphabet: string, length: number): string;
}

/** Random choices for one part of the data. Each part has its own sequence, so changes do not affect other parts. */
export function randomFor(part: string): Random {
  const next = mulberry32(fnv1a(part));
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    const item = items[int(0, items.length - 1)];
    if (item === undefined) throw new RangeError(`Nothing to pick from in "${part}".`);
    return item;
  };
  return {
    int,
    pick,
    chance: (probability) => next() < probability,
    weighted(items) {
      let left = next() * items.reduce((sum, item) => sum + item.weight, 0);
      for (const item of items) {
        left -= item.weight;
        if (left < 0) return item;
      }
      return pick(items);
    },
    shuffled(items) {
      const rest = [...items];
      const result: (typeof items)[number][] = [];
      while (rest.length > 0) result.push(...rest.splice(int(0, rest.length - 1), 1));
      return result;
    },
    text: (alphabet, length) =>
      Array.from({ length }, () => alphabet.charAt(int(0, alphabet.length - 1))).join(""),
  };
}

/** The mulberry32 generator: 32 bits of state, integer arithmetic only. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The 32-bit FNV-1a hash, which turns a name into a seed. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}
