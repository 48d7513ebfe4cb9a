import type { Comparison } from "../../../src/sync/guard/comparison.js";
import type { SnapshotProfile } from "../../../src/sync/ids/snapshot-profile.js";
import { mix, type Random } from "./random.js";

/** Fields that a record may lack, by the bits of its traits. */
export const FIELDS = ["name", "email", "department", "title", "phone", "manager"] as const;
/** Booleans and enums, with the lowest bit and the names of the values. */
export const CHOICES = [
  { field: "status", shift: 6, values: ["ACTIVE", "INACTIVE", "LOCKED", "INVITED"] },
  { field: "mfa", shift: 8, values: ["false", "true"] },
  { field: "plan", shift: 9, values: ["BASIC", "STANDARD", "PREMIUM", "TRIAL"] },
] as const;

export type Field = (typeof FIELDS)[number];
export type Choice = (typeof CHOICES)[number]["field"];

const PRESENT = 1;
/** Of the last completed snapshot. */
const KNOWN = 2;
/** Away for some time: it returns under the same id. */
const AWAY = 4;
const SAMPLE = 40;

/**
 * The records of one collection. Counts what a snapshot would show while records come and go, so that a run costs as much
 * as there were changes since the last one; `equivalence.test.ts` holds the counts to the shipped comparison.
 */
export class Population {
  #serial: Uint32Array = new Uint32Array(64);
  #traits: Uint16Array = new Uint16Array(64);
  #state: Uint8Array = new Uint8Array(64);
  /** Slots of the present records, and where each of them is in that list. */
  #present: Uint32Array = new Uint32Array(64);
  #place: Uint32Array = new Uint32Array(64);
  #slots = 0;
  readonly #free: number[] = [];
  readonly #changed = new Set<number>();
  #nextSerial = 1;
  #size = 0;
  #known = 0;
  #kept = 0;
  /** How many present records have each field, and each value of each choice. */
  readonly #filled = new Int32Array(FIELDS.length);
  readonly #chosen = CHOICES.map(({ values }) => new Int32Array(values.length));
  #sample: { readonly order: number; readonly slot: number }[] | undefined;
  #nameEpoch = 0;
  #emailEpoch = 0;
  /** Records that ever came and left. */
  joined = 0;
  left = 0;

  get size(): number {
    return this.#size;
  }

