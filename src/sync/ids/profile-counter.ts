import { type Range, RecordSample } from "./record-sample.js";
import type { SnapshotProfile } from "./snapshot-profile.js";

/** What is counted of a variant of a record: the names of its fields by their numbers on the wire. */
export interface ProfiledVariant {
  readonly number: number;
  /** How the names of its fields begin in a profile. */
  readonly prefix: string;
  /** Strings: an empty one is not filled. */
  readonly text: Readonly<Record<number, string>>;
  /** Booleans and enums, with the names of their values. */
  readonly choice: Readonly<
    Record<number, readonly [name: string, values: Readonly<Record<number, string>>]>
  >;
  readonly other: Readonly<Record<number, string>>;
  /** The numbers of a name and an e-mail address, if there are both. */
  readonly sampled: readonly [name: number, email: number] | undefined;
}

/** Where an encoded record lies, and in it the id. */
export interface RecordPlace {
  readonly start: number;
  readonly end: number;
  readonly idStart: number;
  readonly idEnd: number;
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;
/** Number of tags of a field: the lower bits say how its value is written. */
const WIRE_TYPES = 8;
/** Set in all bytes of a number but the last. */
const MORE = 0x80;
const BITS = 0x7f;

/** Counts which fields of the encoded records of a snapshot are filled, in one walk over the tags of each record. */
export class ProfileCounter {
  readonly #variants: readonly VariantCounts[];
  readonly #byNumber: readonly (VariantCounts | undefined)[];
  /** The variant of a collection that has one. */
  readonly #only: VariantCounts | undefined;
  readonly #sample = new RecordSample();

  constructor(variants: readonly ProfiledVariant[]) {
    this.#variants = variants.map((variant) => new VariantCounts(variant));
    if (this.#variants.length === 1) this.#only = this.#variants[0];
    const numbers = variants.map(({ number }) => number);
    this.#byNumber = Array.from(
      { length: Math.max(...numbers) + 1 },
      (_, i) => this.#variants[numbers.indexOf(i)],
    );
  }

  /** Counts a record. Its variant is its only field, and the id is the first field of the variant. */
  add(bytes: DataView, { start, end, idStart, idEnd }: RecordPlace): void {
    const counts = this.#only ?? this.#byNumber[numberAt(bytes, start)];
    if (counts === undefined) return;
    counts.add(bytes, idEnd, end);
    const { sampled } = counts.variant;
    if (sampled === undefined) return;
    const order = this.#sample.orderOf(bytes, idStart, idEnd);
    if (order === undefined) return;
    const [name, email] = sampled;
    const id = { start: idStart, end: idEnd };
    this.#sample.add(order, bytes, id, textOf(bytes, idEnd, end, name), textOf(bytes, idEnd, end, email));
  }

  profile(): SnapshotProfile {
    const fields = this.#variants
      .flatMap((counts) => [...counts.fields()])
      .filter(({ filled }) => filled > 0);
    return {
      records: this.#variants.reduce((sum, { records }) => sum + records, 0),
      filled: Object.fromEntries(fields.map(({ name, filled }) => [name, filled])),
      choices: Object.fromEntries(
        fields.flatMap(({ name, choices }) => (choices === undefined ? [] : [[name, choices]])),
      ),
      sample: this.#sample.toString(),
    };
  }
}

interface FieldCounts {
  readonly name: string;
  readonly filled: number;
  readonly choices?: Readonly<Record<string, number>>;
}

/** The counts of one variant, by the tags of its fields. */
class VariantCounts {
  readonly variant: ProfiledVariant;
  records = 0;
  readonly #filled: Int32Array;
  /** How often each value of a boolean or an enum occurs. */
  readonly #values: (Int32Array | undefined)[];

