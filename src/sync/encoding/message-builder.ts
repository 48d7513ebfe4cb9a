/**
 * Puts records into SyncRecordsRequest messages of exactly known size.
 *
 * A repeated message field has a tag, a length and bytes for each record. We encode each record once, in place. The
 * header holds the total length, so it's written last, into space reserved in front of the records.
 */

import type { EventTimes } from "../event-times.js";
import { BATCH_ID_PATH } from "../generated/collections.js";
import { afterVarint, varintBytes } from "./byte-writer.js";
import { type BlockEncoder, RecordBlock } from "./record-block.js";
import { type MessageEncoder, RecordWriter } from "./record-writer.js";

/** Where a collection's records go in a message; see collections.ts. */
export interface CollectionPlace {
  readonly path: readonly number[];
  readonly recordsNumber: number;
}

export interface EncodedMessage {
  readonly bytes: Uint8Array;
  /** Where the batch id ends in `bytes`. */
  readonly bodyStart: number;
  readonly firstIndex: number;
  readonly records: number;
  readonly buffer: Buffer;
}

const LENGTH_DELIMITED = 2;
/** Maximum size of the length that follows a tag, in bytes. */
const LENGTH_BYTES = 5;
/**
 * Buffers left over from earlier writes. Many collections are small, and allocating outside the heap makes the garbage
 * collector walk the whole heap.
 */
const SPARE: Buffer[] = [];
const MOST_SPARE = 16;
const MOST_SPARE_BYTES = 256 * 1024;
const NO_BUFFER = Buffer.alloc(0);
/** Maximum spare space at the end of a buffer, for a record that no longer fits into the message. */
const SPARE_BYTES = 16 * 1024;

/** The field that begins every message of a batch: the batch id. */
export function batchIdField(batchId: string): Buffer {
  const writer = new RecordWriter(Buffer.alloc(0));
  const idTags = BATCH_ID_PATH.map(tagOf);
  const starts = idTags.slice(0, -1).map((tag) => writer.begin(tag));
  writer.string(idTags.at(-1) ?? 0, batchId);
  for (const start of starts.reverse()) writer.end(start);
  return Buffer.from(writer.buffer.subarray(0, writer.position));
}

/** Splits the records of one write into messages. */
export class MessageBuilder {
  /** The batch id, which begins every message. */
  readonly #batchId: Buffer;
  /** Tags of the messages from the request down to the collection. */
  readonly #tags: readonly number[];
  readonly #recordTag: number;
  readonly #targetBytes: number;
  readonly #writer: RecordWriter;
  readonly #free: Buffer[] = [];
  readonly #headerRoom: number;
  #block: RecordBlock | undefined;
  #lastStart: number;
  #records = 0;
  #firstIndex = 0;

  /** @param targetBytes Size that a message stays within, unless a single record is larger. */
  constructor(
    batchId: string,
    { path, recordsNumber }: CollectionPlace,
    targetBytes: number,
    times?: EventTimes,
  ) {
    const writer = new RecordWriter(SPARE.pop() ?? NO_BUFFER);
    writer.times = times;
    this.#batchId = batchIdField(batchId);
    this.#tags = path.map(tagOf);
    this.#recordTag = tagOf(recordsNumber);
    this.#headerRoom =
      this.#batchId.length + this.#tags.reduce((sum, tag) => sum + varintBytes(tag) + LENGTH_BYTES, 0);
    this.#targetBytes = targetBytes;
    this.#lastStart = this.#headerRoom;
    writer.position = this.#headerRoom;
    // Reserves a buffer for the first block; without a buffer, the first record would be encoded singly.
    writer.reserve(0);
    this.#writer = writer;
  }

  get buffer(): Buffer {
    return this.#writer.buffer;
  }

  /** Where the last record begins, with its tag. */
  get lastStart(): number {
    return this.#lastStart;
  }

