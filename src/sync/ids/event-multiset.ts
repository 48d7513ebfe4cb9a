import { ConfigurationError } from "../../core/errors/index.js";

/** Number of parts; each grows by itself, so that growing never needs twice the memory of the whole. */
const PARTS = 256;
/** Bits of a hash's first word that do not name its part. */
const BITS_BELOW_PART = 24;
/** Numbers of a slot: the hash, of 96 bits, and the counts. */
const WIDTH = 4;
const FIRST_SLOTS = 32;
const GROWTH = 1.5;
/** With the growth, 21 to 32 bytes an event. */
const MAX_LOAD = 0.75;
/** Most slots of a part, an array of 4 GiB: far below what Node allows, and a place in it is still a small integer. */
const MAX_SLOTS = 2 ** 28;
/** Most of one event that a slot counts; the next slot counts on. */
const MAX_COUNT = 0xffff;

/**
 * The events whose hashes begin alike: slots with two words of the hash, the third, and how often the event was added
 * (upper half) and how often of that it is used up (lower half). A slot is empty where its counts are 0.
 */
interface Part {
  readonly slots: Int32Array;
  size: number;
}

/**
 * How often each event was added, and how often of that it may still be taken. Events are known by their hashes.
 *
 * Where two events have one hash, one that was never added may be taken for the other. With 100 million added and as
 * many others that happens once in 2^96 ÷ 10^16, about 10^13 times; 64 bits would make that 2,000.
 */
export class EventMultiset {
  readonly #parts = new Array<Part | undefined>(PARTS);
  readonly #maxSlots: number;

  /** @param maxSlots Most slots of each of the 256 parts. */
  constructor(maxSlots = MAX_SLOTS) {
    this.#maxSlots = maxSlots;
  }

  /**
   * Adds an event once more, used up for now.
   * @throws {ConfigurationError} no room is left
   */
  add(low: number, high: number, third: number): void {
    const number = low >>> BITS_BELOW_PART;
    let part = this.#parts[number];
    if (part === undefined || part.size * WIDTH >= part.slots.length * MAX_LOAD)
      part = this.#grow(number, part);
    const { slots } = part;
    let at = firstSlot(slots, high);
    while (slots[at + 3] !== 0) {
      if (isOf(slots, at, low, high, third) && added(slots, at) < MAX_COUNT) break;
      at = nextSlot(slots, at);
    }
    if (slots[at + 3] === 0) {
      slots[at] = low;
      slots[at + 1] = high;
      slots[at + 2] = third;
      part.size += 1;
    }
    setCounts(slots, at, added(slots, at) + 1, usedUp(slots, at) + 1);
  }

  /** Uses an event up once; false: none of it is left. */
  take(low: number, high: number, third: number): boolean {
    const slots = this.#parts[low >>> BITS_BELOW_PART]?.slots;
    if (slots === undefined) return false;
    for (let at = firstSlot(slots, high); slots[at + 3] !== 0; at = nextSlot(slots, at)) {
      if (!isOf(slots, at, low, high, third) || usedUp(slots, at) === added(slots, at)) continue;
      setCounts(slots, at, added(slots, at), usedUp(slots, at) + 1);
      return true;
    }
    return false;
  }

  /** Each event may be taken as often as it was ever added. */
  restore(): void {
    for (const part of this.#parts) {
      if (part === undefined) continue;
      const { slots } = part;
      for (let at = 0; at < slots.length; at += WIDTH) setCounts(slots, at, added(slots, at), 0);
    }
  }

  #grow(number: number, old: Part | undefined): Part {
    const length = old === undefined ? firstSlots(number) : Math.ceil((old.slots.length / WIDTH) * GROWTH);
    const slots = this.#allocate(length);
    const part = { slots, size: old?.size ?? 0 };
    if (old !== undefined) {
      for (let from = 0; from < old.slots.length; from += WIDTH) {
        if (old.slots[from + 3] === 0) continue;
        let at = firstSlot(slots, old.slots[from + 1] ?? 0);
        while (slots[at + 3] !== 0) at = nextSlot(slots, at);
        for (let i = 0; i < WIDTH; i += 1) slots[at + i] = old.slots[from + i] ?? 0;
      }
    }
    this.#parts[number] = part;
    return part;
  }

  #allocate(slots: number): Int32Array {
    if (slots > this.#maxSlots) throw tooMany();
    try {
      return new Int32Array(slots * WIDTH);
    } catch (error) {
      throw tooMany(error);
    }
  }
}

/**
 * Slots that a part begins with. The parts fill alike: with sizes that are spread over one step of growth they grow one
 * after the other, and not all of them in one turn of the event loop.
 */
function firstSlots(part: number): number {
  return Math.ceil(FIRST_SLOTS * GROWTH ** (part / PARTS));
}

function tooMany(cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    "There is no memory left to remember which events of the run were accepted: write fewer events in one run, or set restarts: 0, with which nothing is remembered.",
    { cause },
  );
}

/** Where the search begins: by the size of the hash's second word, so that growing keeps the order of the slots. */
function firstSlot(slots: Int32Array, high: number): number {
  return Math.floor(((high >>> 0) / 2 ** 32) * (slots.length / WIDTH)) * WIDTH;
}

function nextSlot(slots: Int32Array, at: number): number {
  return at + WIDTH === slots.length ? 0 : at + WIDTH;
}

function isOf(slots: Int32Array, at: number, low: number, high: number, third: number): boolean {
  return slots[at] === low && slots[at + 1] === high && slots[at + 2] === third;
}

function added(slots: Int32Array, at: number): number {
  return (slots[at + 3] ?? 0) >>> 16;
}

function usedUp(slots: Int32Array, at: number): number {
  return (slots[at + 3] ?? 0) & MAX_COUNT;
}

function setCounts(slots: Int32Array, at: number, addedCount: number, usedUpCount: number): void {
  slots[at + 3] = (addedCount << 16) | usedUpCount;
}
