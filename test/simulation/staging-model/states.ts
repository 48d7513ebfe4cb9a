/** The cells of a state: small numbers, below 256. */
export class State {
  readonly #cells: Uint8Array;

  constructor(cells: Uint8Array) {
    this.#cells = cells;
  }

  get size(): number {
    return this.#cells.length;
  }

  get(cell: number): number {
    return this.#cells[cell] ?? 0;
  }

  set(cell: number, value: number): void {
    this.#cells[cell] = value;
  }

  copy(): State {
    return new State(this.#cells.slice());
  }

  equals(other: State): boolean {
    for (let cell = 0; cell < this.size; cell += 1) if (this.get(cell) !== other.get(cell)) return false;
    return true;
  }

  hash(): number {
    let hash = 0x811c9dc5;
    for (let cell = 0; cell < this.size; cell += 1) hash = Math.imul(hash ^ this.get(cell), 0x01000193);
    // The low bits choose the slot.
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  storeIn(block: Uint8Array, from: number): void {
    for (let cell = 0; cell < this.size; cell += 1) block[from + cell] = this.get(cell);
  }

  isStoredIn(block: Uint8Array, from: number): boolean {
    for (let cell = 0; cell < this.size; cell += 1)
      if (block[from + cell] !== this.#cells[cell]) return false;
    return true;
  }
}

/** Gives cells to the parts of a state. */
export class Layout {
  #size = 0;

  /** @returns the first of so many cells */
  cells(count = 1): number {
    this.#size += count;
    return this.#size - count;
  }

  empty(): State {
    return new State(new Uint8Array(this.#size));
  }
}

const BLOCK = 1 << 14;

/** The states that were seen, in the order in which they were found, each with the one before it. */
export class StateSet {
  readonly #stateSize: number;
  readonly #blocks: Uint8Array[] = [];
  #parents = new Int32Array(BLOCK);
  /** A hash table of the numbers of states, plus one; 0 is free. */
  #slots = new Uint32Array(2 * BLOCK);
  size = 0;

  constructor(initial: State) {
    this.#stateSize = initial.size;
    this.add(initial, -1);
  }

  at(number: number): State {
    const from = (number % BLOCK) * this.#stateSize;
    return new State(this.#blockOf(number).slice(from, from + this.#stateSize));
  }

  parentOf(number: number): number {
    return this.#parents[number] ?? -1;
  }

  add(state: State, parent: number): void {
    let slot = state.hash() & (this.#slots.length - 1);
    for (let stored = this.#slots[slot] ?? 0; stored !== 0; stored = this.#slots[slot] ?? 0) {
      const number = stored - 1;
      if (state.isStoredIn(this.#blockOf(number), (number % BLOCK) * this.#stateSize)) return;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    if (this.size % BLOCK === 0) this.#blocks.push(new Uint8Array(BLOCK * this.#stateSize));
    state.storeIn(this.#blockOf(this.size), (this.size % BLOCK) * this.#stateSize);
    if (this.size === this.#parents.length) {
      const parents = new Int32Array(2 * this.size);
      parents.set(this.#parents);
      this.#parents = parents;
    }
    this.#parents[this.size] = parent;
    this.size += 1;
    this.#slots[slot] = this.size;
    if (2 * this.size > this.#slots.length) this.#grow();
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let number = 0; number < this.size; number += 1) {
      let slot = this.at(number).hash() % this.#slots.length;
      while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
      this.#slots[slot] = number + 1;
    }
  }

  #blockOf(number: number): Uint8Array {
    return this.#blocks[Math.floor(number / BLOCK)] ?? new Uint8Array(0);
  }
}
