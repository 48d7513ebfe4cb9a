import type { InputIssue } from "../../core/errors/index.js";
import type { Collection } from "../collections.js";

/**
 * A record as it was encoded. One object serves for all records of a write, so that none is made for each: what it says
 * holds for the call that brings it.
 */
export interface EncodedRecord {
  /** Holds the record's bytes from `start` up to `end`; they may be overwritten after the call. */
  readonly buffer: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** The UTF-8 bytes of its id are those from here up to `idEnd`: none where records of the collection have no id. */
  readonly idStart: number;
  readonly idEnd: number;
  /** Number of records of its write before it. */
  readonly index: number;
}

/** Looks at the records of one write, each after it was checked and encoded and before it is put into a message. */
export interface RecordObserver {
  /**
   * One record, as it was encoded and as it was given.
   * @returns what was expected instead, where the record must not be sent: the write then fails as for an invalid one
   */
  observe(encoded: EncodedRecord, record: unknown): string | undefined;
  /**
   * The next records are those of this array, the first of them with this index; not told of records that come alone.
   */
  beginList?(records: readonly unknown[], firstIndex: number): void;
  /**
   * Takes down what is wrong with a record; the write then goes on without it. Where an observer has no such method, an
   * invalid record ends its write.
   */
  invalid?(issues: readonly InputIssue[]): void;
}

/** Gives the observer of a write that begins; undefined where nobody looks on. */
export type ObserverOf = (collection: Collection) => RecordObserver | undefined;
