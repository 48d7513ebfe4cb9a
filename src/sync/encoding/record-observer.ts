import type { InputIssue } from "../../core/errors/index.js";
import type { CollectionInfo } from "../collections.js";
import { afterVarint, varintAt, varintBytes } from "./byte-writer.js";
import type { RecordBlock } from "./record-block.js";

/** A record as it was encoded. One object serves for all records of a write, so it holds during a call only. */
export class EncodedRecord {
  /** Holds the record's bytes from `start` up to `end`. They may be overwritten after the call. */
  buffer: Uint8Array = new Uint8Array();
  start = 0;
  end = 0;
  /** The UTF-8 bytes of the id lie between these two; there are none in a collection without ids. */
  idStart = 0;
  idEnd = 0;
  index = 0;
  readonly #hasIds: boolean;
  readonly #tagBytes: number;

  /** @param flatTag The tag of records without variants: it and the length take the place of a variant's. */
  constructor(hasIds: boolean, flatTag?: number) {
    this.#hasIds = hasIds;
    this.#tagBytes = flatTag === undefined ? 0 : varintBytes(flatTag);
  }

  /** Moves on to the record at this place, without its tag and length. */
  moveTo(buffer: Uint8Array, start: number, end: number, index: number): this {
    this.buffer = buffer;
    this.start = this.#tagBytes === 0 ? start : start - varintBytes(end - start) - this.#tagBytes;
    this.end = end;
    this.index = index;
    if (this.#hasIds) {
      const id = idRange(buffer, this.start);
      this.idStart = id.start;
      this.idEnd = id.end;
    }
    return this;
  }
}

/** A record of a block that must not be sent: its number in the block, and what was expected instead. */
export interface BlockRefusal {
  readonly record: number;
  readonly expected: string;
}

/** Watches the records of one write, each after it was encoded and before it is put into a message. */
export interface RecordObserver {
  /** Is told how many records come, about, where that is known before the first one. */
  expect?(records: number): void;
  /**
   * Sees one record, which is undefined if it comes from a block. Returns what was expected instead if the record must
   * not be sent, which fails the write.
   */
  observe(encoded: EncodedRecord, record: unknown): string | undefined;
  /**
   * The same for records that were encoded together, up to the first that must not be sent.
   * @param encoded Shows one record after the other.
   * @param index That of the first record.
   */
  observeBlock?(
    encoded: EncodedRecord,
    buffer: Uint8Array,
    block: Pick<RecordBlock, "starts" | "records">,
    index: number,
  ): BlockRefusal | undefined;
  /** Takes over the issues of an invalid record; the write goes on without it. By default it fails. */
  invalid?(issues: readonly InputIssue[]): void;
}

/** Returns the observer of a write that begins, if there is one. */
export type ObserverOf = (collection: CollectionInfo) => RecordObserver | undefined;

/** Returns where the id of an encoded record lies: the encoder of every variant writes it first. */
export function idRange(
  buffer: Uint8Array,
  recordStart: number,
): { readonly start: number; readonly end: number } {
  const idTag = afterVarint(buffer, afterVarint(buffer, recordStart));
  const length = afterVarint(buffer, idTag);
  const start = afterVarint(buffer, length);
  return { start, end: start + varintAt(buffer, length) };
}
