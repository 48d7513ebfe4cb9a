/**
 * Puts records into SyncRecordsRequest messages of exactly known size.
 *
 * A repeated message field is tag, length and bytes, one after the other. Each record is encoded once, to its place in
 * the message; the message's header, which says how long all of it is, is written last, into room kept before it.
 */
import { varintBytes } from "./byte-writer.js";
import type { MessageRecords } from "./message-records.js";
import { afterVarint } from "./record-id.js";
import { type MessageEncoder, RecordWriter } from "./record-writer.js";

/** An encoded SyncRecordsRequest. */
export interface EncodedMessage extends MessageRecords {
  /** Index in its write of the first record. */
  readonly firstIndex: number;
  /** Number of records. */
  readonly records: number;
  /** What its bytes lie in. */
  readonly buffer: Buffer;
}

/** Wire type "length-delimited". */
const LENGTH_DELIMITED = 2;
/** Tag of field `batch_id` of SyncRecordsRequest. */
const BATCH_ID_TAG = (1 << 3) | LENGTH_DELIMITED;
/** Tag of `records`, field 1 of every collection. */
const RECORD_TAG = (1 << 3) | LENGTH_DELIMITED;
/** Most bytes of the length of a message's records. */
const LENGTH_BYTES = 5;
/** Size of a write's first buffer: many a collection is small. */
const FIRST_BUFFER_BYTES = 16 * 1024;
/** Most room for the record that a message turns out to be too small for. */
const SPARE_BYTES = 16 * 1024;

/** Cuts the records of one write into messages. */
export class MessageBuilder {
  /** Batch id and tag of the collection, which every message begins with. */
  readonly #preamble: Buffer;
  readonly #targetBytes: number;
  readonly #writer: RecordWriter;
  /** Buffers that no message needs any more. */
  readonly #free: Buffer[] = [];
  /** Where the records begin in a buffer. */
  readonly #room: number;
  /** Where the last record begins, with its tag. */
  #lastStart: number;
  #records = 0;
  #firstIndex = 0;

  /** @param targetBytes Size that a message stays within, unless a single record is larger. */
  constructor(batchId: string, fieldNumber: number, targetBytes: number) {
    const writer = new RecordWriter(Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES));
    writer.text(BATCH_ID_TAG, batchId);
    writer.varint((fieldNumber << 3) | LENGTH_DELIMITED);
    this.#preamble = Buffer.from(writer.buffer.subarray(0, writer.position));
    this.#room = this.#preamble.length + LENGTH_BYTES;
    this.#targetBytes = targetBytes;
    this.#lastStart = this.#room;
    writer.position = this.#room;
    this.#writer = writer;
  }

  /** What holds the last record; it is used again for others. */
  get buffer(): Buffer {
    return this.#writer.buffer;
  }

  /** Where the last record begins, without its tag and length. */
  get recordStart(): number {
    return afterVarint(this.#writer.buffer, this.#lastStart + 1);
  }

  /** Where the last record ends. */
  get recordEnd(): number {
    return this.#writer.position;
  }

  /** Size of the message that holds nothing but the last record. */
  get sizeAlone(): number {
    return this.#sizeOf(this.#writer.position - this.#lastStart);
  }

  /** Encodes a record behind those of the message; false: it was refused, and nothing of it is left. */
  encode(record: unknown, encoder: MessageEncoder): boolean {
    const writer = this.#writer;
    this.#lastStart = writer.position;
    try {
      if (writer.requiredMessage(RECORD_TAG, record, encoder)) return true;
    } catch {
      // A getter threw: whoever examines the record will find that out.
    }
    this.drop();
    return false;
  }

  /** Takes in a record that is encoded already. */
  append(record: Uint8Array): void {
    this.#lastStart = this.#writer.position;
    const start = this.#writer.begin(RECORD_TAG);
    this.#writer.raw(record, 0, record.length);
    this.#writer.end(start);
  }

  /** Takes the last record back. */
  drop(): void {
    this.#writer.position = this.#lastStart;
  }

  /**
   * Keeps the last record.
   * @param index Of the record in its write: those before it may have been left out.
   * @returns the message before it, where the record begins a new one
   */
  keep(index: number): EncodedMessage | undefined {
    const full =
      this.#records > 0 && this.#sizeOf(this.#writer.position - this.#room) > this.#targetBytes
        ? this.#cut(this.#fullBuffer())
        : undefined;
    if (this.#records === 0) this.#firstIndex = index;
    this.#records += 1;
    return full;
  }

  /** The message with all records since the last one; a message without records is an empty collection. */
  flush(): EncodedMessage {
    this.#lastStart = this.#writer.position;
    // Often nothing follows, or little.
    return this.#cut(Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES));
  }

  /** Number of records since the last message. */
  get pending(): number {
    return this.#records;
  }

  /** Gives back the buffer of a message whose bytes nobody will read again. */
  reuse({ buffer }: EncodedMessage): void {
    if (buffer.length >= this.#fullBytes) this.#free.push(buffer);
  }

  /** The message with the records before the last one, which goes on to the next. */
  #cut(next: Buffer): EncodedMessage {
    const { buffer, position } = this.#writer;
    const end = this.#lastStart;
    const bytes = this.#withHeader(buffer, end);
    const message = {
      bytes,
      recordsStart: bytes.length - (end - this.#room),
      firstIndex: this.#firstIndex,
      records: this.#records,
      buffer,
    };
    this.#writer.moveTo(next, this.#room);
    this.#writer.raw(buffer, end, position);
    this.#lastStart = this.#room;
    this.#records = 0;
    return message;
  }

  #withHeader(buffer: Buffer, end: number): Buffer {
    const payload = end - this.#room;
    const start = LENGTH_BYTES - varintBytes(payload);
    this.#preamble.copy(buffer, start);
    const header = new RecordWriter(buffer);
    header.position = start + this.#preamble.length;
    header.varint(payload);
    return buffer.subarray(start, end);
  }

  #fullBuffer(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#fullBytes);
  }

  get #fullBytes(): number {
    // A window has many of them where messages are small.
    return this.#room + this.#targetBytes + Math.min(this.#targetBytes, SPARE_BYTES);
  }

  #sizeOf(payloadBytes: number): number {
    return this.#preamble.length + varintBytes(payloadBytes) + payloadBytes;
  }
}