  /** Where the last record begins, without its tag and length. */
  get recordStart(): number {
    const { buffer } = this.#writer;
    return afterVarint(buffer, afterVarint(buffer, this.#lastStart));
  }

  get recordEnd(): number {
    return this.#writer.position;
  }

  get sizeAlone(): number {
    return this.#sizeOf(this.#writer.position - this.#lastStart);
  }

  get pending(): number {
    return this.#records;
  }

  /** Appends a record to the message. If the record is invalid, drops it and returns false. */
  encode(record: unknown, encoder: MessageEncoder): boolean {
    const writer = this.#writer;
    this.#lastStart = writer.position;
    try {
      if (writer.message(this.#recordTag, record, encoder)) return true;
    } catch {
      // A getter threw, or the record is nested too deeply. explainRecord finds out which.
    }
    this.drop();
    return false;
  }

  /**
   * Encodes plain records of an array, starting at a position and ending before one that doesn't fit into the message.
   * @returns where the records are, if any were encoded
   */
  encodeBlock(records: readonly unknown[], from: number, encode: BlockEncoder): RecordBlock | undefined {
    this.#block ??= RecordBlock.take();
    const block = this.#block;
    if (!block.isDue()) return undefined;
    // The header never outgrows its space, so a message that ends here stays within its size.
    const count = block.fill(this.#writer, records, from, this.#targetBytes, encode);
    return count > 0 ? block : undefined;
  }

  /**
   * Keeps the wanted records of a block.
   * @param index Index of the block's first record in its write.
   * @param isWanted Receives where a record is, without its tag and length, and its number in the block.
   */
  keepBlock(
    { starts, records }: RecordBlock,
    index: number,
    isWanted?: (start: number, end: number, record: number) => boolean,
  ): void {
    const { buffer } = this.#writer;
    let kept = this.#writer.position;
    for (let i = 0; i < records; i += 1) {
      const start = starts[i] ?? 0;
      const end = starts[i + 1] ?? 0;
      if (isWanted?.(afterVarint(buffer, afterVarint(buffer, start)), end, i) === false) continue;
      if (start !== kept) buffer.copyWithin(kept, start, end);
      kept += end - start;
      if (this.#records === 0) this.#firstIndex = index + i;
      this.#records += 1;
    }
    this.#writer.position = kept;
  }

  drop(): void {
    this.#writer.position = this.#lastStart;
  }

  /**
   * Keeps the last record.
   * @param index Index of the record in its write. Earlier records may have been skipped.
   * @returns the previous message, if the record begins a new one
   */
  keep(index: number): EncodedMessage | undefined {
    const isFull =
      this.#records > 0 && this.#sizeOf(this.#writer.position - this.#headerRoom) > this.#targetBytes;
    const full = isFull ? this.#cut(this.#fullBuffer()) : undefined;
    if (this.#records === 0) this.#firstIndex = index;
    this.#records += 1;
    return full;
  }

  /** Returns a message with the pending records. A message without records stands for an empty collection. */
  flush(): EncodedMessage {
    this.#writer.reserve(0);
    this.#lastStart = this.#writer.position;
    this.#block?.release();
    this.#block = undefined;
    return this.#cut(NO_BUFFER);
  }

  /** Reclaims the buffer of an acknowledged message. */
  reuse({ buffer }: EncodedMessage): void {
    if (buffer.length >= this.#fullBytes) this.#free.push(buffer);
    else if (buffer.length <= MOST_SPARE_BYTES && SPARE.length < MOST_SPARE) SPARE.push(buffer);
  }

  /** Returns a message with all records except the last, which moves to the next message. */
  #cut(next: Buffer): EncodedMessage {
    const { buffer, position } = this.#writer;
    const end = this.#lastStart;
    const bytes = this.#withHeader(buffer, end);
    const message = {
      bytes,
      bodyStart: this.#batchId.length,
      firstIndex: this.#firstIndex,
      records: this.#records,
      buffer,
    };
    this.#writer.moveTo(next, this.#headerRoom);
    if (position > end) this.#writer.raw(buffer, end, position);
    this.#lastStart = this.#headerRoom;
    this.#records = 0;
    return message;
  }

  #withHeader(buffer: Buffer, end: number): Buffer {
    const header = new RecordWriter(buffer);
    let from = this.#headerRoom;
    for (const tag of this.#tags.toReversed()) {
      const length = end - from;
      from -= varintBytes(tag) + varintBytes(length);
      header.position = from;
      header.varint(tag);
      header.varint(length);
    }
    from -= this.#batchId.length;
    this.#batchId.copy(buffer, from);
    return buffer.subarray(from, end);
  }

  #fullBuffer(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#fullBytes);
  }

  get #fullBytes(): number {
    // A window of small messages has many buffers, so each gets little spare space.
    return this.#headerRoom + this.#targetBytes + Math.min(this.#targetBytes, SPARE_BYTES);
  }

  #sizeOf(payloadBytes: number): number {
    let bytes = payloadBytes;
    for (const tag of this.#tags) bytes += varintBytes(tag) + varintBytes(bytes);
    return this.#batchId.length + bytes;
  }
}

/** The tag of a field with a length. */
export function tagOf(fieldNumber: number): number {
  return (fieldNumber << 3) | LENGTH_DELIMITED;
}
