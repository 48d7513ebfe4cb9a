/** Each part grows separately, so that growing never needs twice the memory of the whole table. */
const PARTS = 64;
/** Words of an entry: both halves of the id's hash, the hash of the contents, and the index. */
const WIDTH = 4;
const FIRST_SLOTS = 64;
/** Maximum number of ids to reserve space for: an array's length may be much larger than its contents. */
const MOST_EXPECTED = 1 << 22;
const GROWTH = 2;
/** Slots are small, and keeping half of them empty keeps searches short. */
const MAX_LOAD = 0.5;
/** Bits of a slot for the entry's number. The other bits hold a part of the id's hash. */
const NUMBER_BITS = 25;
const NUMBER_MASK = (1 << NUMBER_BITS) - 1;

/** Entries in order of arrival, and slots to find them. Slots are small, to fit into the processor's cache. */
interface Part {
  /** A slot is 0 if empty; otherwise the number of an entry, from 1, and some bits of its hash. */
  readonly slots: Int32Array;
  readonly entries: Int32Array;
  size: number;
}

/** The ids of one snapshot, by hash. Takes 24 bytes for each id that it has space for. */
export class IdTable {
  readonly #parts = new Array<Part | undefined>(PARTS);
  #firstSlots = FIRST_SLOTS;
  #size = 0;
  #warmed = 0;

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#parts.fill(undefined);
    this.#size = 0;
  }

  /**
   * Sizes new parts for this many ids. A part that grows leaves garbage outside the heap, and the collector walks the
   * whole heap to free it.
   */
  expect(ids: number): void {
    const slots = Math.min(ids, MOST_EXPECTED) / MAX_LOAD / PARTS;
    this.#firstSlots = Math.max(FIRST_SLOTS, 2 ** Math.ceil(Math.log2(slots)));
  }

  /** Adds an id. @returns -1 if it's new, otherwise the index of the first record with this id */
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

  /** Loads the slots of the next ids into the cache, because overlapping reads are faster than separate ones. */
  warm(hashes: Int32Array, count: number): void {
    let sum = 0;
    for (let at = 0; at < 2 * count; at += 2) {
      const slots = this.#parts[(hashes[at] ?? 0) >>> 26]?.slots;
      if (slots !== undefined) sum ^= slots[firstSlot(slots, hashes[at + 1] ?? 0)] ?? 0;
    }
    // Uses the sum, because the compiler might otherwise drop the loop.
    this.#warmed ^= sum;
  }

  has(low: number, high: number): boolean {
    return this.contentsOf(low, high) !== undefined;
  }

  /** Returns the hash of the contents of the first record with this id, if there is one. */
  contentsOf(low: number, high: number): number | undefined {
    const part = this.#parts[low >>> 26];
    if (part === undefined) return undefined;
    const at = entryAt(part.slots, slotOf(part, low, high));
    return at < 0 ? undefined : part.entries[at + 2];
  }

  forEach(callback: (low: number, high: number) => void): void {
    for (const part of this.#parts) {
      if (part === undefined) continue;
      const { entries, size } = part;
      for (let at = 0; at < size * WIDTH; at += WIDTH) callback(entries[at] ?? 0, entries[at + 1] ?? 0);
    }
  }

  #grow(number: number, old: Part | undefined): Part {
    const length = old === undefined ? this.#firstSlots : old.slots.length * GROWTH;
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

/** Returns where the entry of a slot begins; negative if the slot is empty. */
function entryAt(slots: Int32Array, slot: number): number {
  return ((slots[slot] ?? 0) & NUMBER_MASK) * WIDTH - WIDTH;
}

/** Returns the slot of the id, or the empty slot where the id belongs. */
function slotOf({ slots, entries }: Part, low: number, high: number): number {
  let slot = firstSlot(slots, high);
  for (let word = slots[slot] ?? 0; word !== 0; word = slots[slot] ?? 0) {
    // These bits almost always tell ids apart without reading the entry.
    if (word >>> NUMBER_BITS === (low << NUMBER_BITS) >>> NUMBER_BITS) {
      const at = (word & NUMBER_MASK) * WIDTH - WIDTH;
      if (entries[at] === low && entries[at + 1] === high) return slot;
    }
    slot = nextSlot(slots, slot);
  }
  return slot;
}

/** The search begins at a slot chosen by the uppermost bits of the hash. */
function firstSlot(slots: Int32Array, high: number): number {
  return high >>> (Math.clz32(slots.length) + 1);
}

function nextSlot(slots: Int32Array, slot: number): number {
  return (slot + 1) & (slots.length - 1);
}
