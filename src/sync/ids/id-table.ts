/** Number of parts; each grows by itself, so that growing never needs twice the memory of the whole. */
const PARTS = 64;
/** Numbers of an entry: both halves of the id's hash, the hash of the contents, and the index. */
const WIDTH = 4;
/** Numbers of slots are powers of two. */
const FIRST_SLOTS = 64;
const GROWTH = 2;
/** Slots are cheap, and half of them empty make for short searches. */
const MAX_LOAD = 0.5;
/** Bits of a slot that are the number of an entry; the others are of the id's hash. */
const NUMBER_BITS = 25;
const NUMBER_MASK = (1 << NUMBER_BITS) - 1;

/**
 * The ids whose hashes begin alike: entries in the order in which they came, and slots that say which entry is where.
 * The slots are what is read and written all over the place, so they are small enough for the processor's cache.
 */
interface Part {
  /** 0 where nothing is; else the number of an entry, counted from 1, and some bits of its hash. */
  readonly slots: Int32Array;
  readonly entries: Int32Array;
  size: number;
}

/** The ids of one snapshot, by their hashes: 24 bytes for each that there is room for. */
export class IdTable {
  readonly #parts = new Array<Part | undefined>(PARTS);
  #size = 0;

  /** Number of different ids. */
  get size(): number {
    return this.#size;
  }

  /**
   * Puts an id in.
   * @returns -1 where it is new, the index of the first record with this id otherwise
   */
  add(low: number, high: number, contents: number, index: number): number {
    let part = this.#parts[low >>> 26];
    if (part === undefined || part.size * WIDTH === part.entries.length) part = this.#grow(low >>> 26, part);
    const { slots, entries } = part;
    const slot = slotOf(part, low, high);
    const at = entryAt(slots, slot);
    if (at >= 0) return (entries[at + 3] ?? 0) >>> 0;
    const end = part.size * WIDTH;
    entries[end] = low;
    entries[end + 1] = high;
    entries[end + 2] = contents;
    entries[end + 3] = index;
    part.size += 1;
    slots[slot] = (low << NUMBER_BITS) | part.size;
    this.#size += 1;
    return -1;
  }

  /** Whether the id is there. */
  has(low: number, high: number): boolean {
    return this.contentsOf(low, high) !== undefined;
  }

  /** The hash of the contents of the first record with this id; undefined where the id is not there. */
  contentsOf(low: number, high: number): number | undefined {
    const part = this.#parts[low >>> 26];
    if (part === undefined) return undefined;
    const at = entryAt(part.slots, slotOf(part, low, high));
    return at < 0 ? undefined : part.entries[at + 2];
  }

  /** Calls back with every id. */
  forEach(callback: (low: number, high: number) => void): void {
    for (const part of this.#parts) {
      if (part === undefined) continue;
      const { entries, size } = part;
      for (let at = 0; at < size * WIDTH; at += WIDTH) callback(entries[at] ?? 0, entries[at + 1] ?? 0);
    }
  }

  #grow(number: number, old: Part | undefined): Part {
    const length = old === undefined ? FIRST_SLOTS : old.slots.length * GROWTH;
    const entries = new Int32Array(length * MAX_LOAD * WIDTH);
    const part = { slots: new Int32Array(length), entries, size: old?.size ?? 0 };
    if (old !== undefined) entries.set(old.entries);
    for (let i = 0; i < part.size; i += 1) {
      const low = entries[i * WIDTH] ?? 0;
      let slot = firstSlot(part.slots, entries[i * WIDTH + 1] ?? 0);
      while (part.slots[slot] !== 0) slot = nextSlot(part.slots, slot);
      part.slots[slot] = (low << NUMBER_BITS) | (i + 1);
    }
    this.#parts[number] = part;
    return part;
  }
}

/** Where the entry that a slot names begins; negative where it names none. */
function entryAt(slots: Int32Array, slot: number): number {
  return ((slots[slot] ?? 0) & NUMBER_MASK) * WIDTH - WIDTH;
}

/** The slot of the id, or the one where it would go. */
function slotOf({ slots, entries }: Part, low: number, high: number): number {
  let slot = firstSlot(slots, high);
  for (let word = slots[slot] ?? 0; word !== 0; word = slots[slot] ?? 0) {
    // Nearly always tells another id apart without a look at its entry.
    if (word >>> NUMBER_BITS === (low << NUMBER_BITS) >>> NUMBER_BITS) {
      const at = (word & NUMBER_MASK) * WIDTH - WIDTH;
      if (entries[at] === low && entries[at + 1] === high) return slot;
    }
    slot = nextSlot(slots, slot);
  }
  return slot;
}

/** Where the search begins: by the uppermost bits, as many as tell the slots apart. */
function firstSlot(slots: Int32Array, high: number): number {
  return high >>> (Math.clz32(slots.length) + 1);
}

function nextSlot(slots: Int32Array, slot: number): number {
  return (slot + 1) & (slots.length - 1);
}
