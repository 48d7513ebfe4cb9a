import { mixBytes } from "./id-hash.js";

/**
 * - `text`: a string or a list of strings.
 * - `value`: a boolean, an enum or a number.
 * - `drifting`: a value that changes by itself, such as a time, a version or a counter, or any map.
 */
export type FieldKind = "text" | "value" | "drifting";

/** A field of a collection's records. */
export interface SampledField {
  /** The field's path in a record, such as `details.seatBased.paidSeats`. */
  readonly name: string;
  /** The field's path as field numbers on the wire. */
  readonly path: readonly number[];
  readonly kind: FieldKind;
  /** The names of a boolean's or an enum's values, by their numbers. */
  readonly values?: readonly string[];
}

/** Hashed fields of the records whose ids have the smallest hashes: mostly the same records in each run. */
export interface FieldSample {
  /** The names of the fields that at least one record has. */
  readonly fields: readonly string[];
  /** In base64: for each record, 2 bytes of its id's hash and a byte for each field, 0 if the field has no value. */
  readonly rows: string;
}

export const EMPTY_SAMPLE: FieldSample = { fields: [], rows: "" };

export const SAMPLED_RECORDS = 128;
/** Number of bytes in a row before its fields. */
export const ID_BYTES = 2;

/** Must never change, because samples of different runs are compared. */
const ORDER_SEED = 0x2545f491;
const TEXT_SEED = 0x5851f42d;
/** Number of values of a field that a sample can tell apart. */
const VALUES = 255;
const LENGTH_DELIMITED = 2;
const AT_SIGN = 0x40;
/** The bit that is set in every byte of a varint except the last. */
const MORE = 0x80;

/** Where an encoded record and its id are. */
export interface RecordPlace {
  readonly start: number;
  readonly end: number;
  readonly idStart: number;
  readonly idEnd: number;
}

/** Maps a message's field numbers to columns of the row, or to the fields of a nested message. */
type Layout = Map<number, LaidOut | Layout>;

interface LaidOut {
  readonly at: number;
  readonly isText: boolean;
  readonly isReference: boolean;
}

export interface SampledId {
  readonly id: string;
  /** The id of a missing record that this record refers to. */
  readonly missing: string | undefined;
}

interface Sampled {
  readonly order: number;
  readonly row: Uint8Array;
  readonly id: string;
  /** The ids of the records that this one refers to, each by its field's position in the row. */
  readonly named: Map<number, Uint8Array>;
}

/** Samples the encoded records of a snapshot. Reads only records that belong to the sample so far. */
export class FieldSampler {
  readonly #fields: readonly SampledField[];
  readonly #layout: Layout = new Map();
  /** The sampled records, ordered by the hashes of their ids. */
  readonly #records: Sampled[] = [];
  /** Records belong to the sample if the hash of their id is below this limit. */
  #limit = 2 ** 32;
  #at = 0;

  /** @param references The fields that hold ids of other records. */
  constructor(fields: readonly SampledField[], references: readonly string[]) {
    this.#fields = fields;
    for (const [i, { name, path, kind }] of fields.entries()) {
      let layout = this.#layout;
      for (const number of path.slice(0, -1)) {
        const inner = layout.get(number);
        const next: Layout = inner instanceof Map ? inner : new Map();
        layout.set(number, next);
        layout = next;
      }
      layout.set(path.at(-1) ?? 0, {
        at: ID_BYTES + i,
        isText: kind === "text",
        isReference: references.includes(name),
      });
    }
  }

  /** Adds a record. Call `add` once per id. */
  add(bytes: DataView, place: RecordPlace): void {
    const order = mixBytes(bytes, place.idStart, place.idEnd, ORDER_SEED) >>> 0;
    if (order < this.#limit) this.#insert(order, bytes, place);
  }

  /** Treats references to records that don't exist as missing values. */
  resolve(reference: string, isThere: (id: Uint8Array) => boolean): void {
    const at = ID_BYTES + this.#fields.findIndex(({ name }) => name === reference);
    for (const { row, named } of this.#records) {
      const id = named.get(at);
      if (id !== undefined && !isThere(id)) row[at] = 0;
    }
  }

  sample(): FieldSample {
    const filled = this.#fields.flatMap(({ name }, i) =>
      this.#records.some(({ row }) => row[ID_BYTES + i] !== 0) ? [{ name, at: ID_BYTES + i }] : [],
    );
    const kept = [0, 1, ...filled.map(({ at }) => at)];
    const rows = this.#records.flatMap(({ row }) => kept.map((at) => row[at] ?? 0));
    return { fields: filled.map(({ name }) => name), rows: Buffer.from(rows).toString("base64") };
  }