  join(traits: number): void {
    const slot = this.#free.pop() ?? this.#slots++;
    if (slot >= this.#state.length) this.#grow();
    this.#serial[slot] = this.#nextSerial++;
    this.#traits[slot] = traits;
    this.#state[slot] = 0;
    this.#enter(slot);
    this.joined += 1;
  }

  /** Removes a record. @param at Its place among the present ones. */
  leave(at: number): void {
    this.#exit(this.#present[at] ?? 0);
    this.left += 1;
  }

  leaveSome(count: number, random: Random): void {
    for (let i = 0; i < count && this.#size > 0; i += 1) this.leave(random.below(this.#size));
  }

  /** Hides records for some time. @returns what brings them back */
  hide(count: number, random: Random): () => void {
    const slots: number[] = [];
    for (let i = 0; i < count && this.#size > 0; i += 1) {
      const slot = this.#present[random.below(this.#size)] ?? 0;
      this.#state[slot] = (this.#state[slot] ?? 0) | AWAY;
      this.#exit(slot);
      slots.push(slot);
    }
    return () => {
      for (const slot of slots) {
        this.#state[slot] = (this.#state[slot] ?? 0) & ~AWAY;
        this.#enter(slot);
      }
    };
  }

  /** Gives records other ids. */
  renew(count: number, random: Random): void {
    const isAll = count >= this.#size;
    for (let i = Math.min(count, this.#size) - 1; i >= 0; i -= 1) {
      const at = isAll ? i : random.below(this.#size);
      const traits = this.#traits[this.#present[at] ?? 0] ?? 0;
      this.leave(at);
      this.join(traits);
    }
  }

  /** Changes the traits of each present record with this probability. */
  change(probability: number, random: Random, traitsOf: (traits: number) => number): void {
    const count = random.binomial(this.#size, probability);
    for (let i = 0; i < count; i += 1) {
      const slot = this.#present[count === this.#size ? i : random.below(this.#size)] ?? 0;
      const traits = this.#traits[slot] ?? 0;
      this.#count(traits, -1);
      this.#traits[slot] = traitsOf(traits);
      this.#count(this.#traits[slot] ?? 0, 1);
    }
  }

  renameAll(): void {
    this.#nameEpoch += 1;
  }

  /** All e-mail addresses get another domain. */
  migrateMail(): void {
    this.#emailEpoch += 1;
  }

  /** Makes what is present the last completed snapshot. */
  commit(): void {
    for (const slot of this.#changed) {
      const state = this.#state[slot] ?? 0;
      this.#state[slot] = (state & PRESENT) === 0 ? state & ~KNOWN : state | KNOWN;
      if (this.#state[slot] === 0) this.#free.push(slot);
    }
    this.#changed.clear();
    this.#known = this.#size;
    this.#kept = this.#size;
  }

  get compared(): Comparison {
    return comparisonOf({ known: this.#known, sent: this.#size, kept: this.#kept });
  }

  get profile(): SnapshotProfile {
    const filled: Record<string, number> = {};
    const choices: Record<string, Record<string, number>> = {};
    for (const [i, field] of FIELDS.entries()) putCount(filled, field, this.#filled[i]);
    for (const [i, { field, values }] of CHOICES.entries()) {
      const counts: Record<string, number> = {};
      for (const [at, value] of values.entries()) putCount(counts, value, this.#chosen[i]?.[at]);
      putCount(filled, field, this.#size);
      choices[field] = counts;
    }
    return { records: this.#size, filled, choices, sample: this.#sampleText() };
  }

  /** The ids of the present records and of the last completed snapshot, for tests of the counts. */
  ids(which: "present" | "known"): string[] {
    const bit = which === "present" ? PRESENT : KNOWN;
    const slots = Array.from({ length: this.#slots }, (_, slot) => slot);
    return slots
      .filter((slot) => ((this.#state[slot] ?? 0) & bit) !== 0)
      .map((slot) => `r${this.#serial[slot]}`);
  }

  #enter(slot: number): void {
    const state = this.#state[slot] ?? 0;
    this.#state[slot] = state | PRESENT;
    this.#place[slot] = this.#size;
    this.#present[this.#size] = slot;
    this.#size += 1;
    if ((state & KNOWN) !== 0) this.#kept += 1;
    this.#count(this.#traits[slot] ?? 0, 1);
    this.#changed.add(slot);
    const last = this.#sample?.at(-1);
    if (last === undefined || this.#orderOf(slot) < last.order || (this.#sample?.length ?? 0) < SAMPLE)
      this.#sample = undefined;
  }

  #exit(slot: number): void {
    const state = this.#state[slot] ?? 0;
    const place = this.#place[slot] ?? 0;
    const last = this.#present[this.#size - 1] ?? 0;
    this.#state[slot] = state & ~PRESENT;
    this.#present[place] = last;
    this.#place[last] = place;
    this.#size -= 1;
    if ((state & KNOWN) !== 0) this.#kept -= 1;
    this.#count(this.#traits[slot] ?? 0, -1);
    this.#changed.add(slot);
    if (this.#sample?.some((entry) => entry.slot === slot) === true) this.#sample = undefined;
  }

  #count(traits: number, change: 1 | -1): void {
    for (let i = 0; i < FIELDS.length; i += 1)
      if (((traits >> i) & 1) === 1) this.#filled[i] = (this.#filled[i] ?? 0) + change;
    for (const [i, { shift, values }] of CHOICES.entries()) {
      const counts = this.#chosen[i];
      const value = (traits >> shift) & (values.length - 1);
      if (counts !== undefined) counts[value] = (counts[value] ?? 0) + change;
    }
  }

  #orderOf(slot: number): number {
    return mix((this.#serial[slot] ?? 0) ^ 0x2545f491);
  }

  /** In the form of the shipped sample: an id of 16 bits, a name of 8, an e-mail address of 8. */
  #sampleText(): string {
    this.#sample ??= this.#smallest();
    const bytes = Buffer.alloc(4 * this.#sample.length);
    for (const [i, { slot }] of this.#sample.entries()) {
      const serial = this.#serial[slot] ?? 0;
      bytes.writeUInt16LE(mix(serial) & 0xffff, 4 * i);
      bytes.writeUInt8(mix(serial ^ (this.#nameEpoch << 16)) & 0xff, 4 * i + 2);
      bytes.writeUInt8(mix(serial ^ (this.#emailEpoch << 16) ^ 0x5bd1e995) & 0xff, 4 * i + 3);
    }
    return bytes.toString("base64");
  }

  #smallest(): { order: number; slot: number }[] {
    const found: { order: number; slot: number }[] = [];
    for (let i = 0; i < this.#size; i += 1) {
      const slot = this.#present[i] ?? 0;
      const order = this.#orderOf(slot);
      if (found.length === SAMPLE && order >= (found.at(-1)?.order ?? 0)) continue;
      found.splice(found.findLastIndex((other) => other.order < order) + 1, 0, { order, slot });
      if (found.length > SAMPLE) found.pop();
    }
    return found;
  }

  #grow(): void {
    this.#serial = grown(this.#serial, new Uint32Array(this.#state.length * 2));
    this.#traits = grown(this.#traits, new Uint16Array(this.#state.length * 2));
    this.#present = grown(this.#present, new Uint32Array(this.#state.length * 2));
    this.#place = grown(this.#place, new Uint32Array(this.#state.length * 2));
    this.#state = grown(this.#state, new Uint8Array(this.#state.length * 2));
  }
}

/** Leaves out what no record has, as the shipped profile does. */
function putCount(counts: Record<string, number>, name: string, count = 0): void {
  if (count > 0) counts[name] = count;
}

function grown<Words extends { set(old: ArrayLike<number>): void }>(
  old: ArrayLike<number>,
  larger: Words,
): Words {
  larger.set(old);
  return larger;
}

/** What the guard is told of a snapshot, by its counts. `known` of 0 without a completed snapshot. */
export function comparisonOf({ known, sent, kept }: Record<"known" | "sent" | "kept", number>): Comparison {
  const gone = known - kept;
  const sets = [{ origin: "completed" as const, known, gone }];
  return { known, sent, new: sent - kept, kept, gone, sets, firstGone: [] };
}
