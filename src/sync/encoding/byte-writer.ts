/** Maximum size of a tag followed by a length or a number, in bytes. */
export const FIELD_BYTES = 16;
/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
export const BYTES_PER_UNIT = 3;
const TWO_32 = 2 ** 32;
const FIRST_BUFFER_BYTES = 16 * 1024;

/** Writes protobuf into a buffer that grows and is reused. */
export class ByteWriter {
  #buffer: Buffer;
  position = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** The current buffer, which is replaced by a larger one when it gets too small. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  moveTo(buffer: Buffer, position: number): void {
    this.#buffer = buffer;
    this.position = position;
  }

  begin(tag: number): number {
    this.reserve(FIELD_BYTES);
    this.tag(tag);
    // Most lengths take one byte; `end` moves the contents if more are needed.
    this.position += 1;
    return this.position;
  }

  end(start: number): void {
    const length = this.position - start;
    if (length >= 0x80) {
      const extra = varintBytes(length) - 1;
      this.reserve(extra);
      this.#buffer.copyWithin(start + extra, start, this.position);
      this.position = start - 1;
      this.varint(length);
      this.position += length;
    } else {
      this.#buffer[start - 1] = length;
    }
  }

  raw(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.#buffer.set(bytes.subarray(start, end), this.position);
    this.position += end - start;
  }

  varint(value: number): void {
    const buffer = this.#buffer;
    let position = this.position;
    let rest = value;
    while (rest >= 0x80) {
      buffer[position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[position++] = rest;
    this.position = position;
  }

  number(tag: number, value: number): void {
    this.reserve(FIELD_BYTES);
    this.tag(tag);
    if (value >= 0 && value < TWO_32) this.varint(value);
    else this.varint64(value >>> 0, Math.floor(value / TWO_32) >>> 0);
  }

  varint64(low: number, high: number): void {
    const buffer = this.#buffer;
    let position = this.position;
    let lowBits = low;
    let highBits = high;
    while (highBits > 0 || lowBits > 0x7f) {
      buffer[position++] = (lowBits & 0x7f) | 0x80;
      lowBits = ((lowBits >>> 7) | (highBits << 25)) >>> 0;
      highBits >>>= 7;
    }
    buffer[position++] = lowBits;
    this.position = position;
  }

  tag(tag: number): void {
    if (tag < 0x80) {
      this.#buffer[this.position] = tag;
      this.position += 1;
    } else {
      this.varint(tag);
    }
  }

  reserve(bytes: number): void {
    if (this.position + bytes > this.#buffer.length) this.#grow(bytes);
  }

  #grow(bytes: number): void {
    const size = Math.max(2 * this.#buffer.length || FIRST_BUFFER_BYTES, this.position + bytes);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.position);
    this.#buffer = larger;
  }
}

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) bytes += 1;
  return bytes;
}

export function afterVarint(buffer: Uint8Array, position: number): number {
  let at = position;
  while ((buffer[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

export function varintAt(buffer: Uint8Array, position: number): number {
  let value = 0;
  let factor = 1;
  for (let at = position; ; at += 1) {
    const byte = buffer[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 0x80;
  }
}
