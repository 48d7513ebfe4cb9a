/**
 * Checks values as users write them and encodes them, in one pass, into a buffer that is used again and again.
 *
 * The generated encoders are made of these methods. Each reads a value once, and answers false, without saying why,
 * where the schemas would refuse it: who wants to know asks them. What was written before a refusal is to be dropped.
 * The bytes are those that the generated codec writes.
 */
import { BYTES_PER_UNIT, ByteWriter, FIELD_BYTES, varintBytes } from "./byte-writer.js";
import type { FieldNames, Fields } from "./field-names.js";
import { CURRENCY, DECIMAL, isPlainObject, MAX_SECONDS, MIN_SECONDS } from "./formats.js";
import { isoNanos, isoSeconds } from "./iso-time.js";

/** Checks and encodes the fields of one message. */
export interface MessageEncoder {
  readonly names: FieldNames;
  readonly encode: (to: RecordWriter, fields: Fields) => boolean;
}

/** Longest text that is copied letter by letter; from there on the native call costs less. */
const SHORT_TEXT = 26;
/** From this length on the size of a text is measured before room is made for it. */
const LONG_TEXT = 4096;
/** Most bytes of a Timestamp with tag and length. */
const TIMESTAMP_BYTES = 32;
/** Tags of a map's entry. */
const KEY_TAG = 10;
const VALUE_TAG = 18;
/** Tags of a Timestamp. */
const SECONDS_TAG = 8;
const NANOS_TAG = 16;

export class RecordWriter extends ByteWriter {
  /** A message that may be absent. */
  message(tag: number, value: unknown, encoder: MessageEncoder): boolean {
    return value === undefined || this.requiredMessage(tag, value, encoder);
  }

  requiredMessage(tag: number, value: unknown, encoder: MessageEncoder): boolean {
    const start = this.begin(tag);
    if (!encoder.names.areAllOf(value) || !encoder.encode(this, value)) return false;
    this.end(start);
    return true;
  }

  text(tag: number, value: unknown): boolean {
    return value === undefined || (typeof value === "string" && this.#text(tag, value));
  }

  requiredText(tag: number, value: unknown): boolean {
    return typeof value === "string" && value !== "" && this.#text(tag, value);
  }

  decimal(tag: number, value: unknown): boolean {
    return (
      value === undefined || (typeof value === "string" && DECIMAL.test(value) && this.#text(tag, value))
    );
  }

  currency(tag: number, value: unknown): boolean {
    return (
      value === undefined || (typeof value === "string" && CURRENCY.test(value) && this.#text(tag, value))
    );
  }

  strings(tag: number, value: unknown): boolean {
    if (value === undefined) return true;
    if (!Array.isArray(value)) return false;
    const list: readonly unknown[] = value;
    for (let i = 0; i < list.length; i += 1) {
      const entry = list[i];
      if (typeof entry !== "string" || !this.#text(tag, entry)) return false;
    }
    return true;
  }

  /** Every own key is taken, `__proto__` too. */
  stringMap(tag: number, value: unknown): boolean {
    if (value === undefined) return true;
    if (!isPlainObject(value)) return false;
    for (const key of Object.keys(value)) {
      const entry = value[key];
      if (typeof entry !== "string") return false;
      const start = this.begin(tag);
      if (key !== "" && !this.#text(KEY_TAG, key)) return false;
      if (entry !== "" && !this.#text(VALUE_TAG, entry)) return false;
      this.end(start);
    }
    return true;
  }

  bool(tag: number, value: unknown): boolean {
    if (value === undefined) return true;
    if (typeof value !== "boolean") return false;
    this.reserve(FIELD_BYTES);
    this.tag(tag);
    this.buffer[this.position] = value ? 1 : 0;
    this.position += 1;
    return true;
  }

  int32(tag: number, value: unknown): boolean {
    if (value === undefined) return true;
    if (typeof value !== "number" || (value | 0) !== value) return false;
    this.number(tag, value);
    return true;
  }

  int64(tag: number, value: unknown): boolean {
    if (value === undefined) return true;
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
    if (value === undefined) return true;
    const number = numbers.get(value);
    if (number === undefined) return false;
    this.number(tag, number);
    return true;
  }

  /** A Date, or an ISO 8601 string. */
  timestamp(tag: number, value: unknown): boolean {
    if (value === undefined) return true;
    if (typeof value === "string") return this.#timestamp(tag, isoSeconds(value), isoNanos(value));
    if (!(value instanceof Date)) return false;
    const ms = value.getTime();
    const seconds = Math.floor(ms / 1000);
    return Number.isInteger(ms) && this.#timestamp(tag, seconds, (ms - seconds * 1000) * 1_000_000);
  }

  #timestamp(tag: number, seconds: number, nanos: number): boolean {
    // NaN is in no range.
    if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) return false;
    this.reserve(TIMESTAMP_BYTES);
    const start = this.begin(tag);
    if (seconds !== 0) this.number(SECONDS_TAG, seconds);
    if (nanos !== 0) this.number(NANOS_TAG, nanos);
    this.end(start);
    return true;
  }

  #text(tag: number, value: string): boolean {
    const { length } = value;
    if (length > SHORT_TEXT) return this.#longText(tag, value);
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

  #longText(tag: number, value: string): boolean {
    const most = value.length < LONG_TEXT ? BYTES_PER_UNIT * value.length : Buffer.byteLength(value);
    this.reserve(FIELD_BYTES + most);
    this.tag(tag);
    return this.#utf8(value);
  }

  /** Length and UTF-8; there is room for both. */
  #utf8(value: string): boolean {
    const { length } = value;
    const guessed = varintBytes(length);
    const { position } = this;
    const written = this.buffer.write(value, position + guessed);
    if (written !== length) {
      // A lone surrogate would reach the service as another letter. Only text beyond ASCII can hold one.
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
