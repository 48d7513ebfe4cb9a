/**
 * Puts encoded records into SyncRecordsRequest messages of exactly known size.
 *
 * A repeated message field is tag, length and bytes, one after the other, so each record is encoded once and every
 * size is exact, tags and lengths included.
 */
import { BinaryWriter } from "@bufbuild/protobuf/wire";

/** 16 MiB: every encoded SyncRecordsRequest must be smaller (service description, "Limits"). */
export const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/** An encoded SyncRecordsRequest. */
export interface EncodedMessage {
  readonly bytes: Uint8Array;
  /** Index in its write of the first record. */
  readonly firstIndex: number;
  /** Number of records. */
  readonly records: number;
  /** Digests of its records, where they are remembered. */
  readonly digests: readonly string[];
}

/** Wire type "length-delimited". */
const LENGTH_DELIMITED = 2;
/** Field `batch_id` of SyncRecordsRequest. */
const BATCH_ID_FIELD = 1;
/** Tag of `records`, field 1 of every collection. */
const RECORD_TAG = (1 << 3) | LENGTH_DELIMITED;

/** Cuts the records of one write into messages. */
export class MessageBuilder {
  readonly #batchId: Uint8Array;
  readonly #collectionTag: Uint8Array;
  readonly #targetBytes: number;
  #frames: Uint8Array[] = [];
  #digests: string[] = [];
  #payloadBytes = 0;
  #records = 0;
  #firstIndex = 0;

  /** @param targetBytes Size that a message stays within, unless a single record is larger. */
  constructor(batchId: string, fieldNumber: number, targetBytes: number) {
    this.#batchId = new BinaryWriter()
      .uint32((BATCH_ID_FIELD << 3) | LENGTH_DELIMITED)
      .string(batchId)
      .finish();
    this.#collectionTag = new BinaryWriter().uint32((fieldNumber << 3) | LENGTH_DELIMITED).finish();
    this.#targetBytes = targetBytes;
  }

  /** Size of the message that holds nothing but a record of so many bytes. */
  sizeAlone(recordBytes: number): number {
    return this.#sizeOf(frameBytes(recordBytes));
  }

  /**
   * Takes a record in, and its digest where it is to be remembered.
   * @returns the message before it, where the record begins a new one
   */
  add(record: Uint8Array, digest?: string): EncodedMessage | undefined {
    const bytes = frameBytes(record.length);
    const full =
      this.#records > 0 && this.#sizeOf(this.#payloadBytes + bytes) > this.#targetBytes
        ? this.flush()
        : undefined;
    this.#frames.push(new BinaryWriter().uint32(RECORD_TAG).uint32(record.length).finish(), record);
    this.#payloadBytes += bytes;
    this.#records += 1;
    if (digest !== undefined) this.#digests.push(digest);
    return full;
  }

  /** The message with all records since the last one; a message without records is an empty collection. */
  flush(): EncodedMessage {
    const header = [
      this.#batchId,
      this.#collectionTag,
      new BinaryWriter().uint32(this.#payloadBytes).finish(),
    ];
    const bytes = concat([...header, ...this.#frames], this.#sizeOf(this.#payloadBytes));
    const message = {
      bytes,
      firstIndex: this.#firstIndex,
      records: this.#records,
      digests: this.#digests,
    };
    this.#firstIndex += this.#records;
    this.#frames = [];
    this.#digests = [];
    this.#payloadBytes = 0;
    this.#records = 0;
    return message;
  }

  /** Number of records since the last message. */
  get pending(): number {
    return this.#records;
  }

  #sizeOf(payloadBytes: number): number {
    return this.#batchId.length + this.#collectionTag.length + varintBytes(payloadBytes) + payloadBytes;
  }
}

function frameBytes(recordBytes: number): number {
  return 1 + varintBytes(recordBytes) + recordBytes;
}

/** Number of bytes of an unsigned varint: seven bits a byte. */
function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
