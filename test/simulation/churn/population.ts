import type { Modelled } from "./fields.js";
import { FIELDS, type FieldModel } from "./fields.js";
import type { Random } from "./random.js";
import { orderOf } from "./sample.js";

/** The value of a missing field; all others are 0 or more. */
export const MISSING = -1;

/** A field of one collection of an installation. */
export class Field {
  readonly path: string;
  readonly kind: FieldModel["kind"];
  readonly isRequired: boolean;
  fill: number;
  /** Returns a value for a new record. */
  draw: (random: Random) => number;

  /** @param unique Returns a number that it has not returned before. */
  constructor({ path, kind, fill, weights }: FieldModel, random: Random, unique: () => number) {
    this.path = path;
    this.kind = kind;
    this.isRequired = fill === 1;
    this.fill = fill > 0.97 ? fill : Math.min(1, Math.max(0.1, fill + random.between(-0.2, 0.15)));
    if (kind === "boolean") {
      const share = Math.min(0.99, (weights[0] ?? 0.5) + random.between(-0.15, 0.04));
      this.draw = (by) => (by.chance(share) ? 1 : 0);
    } else if (kind === "choice" || kind === "number") this.draw = drawn(weights);
    else this.draw = unique;
  }
}

/** Returns a function that draws indexes by their weights. */
export function drawn(weights: readonly number[]): (random: Random) => number {
  let sum = 0;
  const sums = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  return (random) => random.weighted(sums);
}

/** The records of one collection. A record keeps its slot for ever; a column holds the values of one field. */
export class Population {
  readonly collection: Modelled;
  readonly fields: readonly Field[];
  readonly #random: Random;
  columns: readonly Int32Array[];
  /** 1 for records that exist. */
  alive: Uint8Array = new Uint8Array(64);
  /** Hashes of the ids. Records are sampled by these hashes. */
  orders: Uint32Array = new Uint32Array(64);
  /** Number of mail domains that came before the current one. */
  domains = 0;
  #slots = 0;
  /** A cache of the existing records' slots, valid until a record is added or removed. */
  #present: Int32Array | undefined;
  #unique = 0;

  constructor(collection: Modelled, random: Random) {
    this.collection = collection;
    this.#random = random;
    this.fields = FIELDS[collection].map((model) => new Field(model, random, () => this.unique()));
    this.columns = this.fields.map(() => new Int32Array(64));
  }

  get size(): number {
    return this.slots().length;
  }

  /** Returns a value that no record has had so far. */
  unique(): number {
    this.#unique += 1;
    return this.#unique;
  }

  /** The slots of the existing records, or of the existing records whose value matches. */
  slots(path?: string, isWanted: (value: number) => boolean = () => true): Int32Array {
    if (path === undefined) {
      this.#present ??= this.#found();
      return this.#present;
    }
    return this.#found(path, isWanted);
  }

  #found(path?: string, isWanted: (value: number) => boolean = () => true): Int32Array {
    const found = new Int32Array(this.#slots);
    const column = path === undefined ? undefined : this.column(path);
    let count = 0;
    for (let slot = 0; slot < this.#slots; slot += 1)
      if (this.alive[slot] === 1 && (column === undefined || isWanted(column[slot] ?? MISSING))) {
        found[count] = slot;
        count += 1;
      }
    return found.subarray(0, count);
  }

  /** Picks a random share of the existing records, or of `slots`. */
  some(share: number, slots: Int32Array = this.slots()): Int32Array {
    return this.#random.pick(slots, Math.floor(slots.length * share));
  }

  column(path: string): Int32Array {
    return this.columns[this.fields.findIndex((field) => field.path === path)] ?? new Int32Array();
  }

  field(path: string): Field | undefined {
    return this.fields.find((field) => field.path === path);
  }

  /** Adds records with new ids. @param values The slots of records whose values they copy. */
  add(count: number, values?: Int32Array): Int32Array {
    this.#present = undefined;
    const added = Int32Array.from({ length: count }, (_, i) => this.#slots + i);
    this.#slots += count;
    if (this.#slots > this.alive.length) this.#grow();
    for (const [i, slot] of added.entries()) {
      this.alive[slot] = 1;
      this.orders[slot] = orderOf(slot);
      for (const [at, field] of this.fields.entries()) {
        const column = this.columns[at];
        if (column !== undefined)
          column[slot] = values === undefined ? this.draw(field) : (column[values[i] ?? 0] ?? MISSING);
      }
    }
    return added;
  }

  remove(slots: Int32Array): void {
    for (const slot of slots) this.show(slot, false);
  }

  show(slot: number, isThere: boolean): void {
    this.#present = undefined;
    this.alive[slot] = isThere ? 1 : 0;
  }

  /** Removes the records that were added last, as if they had never been added. */
  forget(slots: Int32Array): void {
    this.remove(slots);
    this.#slots -= slots.length;
  }

  draw(field: Field): number {
    return this.#random.chance(field.fill) ? field.draw(this.#random) : MISSING;
  }

  /** Draws the field's values anew, as if the records were new: some get no value. */
  redraw(path: string, slots: Int32Array): void {
    const field = this.field(path);
    const column = this.column(path);
    if (field !== undefined) for (const slot of slots) column[slot] = this.draw(field);
  }

  /** Changes the values of the records that have one. */
  change(path: string, slots: Int32Array, changed: (value: number) => number): void {
    const column = this.column(path);
    for (const slot of slots) {
      const value = column[slot] ?? MISSING;
      if (value !== MISSING) column[slot] = changed(value);
    }
  }

  #grow(): void {
    const length = Math.ceil(this.#slots * 1.5);
    this.columns = this.columns.map((old) => enlarged(old, new Int32Array(length)));
    this.alive = enlarged(this.alive, new Uint8Array(length));
    this.orders = enlarged(this.orders, new Uint32Array(length));
  }
}

function enlarged<Numbers extends { set(old: ArrayLike<number>): void }>(
  old: ArrayLike<number>,
  larger: Numbers,
): Numbers {
  larger.set(old);
  return larger;
}
