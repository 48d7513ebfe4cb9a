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
/** Room for the record that no longer fits: a byte past the end vanishes, and makes V8 compile the encoder again. */
const SPARE_BYTES = 2 * 1024;
/** Fewer records are not worth a block. */
const FEW_RECORDS = 8;
/** What a block risks at least: fewer would not show what is to be gained. */
const LEAST_RECORDS = 8;
/** A record that is read in vain costs what so many records of a block save, and so does each block. */
const COST = 4;
const MOST_CREDIT = COST * BLOCK_RECORDS;
/** How many records are encoded singly for each one that would have to save what was lost: about 1 % remains. */
const WAIT = 128;
/** The bits that are set in four bytes beyond ASCII. */
const NOT_ASCII = 0x8080_8080;
/**
 * If a last character of several bytes doesn't fit, the number of bytes must not equal the number of characters by
 * chance.
 */
const LETTER_BYTES = 4;

/** Encodes plain records of an array from a position on, up to the first that is not, and tells the block. */
export type BlockEncoder = (
  block: RecordBlock,
  to: RecordWriter,
  records: readonly unknown[],
  from: number,
  most: number,
) => void;

/** Blocks that no write uses: each has 80 KiB. */
const SPARE: RecordBlock[] = [];
const MOST_SPARE = 4;

/** Where the records of a block and their texts lie. Holds until the next block. */
export class RecordBlock {
  /** Where each record begins, with its tag, and where the last one ends. */
  readonly starts = new Int32Array(BLOCK_RECORDS + 1);
  /** Where the texts begin, one after the other; the byte before each is its length. */
  readonly places = new Int32Array(BLOCK_TEXTS);
  readonly #texts = Buffer.allocUnsafeSlow(BLOCK_BYTES + LETTER_BYTES);
  readonly #textsView = new DataView(this.#texts.buffer);
  /** Up to where records may reach. */
  limit = 0;
  records = 0;
  #text = "";
  #count = 0;
  /** What blocks have saved; the next one risks no more. Few sources have many records that are not plain. */
  #credit = MOST_CREDIT;
  /** Records until the next block. */
  #waits = 0;

  static take(): RecordBlock {
    return SPARE.pop() ?? new RecordBlock();
  }

  /** Leaves the block to another write. */
  release(): void {
    this.#credit = MOST_CREDIT;
    this.#waits = 0;
    if (SPARE.length < MOST_SPARE) SPARE.push(this);
  }

  /** Whether records are to be encoded in a block: asked before each. */
  isDue(): boolean {
    this.#waits -= 1;
    return this.#waits < 0;
  }

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
    const most = Math.min(records.length - from, Math.max(Math.floor(this.#credit / COST), LEAST_RECORDS));
    const start = to.position;
    this.limit = Math.min(limit, to.buffer.length - SPARE_BYTES, start + BLOCK_BYTES);
    if (most < FEW_RECORDS || start > this.limit) return 0;
    this.starts[0] = start;
    this.records = 0;
    let read = most;
    try {
      encode(this, to, records, from, most);
      read = Math.min(this.records + 1, most);
    } catch {
      // A getter threw; the exact encoder meets it again.
    }
    to.position = start;
    const encoded = this.records;
    if (encoded > 0) this.records = this.#settle(to.buffer);
    // Other letters than ASCII make writing the texts so slow that nothing is saved.
    this.#plan(this.records < encoded ? 0 : encoded, read - this.records);
    return this.records;
  }

  /** Decides on the next block by what the last one has saved, and how many records were read in vain. */
  #plan(saved: number, inVain: number): void {
    const credit = this.#credit + saved - COST * (inVain + 1);
    this.#credit = Math.min(Math.max(credit, 0), MOST_CREDIT);
    // A record that has ended the block is not plain.
    this.#waits = credit < 0 ? -credit * WAIT : Math.min(inVain, 1);
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
      while ((from.getInt32(ascii) & NOT_ASCII) === 0) ascii += 4;
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
