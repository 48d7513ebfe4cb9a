import type { InputIssue } from "../../core/errors/index.js";
import { locationOf } from "../../core/record-location.js";
import type { CollectionInfo } from "../collections.js";
import type { MessageBuilder } from "./message-builder.js";
import { idRange } from "./record-id.js";

/** Where the records of a write come from, if they come in an array. */
export type RecordList = readonly unknown[] | undefined;

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
  #list: RecordList;
  #position = 0;

  constructor(hasIds: boolean) {
    this.#hasIds = hasIds;
  }

  get location(): string | undefined {
    return this.#list && locationOf(this.#list, this.#position);
  }

  /** Moves on to the builder's last record, which came at this position of a list. */
  moveTo(builder: MessageBuilder, index: number, list: RecordList, position: number): this {
    const { buffer, recordStart, recordEnd } = builder;
    this.buffer = buffer;
    this.start = recordStart;
    this.end = recordEnd;
    this.index = index;
    this.#list = list;
    this.#position = position;
    if (this.#hasIds) {
      const { start, end } = idRange(buffer, recordStart);
      this.idStart = start;
      this.idEnd = end;
    }
    return this;
  }
}

/** Watches the records of one write, each after it was encoded and before it is put into a message. */
export interface RecordObserver {
  /** Sees one record. Returns what was expected instead if the record must not be sent, which fails the write. */
  observe(encoded: EncodedRecord, record: unknown): string | undefined;
  /** Takes over the issues of an invalid record; the write goes on without it. By default it fails. */
  invalid?(issues: readonly InputIssue[]): void;
}

/** Returns the observer of a write that begins, if there is one. */
export type ObserverOf = (collection: CollectionInfo) => RecordObserver | undefined;
