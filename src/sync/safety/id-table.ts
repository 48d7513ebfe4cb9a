/** Number of parts; each grows by itself, so that growing never needs twice the memory of the whole. */
const PARTS = 64;
/** Numbers of an entry: both halves of the id's hash, the hash of the contents, the index and 1. */
const WIDTH = 4;
const FIRST_SLOTS = 24;
const MAX_LOAD = 0.75;
const GROWTH = 2;
/** Exactly 1 / 2³²: a multiplication in place of a division. */
const SHARE_OF_32_BITS = 2 ** -32;

/** The ids of one snapshot, by their hashes: 16 bytes an entry, at most three quarters full. */
export class IdTable {
  readonly #parts: Int32Array[] = [];
  /** How many more entries each part takes before it grows. */
  readonly #room = new Int32Array(PARTS);
  #size = 0;

  /** Number of different ids. */
  get size(): number {
    return this.#size;
  }

  /** Number of bytes that it takes. */
  get bytes(): number {
    return this.#parts.reduce((sum, part) => sum + part.byteLength, 0);
  }

  /**
   * Puts an id in.
   * @returns -1 where it is new, the index of the first record with this id otherwise
   */
  add(low: number, high: number, contents: number, index: number): number {
    const number = low >>> 26;
    let part = this.#parts[number];
    if (part === undefined || this.#room[number] === 0) part = this.#grow(number, part);
    const at = slot(part, low, high);
    const taken = part[at + 3] ?? 0;
    if (taken !== 0) return (taken >>> 0) - 1;
    part[at] = low;
    part[at + 1] = high;
    part[at + 2] = contents;
    part[at + 3] = index + 1;
    this.#room[number] = (this.#room[number] ?? 0) - 1;
    this.#size += 1;
    return -1;
  }

  /** Whether the id is there. */
  has(low: number, high: number): boolean {
    const part = this.#parts[low >>> 26];
    return part !== undefined && part[slot(part, low, high) + 3] !== 0;
  }

  /** The hash of the contents of the first record with this id; undefined where the id is not there. */
  contentsOf(low: number, high: number): number | undefined {
    const part = this.#parts[low >>> 26];
    if (part === undefined) return undefined;
    const at = slot(part, low, high);
    return part[at + 3] === 0 ? undefined : part[at + 2];
  }

  /** Calls back with every id. */
  forEach(callback: (low: number, high: number) => void): void {
    for (const part of this.#parts) {
      if (part === undefined) continue;
      for (let at = 0; at < part.length; at += WIDTH) {
        if (part[at + 3] !== 0) callback(part[at] ?? 0, part[at + 1] ?? 0);
      }
    }
  }

  #grow(number: number, old: Int32Array | undefined): Int32Array {
    const oldSlots = old === undefined ? 0 : old.length / WIDTH;
    const slots = old === undefined ? FIRST_SLOTS : oldSlots * GROWTH;
    const part = new Int32Array(slots * WIDTH);
    this.#parts[number] = part;
    this.#room[number] = (slots - oldSlots) * MAX_LOAD;
    for (let from = 0; old !== undefined && from < old.length; from += WIDTH) {
      if (old[from + 3] === 0) continue;
      const at = slot(part, old[from] ?? 0, old[from + 1] ?? 0);
      for (let i = 0; i < WIDTH; i += 1) part[at + i] = old[from + i] ?? 0;
    }
    return part;
  }
}

/** Where the id is in its part, or where it would go. */
function slot(part: Int32Array, low: number, high: number): number {
  const { length } = part;
  // The upper half spreads over the slots: its share of 32 bits, instead of a slow remainder.
  let at = ((high >>> 0) * (length >>> 2) * SHARE_OF_32_BITS) << 2;
  while (part[at + 3] !== 0 && !(part[at] === low && part[at + 1] === high)) {
    at += WIDTH;
    if (at >= length) at = 0;
  }
  return at;
}