  constructor(variant: ProfiledVariant) {
    this.variant = variant;
    const numbers = Object.keys({ ...variant.text, ...variant.choice, ...variant.other }).map(Number);
    this.#filled = new Int32Array((Math.max(0, ...numbers) + 1) * WIRE_TYPES);
    this.#values = Array.from(this.#filled, () => undefined);
    for (const [number, [, values]] of Object.entries(variant.choice))
      this.#values[tagOf(number, VARINT)] = new Int32Array(Math.max(...Object.keys(values).map(Number)) + 1);
  }

  /** Counts the fields from `start` to `end`. The entries of a list or map follow each other. */
  add(bytes: DataView, start: number, end: number): void {
    const filled = this.#filled;
    const valuesOf = this.#values;
    this.records += 1;
    let previous = 0;
    for (let at = start; at < end; ) {
      // As FieldCursor reads, which costs a third more.
      let byte = bytes.getUint8(at++);
      let tag = byte & BITS;
      for (let shift = 7; byte >= MORE; shift += 7) {
        byte = bytes.getUint8(at++);
        tag |= (byte & BITS) << shift;
      }
      byte = bytes.getUint8(at++);
      let value = byte & BITS;
      for (let shift = 7; byte >= MORE; shift += 7) {
        byte = bytes.getUint8(at++);
        value |= (byte & BITS) << shift;
      }
      if ((tag & (WIRE_TYPES - 1)) === VARINT) {
        filled[tag] = (filled[tag] ?? 0) + 1;
        const values = valuesOf[tag];
        if (values !== undefined) values[value] = (values[value] ?? 0) + 1;
      } else {
        at += value;
        if (tag !== previous && (value > 0 || this.variant.text[tag >>> 3] === undefined))
          filled[tag] = (filled[tag] ?? 0) + 1;
        previous = tag;
      }
    }
  }

  *fields(): Iterable<FieldCounts> {
    const { prefix, text, choice, other } = this.variant;
    for (const [number, name] of Object.entries({ ...text, ...other }))
      yield {
        name: prefix + name,
        filled: this.#filledOf(number, LENGTH_DELIMITED) || this.#filledOf(number, VARINT),
      };
    for (const [number, [name, labels]] of Object.entries(choice)) {
      const tag = tagOf(number, VARINT);
      const counts = Object.entries(labels).map(([value, label]) => [
        label,
        this.#values[tag]?.[Number(value)] ?? 0,
      ]);
      const choices = Object.fromEntries(counts.filter(([, count]) => count !== 0));
      yield { name: prefix + name, filled: this.#filledOf(number, VARINT), choices };
    }
  }

  #filledOf(number: string, wireType: number): number {
    return this.#filled[tagOf(number, wireType)] ?? 0;
  }
}

/** Reads the tag of a field, and its value if it is a number, otherwise the length of its value. */
class FieldCursor {
  at = 0;
  tag = 0;
  value = 0;

  read(bytes: DataView): void {
    this.tag = this.#number(bytes);
    this.value = this.#number(bytes);
  }

  #number(bytes: DataView): number {
    let byte = bytes.getUint8(this.at++);
    let number = byte & BITS;
    for (let shift = 7; byte >= MORE; shift += 7) {
      byte = bytes.getUint8(this.at++);
      number |= (byte & BITS) << shift;
    }
    return number;
  }
}

const CURSOR = new FieldCursor();

function numberAt(bytes: DataView, start: number): number {
  CURSOR.at = start;
  CURSOR.read(bytes);
  return Math.floor(CURSOR.tag / WIRE_TYPES);
}

/** Returns where a string field lies between `start` and `end`; nowhere if it is absent. */
function textOf(bytes: DataView, start: number, end: number, number: number): Range {
  CURSOR.at = start;
  while (CURSOR.at < end) {
    CURSOR.read(bytes);
    const { tag, value, at } = CURSOR;
    if (tag === tagOf(number, LENGTH_DELIMITED)) return { start: at, end: at + value };
    if (tag % WIRE_TYPES === LENGTH_DELIMITED) CURSOR.at += value;
  }
  return { start: end, end };
}

function tagOf(number: number | string, wireType: number): number {
  return Number(number) * WIRE_TYPES + wireType;
}
