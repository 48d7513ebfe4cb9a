/**
 * Checks the values of a record and encodes them in one pass.
 *
 * The generated encoders are chains of these methods. Each method returns false for a value that the schema refuses,
 * but not why; explain-record.ts finds the reason. After a refusal, drop what was written.
 */
import { isPlainObject } from "../../core/validate.js";
import type { EventTimes } from "../event-times.js";
import { BYTES_PER_UNIT, ByteWriter, FIELD_BYTES, varintBytes } from "./byte-writer.js";
import { isoNanos, isoSeconds } from "./iso-time.js";

/** A decimal number without exponent or grouping. */
export const DECIMAL = /^-?\d+(\.\d+)?$/;
/** The format of an ISO 4217 code. */
export const CURRENCY = /^[A-Z]{3}$/;
/** The range of a protobuf Timestamp: the first second of year 1 and the last of year 9999. */
export const MIN_SECONDS = -62_135_596_800;
export const MAX_SECONDS = 253_402_300_799;

/** Up to this length, copying character by character is faster than a native call. */
const SHORT_STRING = 26;
/** From this length, strings are measured before space is reserved. */
const LONG_STRING = 4096;
/** Maximum size of an encoded Timestamp in bytes, with tag and length. */
const TIMESTAMP_BYTES = 32;
const KEY_TAG = 10;
const VALUE_TAG = 18;
const SECONDS_TAG = 8;
const NANOS_TAG = 16;

type Fields = Readonly<Record<string, unknown>>;

/** Checks and encodes the fields of one message. */
export interface MessageEncoder {
  readonly names: FieldNames;
  readonly encode: (to: RecordWriter, fields: Fields) => boolean;
}

export class FieldNames {
  readonly #names: ReadonlySet<string>;
  /** The previous object's names in order. Most records of a source repeat them, which saves looking them up. */
  readonly #seen: string[] = [];

  constructor(...names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** Whether a value is an object whose enumerable fields, own or inherited, all have one of the names. */
  areAllOf(value: unknown): value is Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    let position = 0;
    for (const name in value) {
      if (this.#seen[position] !== name) {
        if (!this.#names.has(name)) return false;
        this.#seen[position] = name;
      }
      position += 1;
    }
    return true;
  }
}

/** Encodes values as the generated codec does, byte for byte. The encoders skip absent fields. */
export class RecordWriter extends ByteWriter {
  /** The limits for events; undefined for snapshots, whose records may have any time. */
  times: EventTimes | undefined = undefined;

  message(tag: number, value: unknown, encoder: MessageEncoder): boolean {
    return encoder.names.areAllOf(value) && this.fields(tag, value, encoder);
  }

  /** Writes a message from an object that was already checked for unknown fields. */
  fields(tag: number, value: Fields, { encode }: MessageEncoder): boolean {
    const start = this.begin(tag);
    if (!encode(this, value)) return false;
    this.end(start);
    return true;
  }

  string(tag: number, value: unknown): boolean {
    return typeof value === "string" && this.#string(tag, value);
  }

  requiredString(tag: number, value: unknown): boolean {
    return typeof value === "string" && value !== "" && this.#string(tag, value);
  }

  formatted(tag: number, value: unknown, format: RegExp): boolean {
    return typeof value === "string" && format.test(value) && this.#string(tag, value);
  }

