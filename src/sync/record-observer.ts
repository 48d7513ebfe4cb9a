import type { InputIssue } from "../errors.js";
import type { Collection } from "./collections.js";

/** Looks at the records of one write, each after it was checked and encoded and before it is put into a message. */
export interface RecordObserver {
  /**
   * One record, whose encoded bytes are `buffer` from `start` to `end`; they may be overwritten after the call.
   * The UTF-8 bytes of its id are those from `idStart` to `idEnd`, none where records of the collection have no id.
   * @returns what was expected instead, where the record must not be sent: the write then fails as for an invalid one
   */
  observe(
    record: unknown,
    buffer: Uint8Array,
    start: number,
    end: number,
    index: number,
    idStart: number,
    idEnd: number,
  ): string | undefined;
  /** The next records are those of this array, the first of them with this index; not told of records that come alone. */
  beginList?(records: readonly unknown[], firstIndex: number): void;
  /**
   * Takes down what is wrong with a record; the write then goes on without it. Where an observer has no such method, an
   * invalid record ends its write.
   */
  invalid?(issues: readonly InputIssue[]): void;
}

/** Gives the observer of a write that begins; undefined where nobody looks on. */
export type ObserverOf = (collection: Collection) => RecordObserver | undefined;
