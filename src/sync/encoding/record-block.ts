/**
 * Encodes many plain records of an array in one go: the generated block encoders write tags, lengths and numbers into
 * the message, leave room for each text, and append the texts to one string, which is then written at once.
 *
 * A text of a block takes as many bytes as it has letters: it is ASCII and short. Whatever is not plain ends the block,
 * and is left to the encoder of single records, which also says what a record's bytes have to be.
 */
import { varintBytes } from "./byte-writer.js";
import type { RecordWriter } from "./record-writer.js";

/** Most records of a block. */
const BLOCK_RECORDS = 128;
/** Most texts of a block. */
export const BLOCK_TEXTS = 4096;
/** Most letters of a text: its length takes one byte. */
export const TEXT_LETTERS = 127;
const BLOCK_BYTES = 64 * 1024;
/** Fewer records are not worth a block. */
const FEW_RECORDS = 4;
const FIRST_RECORDS = 8;
/** How many records are encoded singly after a block of few records; twice as many after each further one. */
const FIRST_WAIT = 16;
const LONGEST_WAIT = 4096;
/** A last letter of several bytes that does not fit must not leave as many bytes as there are letters. */
const LETTER_BYTES = 4;

/** Encodes plain records of an array from a position on, up to the first that is not, and tells the block. */
export type BlockEncoder = (
  block: RecordBlock,
  to: RecordWriter,
  records: readonly unknown[],
  from: number,
  most: number,
) => void;

/** Where the records of a block and their texts lie. Holds until the next block. */
export class RecordBlock {
  /** Where each record begins, with its tag, and where the last one ends. */
  readonly starts = new Int32Array(BLOCK_RECORDS + 1);
  /** The number of each record's first text: its id, in a collection that has ids. */
  readonly firstTexts = new Int32Array(BLOCK_RECORDS);
  /** Where the texts begin, one after the other; the byte before each is its length. */
  readonly places = new Int32Array(BLOCK_TEXTS);
  readonly #texts = Buffer.allocUnsafeSlow(BLOCK_BYTES + LETTER_BYTES);
  readonly #textsView = new DataView(this.#texts.buffer);
  /** Up to where records may reach. */
  limit = 0;
  records = 0;
  #text = "";
  #count = 0;
  /** Records that the next block may have: the last one tells how many in a row are plain. */
  #most = FIRST_RECORDS;
  /** Records until the next block. */
  #waits = 0;
  #nextWait = FIRST_WAIT;

  /**
   * Encodes records behind the writer's position, which stays where it is.
   * @param limit Up to where they may reach.
   * @returns how many there are; others may have been read, and are read again
   */
  fill(
    to: RecordWriter,
    records: readonly unknown[],
    from: number,
    limit: number,
    encode: BlockEncoder,
  ): number {
    const most = Math.min(records.length - from, this.#most);
    this.#waits -= 1;
    if (this.#waits >= 0 || most < FEW_RECORDS) return 0;
    const start = to.position;
    this.starts[0] = start;
    this.limit = Math.min(limit, to.buffer.length, start + BLOCK_BYTES);
    this.records = 0;
    try {
      encode(this, to, records, from, most);
    } catch {
      // A getter threw; the exact encoder meets it again.
    }
    to.position = start;
    if (this.records > 0) this.records = this.#settle(to.buffer);
    this.#plan(most);
    return this.records;
  }

  /** Decides on the next block by the last one, which might have had so many records. */
  #plan(most: number): void {
    const { records } = this;
    const isWorthwhile = records >= FEW_RECORDS;
    // The record that has ended the block is not plain.
    if (isWorthwhile) this.#waits = records < most ? 1 : 0;
    else this.#waits = this.#nextWait;
    this.#nextWait = isWorthwhile ? FIRST_WAIT : Math.min(2 * this.#nextWait, LONGEST_WAIT);
    this.#most = Math.min(Math.max(2 * records, FIRST_RECORDS), BLOCK_RECORDS);
  }

  /** Called by the encoder with what it has written; `count` is the number of texts. */
  wrote(records: number, text: string, count: number): void {
    this.records = records;
    this.#text = text;
    this.#count = count;
  }

  /**
   * Writes the length of a message at `at`, which lies before it.
   * @param width Number of bytes that were left for the length; the message is moved if that is wrong.
   * @returns the right number
   */
  close(buffer: Buffer, at: number, width: number, end: number, count: number): number {
    const { places } = this;
    const start = at + width;
    const length = end - start;
    const needed = varintBytes(length);
    if (needed !== width) {
      buffer.copyWithin(at + needed, start, end);
      for (let i = count - 1; i >= 0; i -= 1) {
        const place = places[i] ?? 0;
        if (place < start) break;
        places[i] = place + needed - width;
      }
    }
    let last = at;
    for (let rest = length; ; rest >>>= 7) {
      buffer[last] = rest < 0x80 ? rest : (rest & 0x7f) | 0x80;
      if (rest < 0x80) return needed;
      last += 1;
    }
  }

  /** Puts the texts in place. Returns the number of records before the first that has a letter beyond ASCII. */
  #settle(buffer: Buffer): number {
    const { places } = this;
    const texts = this.#texts;
    const text = this.#text;
    const count = this.#count;
    const from = this.#textsView;
    const to = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    let ascii = text.length;
    if (texts.write(text) !== ascii) {
      ascii = 0;
      while ((texts[ascii] ?? 0) < 0x80) ascii += 1;
    }
    let at = 0;
    for (let i = 0; i < count; i += 1) {
      const place = places[i] ?? 0;
      const end = at + (buffer[place - 1] ?? 0);
      if (end > ascii) return this.#recordAt(place);
      move(from, at, end, to, place);
      at = end;
    }
    return this.records;
  }

  #recordAt(place: number): number {
    let record = 0;
    while ((this.starts[record + 1] ?? place) < place) record += 1;
    return record;
  }
}

/** Copies ASCII, up to eight letters at a time; the last ones again where fewer are left. A native call costs more. */
function move(from: DataView, start: number, end: number, to: DataView, place: number): void {
  const shift = place - start;
  if (end - start >= 8) {
    const last = end - 8;
    for (let at = start; at < last; at += 8) to.setFloat64(at + shift, from.getFloat64(at, true), true);
    to.setFloat64(last + shift, from.getFloat64(last, true), true);
  } else if (end - start >= 4) {
    to.setInt32(place, from.getInt32(start, true), true);
    to.setInt32(end - 4 + shift, from.getInt32(end - 4, true), true);
  } else {
    for (let at = start; at < end; at += 1) to.setUint8(at + shift, from.getUint8(at));
  }
}
