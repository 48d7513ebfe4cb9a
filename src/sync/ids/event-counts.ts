/** Each part grows on its own, so that growing never needs twice the memory of the whole table. */
const PARTS = 256;
/** Bits of a hash's first word that do not select its part. */
const BITS_BELOW_PART = 24;
/** Words of a slot: the 96-bit hash and the counts. */
const WIDTH = 4;
const FIRST_SLOTS = 32;
const GROWTH = 1.5;
/** With the growth, 21 to 32 bytes per event. */
const MAX_LOAD = 0.75;
/** Highest count of a slot; the next slot continues. */
const MAX_COUNT = 0xffff;

/**
 * The events of one part. A slot has three words of the hash and one of counts: how often the event was added (upper
 * half), and how many of those were taken (lower half). The counts of an empty slot are 0.
 */
interface Part {
  readonly slots: Int32Array;
  size: number;
}

/**
 * Counts how often each event was added, and how often it may still be taken. Events are known by 96-bit hashes.
 *
 * If two events share a hash, one may be mistaken for the other. With 100 million added and as many others that
 * happens once in 2^96 ÷ 10^16, about 10^13 times; with 64 bits it would be once in 2,000.
 */
export class EventCounts {
  readonly #parts = new Array<Part | undefined>(PARTS);

  /** Adds an event. It may be taken after the next `restore`. */
  add(low: number, high: number, third: number): void {
    const number = low >>> BITS_BELOW_PART;
    let part = this.#parts[number];
    if (part === undefined || part.size * WIDTH >= part.slots.length * MAX_LOAD)
      part = this.#grow(number, part);
    const { slots } = part;
    let at = firstSlot(slots, high);
    while (slots[at + 3] !== 0) {
      if (isEvent(slots, at, low, high, third) && addedCount(slots, at) < MAX_COUNT) break;
      at = nextSlot(slots, at);
    }
    if (slots[at + 3] === 0) {
      slots[at] = low;
      slots[at + 1] = high;
      slots[at + 2] = third;
      part.size += 1;
    }
    setCounts(slots, at, addedCount(slots, at) + 1, takenCount(slots, at) + 1);
  }

  /** Takes an event once. Returns false if none of it is left. */
  take(low: number, high: number, third: number): boolean {
    const slots = this.#parts[low >>> BITS_BELOW_PART]?.slots;
    if (slots === undefined) return false;
    for (let at = firstSlot(slots, high); slots[at + 3] !== 0; at = nextSlot(slots, at)) {
      if (!isEvent(slots, at, low, high, third) || takenCount(slots, at) === addedCount(slots, at)) continue;
      setCounts(slots, at, addedCount(slots, at), takenCount(slots, at) + 1);
      return true;
    }
    return false;
  }

  /** Lets each event be taken again as often as it was ever added. */
  restore(): void {
    for (const part of this.#parts) {
      if (part === undefined) continue;
      const { slots } = part;
      for (let at = 0; at < slots.length; at += WIDTH) setCounts(slots, at, addedCount(slots, at), 0);
    }
  }

  #grow(number: number, old: Part | undefined): Part {
    const length = old === undefined ? firstSlots(number) : Math.ceil((old.slots.length / WIDTH) * GROWTH);
    const slots = new Int32Array(length * WIDTH);
    const part = { slots, size: old?.size ?? 0 };
    for (let from = 0; old !== undefined && from < old.slots.length; from += WIDTH) {
      if (old.slots[from + 3] === 0) continue;
      let at = firstSlot(slots, old.slots[from + 1] ?? 0);
      while (slots[at + 3] !== 0) at = nextSlot(slots, at);
      for (let i = 0; i < WIDTH; i += 1) slots[at + i] = old.slots[from + i] ?? 0;
    }
    this.#parts[number] = part;
    return part;
  }
}

/** First sizes differ, so that the parts do not all grow in the same turn of the event loop. */
function firstSlots(part: number): number {
  return Math.ceil(FIRST_SLOTS * GROWTH ** (part / PARTS));
}

/** The search begins at a place in proportion to the hash's second word, so that growing keeps the order of slots. */
function firstSlot(slots: Int32Array, high: number): number {
  return Math.floor(((high >>> 0) / 2 ** 32) * (slots.length / WIDTH)) * WIDTH;
}

function nextSlot(slots: Int32Array, at: number): number {
  return at + WIDTH === slots.length ? 0 : at + WIDTH;
}

function isEvent(slots: Int32Array, at: number, low: number, high: number, third: number): boolean {
  return slots[at] === low && slots[at + 1] === high && slots[at + 2] === third;
}

function addedCount(slots: Int32Array, at: number): number {
  return (slots[at + 3] ?? 0) >>> 16;
}

function takenCount(slots: Int32Array, at: number): number {
  return (slots[at + 3] ?? 0) & MAX_COUNT;
}

function setCounts(slots: Int32Array, at: number, added: number, taken: number): void {
  slots[at + 3] = (added << 16) | taken;
}