  strings(tag: number, value: unknown): boolean {
    if (!Array.isArray(value)) return false;
    const list: readonly unknown[] = value;
    for (let i = 0; i < list.length; i += 1) {
      const entry = list[i];
      if (typeof entry !== "string" || !this.#string(tag, entry)) return false;
    }
    return true;
  }

  /** Takes every own key, including `__proto__`. */
  stringMap(tag: number, value: unknown): boolean {
    if (!isPlainObject(value)) return false;
    for (const key of Object.keys(value)) {
      const entry = value[key];
      if (typeof entry !== "string") return false;
      const start = this.begin(tag);
      if (key !== "" && !this.#string(KEY_TAG, key)) return false;
      if (entry !== "" && !this.#string(VALUE_TAG, entry)) return false;
      this.end(start);
    }
    return true;
  }

  bool(tag: number, value: unknown): boolean {
    if (typeof value !== "boolean") return false;
    this.reserve(FIELD_BYTES);
    this.tag(tag);
    this.buffer[this.position] = value ? 1 : 0;
    this.position += 1;
    return true;
  }

  int32(tag: number, value: unknown): boolean {
    if (typeof value !== "number" || (value | 0) !== value) return false;
    this.number(tag, value);
    return true;
  }

  uint32(tag: number, value: unknown): boolean {
    if (typeof value !== "number" || value >>> 0 !== value) return false;
    this.number(tag, value);
    return true;
  }

  uint64(tag: number, value: unknown): boolean {
    if (typeof value === "bigint" && value >= 0n)
      return this.int64(tag, BigInt.asIntN(64, value)) && value < 2n ** 64n;
    return typeof value === "number" && value >= 0 && this.int64(tag, value);
  }

  int64(tag: number, value: unknown): boolean {
    if (typeof value === "number") {
      if (!Number.isSafeInteger(value)) return false;
      this.number(tag, value);
      return true;
    }
    if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value) return false;
    this.reserve(FIELD_BYTES);
    this.tag(tag);
    this.varint64(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
    return true;
  }

  enumeration(tag: number, value: unknown, numbers: ReadonlyMap<unknown, number>): boolean {
    const number = numbers.get(value);
    if (number === undefined) return false;
    this.number(tag, number);
    return true;
  }

  timestamp(tag: number, value: unknown): boolean {
    if (typeof value === "string") return this.#timestamp(tag, isoSeconds(value), isoNanos(value));
    if (!(value instanceof Date)) return false;
    const ms = value.getTime();
    const seconds = Math.floor(ms / 1000);
    return Number.isInteger(ms) && this.#timestamp(tag, seconds, (ms - seconds * 1000) * 1_000_000);
  }

  #timestamp(tag: number, seconds: number, nanos: number): boolean {
    // Also refuses NaN.
    if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) return false;
    if (this.times?.has(seconds) === false) return false;
    this.reserve(TIMESTAMP_BYTES);
    const start = this.begin(tag);
    if (seconds !== 0) this.number(SECONDS_TAG, seconds);
    if (nanos !== 0) this.number(NANOS_TAG, nanos);
    this.end(start);
    return true;
  }

  #string(tag: number, value: string): boolean {
    const { length } = value;
    if (length > SHORT_STRING) return this.#longString(tag, value);
    this.reserve(FIELD_BYTES + BYTES_PER_UNIT * length);
    this.tag(tag);
    const buffer = this.buffer;
    const { position } = this;
    const start = position + 1;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return this.#utf8(value);
      buffer[start + i] = code;
    }
    buffer[position] = length;
    this.position = start + length;
    return true;
  }

  #longString(tag: number, value: string): boolean {
    const most = value.length < LONG_STRING ? BYTES_PER_UNIT * value.length : Buffer.byteLength(value);
    this.reserve(FIELD_BYTES + most);
    this.tag(tag);
    return this.#utf8(value);
  }

  /** Writes length and UTF-8, for which space must be reserved. */
  #utf8(value: string): boolean {
    const { length } = value;
    const guessed = varintBytes(length);
    const { position } = this;
    const written = this.buffer.write(value, position + guessed);
    if (written !== length) {
      // A lone surrogate would reach the service as another character. Only non-ASCII strings can hold a lone
      // surrogate.
      if (!value.isWellFormed()) return false;
      const needed = varintBytes(written);
      if (needed !== guessed) {
        this.buffer.copyWithin(position + needed, position + guessed, position + guessed + written);
      }
    }
    this.varint(written);
    this.position += written;
    return true;
  }
}

/** Whether a single field is set and has one of the names; fields include getters of a class. */
export function onlyOne(fields: Fields, ...names: readonly string[]): boolean {
  let present = 0;
  for (const name of names) if (fields[name] != null) present += 1;
  for (const name in fields) if (fields[name] != null && !names.includes(name)) return false;
  return present === 1;
}

/** Whether a group of fields is complete, and none is half-filled. */
export function completeGroups(...groups: readonly (readonly unknown[])[]): boolean {
  let complete = 0;
  for (const group of groups) {
    const set = group.filter((value) => value != null).length;
    if (set === group.length) complete += 1;
    else if (set > 0) return false;
  }
  return complete > 0;
}