  /** The ids of the sampled records, in the order of the rows. The ids are never stored with the sample. */
  ids(): readonly SampledId[] {
    return this.#records.map(({ id, row, named }) => {
      const [, missing] = [...named].find(([at]) => row[at] === 0) ?? [];
      return { id, missing: missing && Buffer.from(missing).toString() };
    });
  }

  #insert(order: number, bytes: DataView, { start, end, idStart, idEnd }: RecordPlace): void {
    const records = this.#records;
    const row = new Uint8Array(ID_BYTES + this.#fields.length);
    row[0] = order;
    row[1] = order >>> 8;
    const { buffer, byteOffset } = bytes;
    const id = Buffer.from(buffer, byteOffset + idStart, idEnd - idStart).toString();
    const sampled = { order, row, id, named: new Map<number, Uint8Array>() };
    this.#at = start;
    this.#read(bytes, end, this.#layout, sampled);
    records.splice(records.findLastIndex((other) => other.order < order) + 1, 0, sampled);
    records.length = Math.min(records.length, SAMPLED_RECORDS);
    if (records.length === SAMPLED_RECORDS) this.#limit = records.at(-1)?.order ?? 0;
  }

  #read(bytes: DataView, end: number, layout: Layout, sampled: Sampled): void {
    const { row, named } = sampled;
    while (this.#at < end) {
      const tag = this.#number(bytes);
      const value = this.#number(bytes);
      const field = layout.get(tag >>> 3);
      const start = this.#at;
      const isNumber = (tag & 7) !== LENGTH_DELIMITED;
      if (field instanceof Map) this.#read(bytes, start + value, field, sampled);
      else if (field !== undefined && isNumber) addTo(row, field.at, value);
      else if (field !== undefined && value > 0) {
        addTo(row, field.at, hashOf(bytes, start, start + value, field));
        if (field.isReference)
          named.set(field.at, new Uint8Array(bytes.buffer, bytes.byteOffset + start, value).slice());
      }
      if (!isNumber) this.#at = start + value;
    }
  }

  #number(bytes: DataView): number {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.getUint8(this.#at++);
      number |= (byte & ~MORE) << shift;
      if (byte < MORE) return number;
    }
  }
}

/** Hashes an email address only up to its @ sign: a changed domain isn't a mistake, but a lost domain is. */
function hashOf(bytes: DataView, start: number, end: number, { isText }: LaidOut): number {
  let last = end;
  // The search skips the first character, because a string may start with an @ sign.
  if (isText) for (last = start + 1; last < end && bytes.getUint8(last) !== AT_SIGN; last += 1);
  return mixBytes(bytes, start, Math.min(last + 1, end), TEXT_SEED);
}

/** Adds up the entries of a list or map, so that their order doesn't matter. */
function addTo(row: Uint8Array, at: number, value: number): void {
  row[at] = 1 + (((row[at] ?? 0) + ((value >>> 0) % VALUES)) % VALUES);
}

/** A sample's rows as bytes. */
export function rowsOf({ fields, rows }: FieldSample): {
  readonly bytes: Uint8Array;
  /** Of a row. */
  readonly width: number;
  readonly count: number;
} {
  const bytes = Buffer.from(rows, "base64");
  const width = ID_BYTES + fields.length;
  return { bytes, width, count: Math.floor(bytes.length / width) };
}

/** The number of a sample's records in which each field has a value. */
export function filledOf(sample: FieldSample): Readonly<Record<string, number>> {
  const { bytes, width, count } = rowsOf(sample);
  const filled = sample.fields.map((name, i) => {
    let sum = 0;
    for (let row = 0; row < count; row += 1) if (bytes[row * width + ID_BYTES + i] !== 0) sum += 1;
    return [name, sum] as const;
  });
  return Object.fromEntries(filled);
}

/** How a field changed between two samples, in the records that are in both and have a value in the first. */
export interface FieldChange {
  readonly field: string;
  /** Number of records in both samples with a value in the first. */
  readonly had: number;
  /** How many of the `had` records have no value now. */
  readonly lost: number;
  /** How many of the `had` records have another value now. */
  readonly other: number;
  /** The largest number of records that changed to the same value. */
  readonly merged: number;
  /** How many records already had the value that `merged` counts; `value` is the byte of that value. */
  readonly before: number;
  readonly value: number;
  /** Number of different values in the first sample. */
  readonly values: number;
  /** The changed rows of the second sample, each with the field's new byte. */
  readonly rows: readonly (readonly [row: number, value: number])[];
}

/** Compares two samples, field by field. */
export function changesOf(before: FieldSample, now: FieldSample): readonly FieldChange[] {
  const [old, next] = [rowsOf(before), rowsOf(now)];
  const rows = new Map<number, number>();
  for (let row = 0; row < next.count; row += 1) rows.set(idAt(next.bytes, row * next.width), row);
  return before.fields.map((field, i) => {
    const column = now.fields.indexOf(field);
    const had = new Uint8Array(256);
    const took = new Uint8Array(256);
    const changed: [number, number][] = [];
    let lost = 0;
    for (let row = 0; row < old.count; row += 1) {
      const same = rows.get(idAt(old.bytes, row * old.width));
      const was = old.bytes[row * old.width + ID_BYTES + i] ?? 0;
      if (same === undefined || was === 0) continue;
      const is = column === -1 ? 0 : (next.bytes[same * next.width + ID_BYTES + column] ?? 0);
      had[was] = (had[was] ?? 0) + 1;
      if (is !== was) changed.push([same, is]);
      if (is === 0) lost += 1;
      else if (is !== was) took[is] = (took[is] ?? 0) + 1;
    }
    const merged = Math.max(...took);
    const value = took.indexOf(merged);
    return {
      field,
      had: sumOf(had),
      lost,
      other: sumOf(took),
      merged,
      before: had[value] ?? 0,
      value,
      values: had.filter((records) => records > 0).length,
      rows: changed,
    };
  });
}

function idAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function sumOf(counts: Uint8Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
