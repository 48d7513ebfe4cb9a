/**
 * Encodes many plain records of an array at once. The generated block encoders write tags, lengths and numbers into the
 * message, leave space for each string value ("text"), and join all texts, which a single native call then writes.
 *
 * The texts of a block are short and ASCII, so each takes as many bytes as it has characters. The first record that
 * isn't plain ends the block. The encoder for single records takes over; it defines what a record's bytes must be.
 */
import { varintBytes } from "./byte-writer.js";
import type { RecordWriter } from "./record-writer.js";

const BLOCK_RECORDS = 128;
export const BLOCK_TEXTS = 4096;
/** Maximum length of a text; one byte holds the length. */
export const TEXT_LETTERS = 127;
const BLOCK_BYTES = 64 * 1024;
/** Space for a record that no longer fits: a write past the end would be lost and make V8 recompile the encoder. */
const SPARE_BYTES = 2 * 1024;
/** Fewer records than this aren't worth a block. */
const FEW_RECORDS = 8;
/** Every block tries at least this many records, because fewer wouldn't show whether blocks pay off. */
const LEAST_RECORDS = 8;
/** Starting a block, or reading a record without encoding it, costs as much as a block saves on this many records. */
const COST = 4;
const MOST_CREDIT = COST * BLOCK_RECORDS;
/** How many records to encode singly per unit of credit below 0. This limits the loss to about 1%. */
const WAIT = 128;
/** The top bits of four bytes, which are never set in ASCII. */
const NOT_ASCII = 0x8080_8080;
/**
 * Spare bytes. They ensure that the number of bytes written differs from the number of characters even if the last
 * character has several bytes and doesn't fit.
 */
const LETTER_BYTES = 4;

/** Encodes plain records of an array from a position up to the first that isn't plain, and reports to the block. */
export type BlockEncoder = (
  block: RecordBlock,
  to: RecordWriter,
  records: readonly unknown[],
  from: number,
  most: number,
) => void;

/** Unused blocks, of 80 KiB each. */
const SPARE: RecordBlock[] = [];
const MOST_SPARE = 4;

/** Where a block's records and texts are; valid until the next block. */
export class RecordBlock {
  /** Where each record starts, including its tag, and where the last one ends. */
  readonly starts = new Int32Array(BLOCK_RECORDS + 1);
  /** Where each text starts. The byte before a text is its length. */
  readonly places = new Int32Array(BLOCK_TEXTS);
  readonly #texts = Buffer.allocUnsafeSlow(BLOCK_BYTES + LETTER_BYTES);
  readonly #textsView = new DataView(this.#texts.buffer);
  /** The position that no record may go past. */
  limit = 0;
  records = 0;
  #text = "";
  #count = 0;
  /** What blocks have saved so far, which the next one may waste. Starts at the maximum, as most sources are plain. */
  #credit = MOST_CREDIT;
  /** Number of records until the next block. */
  #waits = 0;

  static take(): RecordBlock {
    return SPARE.pop() ?? new RecordBlock();
  }

  /** Makes the block available to other writes. */
  release(): void {
    this.#credit = MOST_CREDIT;
    this.#waits = 0;
    if (SPARE.length < MOST_SPARE) SPARE.push(this);
  }

  /** Whether to try a block now. Call `isDue` once per record. */
  isDue(): boolean {
    this.#waits -= 1;
    return this.#waits < 0;
  }

  /**
   * Encodes records after the writer's position, which doesn't move.
   * @param limit The position that no record may go past.
   * @returns how many records were encoded; records that were read but not encoded will be read again
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
      // A getter threw. The encoder for single records will run into that getter again.
    }
    to.position = start;
    const encoded = this.records;
    if (encoded > 0) this.records = this.#settle(to.buffer);
    // Non-ASCII texts are so slow to write that the block saved nothing.
    this.#plan(this.records < encoded ? 0 : encoded, read - this.records);
    return this.records;
  }

  /** Schedules the next block based on how much this one saved and how many records it read but didn't encode. */
  #plan(saved: number, inVain: number): void {
    const credit = this.#credit + saved - COST * (inVain + 1);
    this.#credit = Math.min(Math.max(credit, 0), MOST_CREDIT);
    // The record that ended the block isn't plain, so it's encoded by itself first.
    this.#waits = credit < 0 ? -credit * WAIT : Math.min(inVain, 1);
  }

  /** Reports what the encoder wrote. `count` is the number of texts. */
  wrote(records: number, text: string, count: number): void {
    this.records = records;
    this.#text = text;
    this.#count = count;
  }

  /**
   * Writes a message's length at `at`, in front of the message.
   * @param width Number of bytes reserved for the length. If the length takes more or fewer bytes, the message moves.
   * @returns the number of bytes that the length takes
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

  /** Copies the texts into place. Returns the number of records before the first with a non-ASCII text. */
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

/** Copies ASCII, eight bytes at a time; the last step may overlap. For such short texts, a native call costs more. */
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
