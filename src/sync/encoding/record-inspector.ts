import type { InputIssue } from "../../core/errors/index.js";
import { type Collection, type CollectionInfo, truncateId } from "../collections.js";
import { afterVarint, varintAt, varintBytes } from "./byte-writer.js";
import { type MessageBuilder, tagOf } from "./message-builder.js";
import type { RecordBlock } from "./record-block.js";

/** Maximum number of single records shown together. */
const GROUP = 128;

/** An encoded record. All records of a write share one object, so it's only valid during a call. */
export class EncodedRecord {
  /** Holds the record's bytes from `start` to `end`. The bytes may be overwritten after the call. */
  buffer: Uint8Array = new Uint8Array();
  start = 0;
  end = 0;
  /** Where the id's UTF-8 bytes start and end; in a collection without ids, both are the same. */
  idStart = 0;
  idEnd = 0;
  index = 0;
  readonly #hasIds: boolean;
  readonly #tagBytes: number;

  /** @param flatTag The tag of records without variants, which takes the place of a variant's tag. */
  constructor(hasIds: boolean, flatTag?: number) {
    this.#hasIds = hasIds;
    this.#tagBytes = flatTag === undefined ? 0 : varintBytes(flatTag);
  }

  /** Moves to another record. @param start Where the record starts, without its tag and length. */
  moveTo(buffer: Uint8Array, start: number, end: number, index: number): this {
    this.buffer = buffer;
    this.start = this.#tagBytes === 0 ? start : start - varintBytes(end - start) - this.#tagBytes;
    this.end = end;
    this.index = index;
    if (this.#hasIds) {
      // Every variant's encoder writes the id first.
      const length = afterVarint(buffer, afterVarint(buffer, afterVarint(buffer, this.start)));
      this.idStart = afterVarint(buffer, length);
      this.idEnd = this.idStart + varintAt(buffer, length);
    }
    return this;
  }
}

/** A record that must not be sent: its number in the block, and what was expected instead. */
export interface BlockRefusal {
  readonly record: number;
  readonly expected: string;
}

/** Inspects the records of one write, after they're encoded and before they go into a message. */
export interface RecordInspector {
  /** Receives the approximate number of records, if it's known before the first one. */
  expect?(records: number): void;
  /**
   * Inspects one record. To fail the write, returns a string that says what was expected instead; to skip the record,
   * returns false.
   * @param record Undefined if the record comes from a block.
   */
  inspect(encoded: EncodedRecord, record: unknown): string | false | undefined;
  /**
   * Inspects records that were encoded together, up to the first that must not be sent.
   * @param encoded A view that can be moved from record to record.
   * @param index Index of the first record.
   */
  inspectBlock?(
    encoded: EncodedRecord,
    buffer: Uint8Array,
    block: Pick<RecordBlock, "starts" | "records">,
    index: number,
  ): BlockRefusal | undefined;
  /** Receives the issues of an invalid record, which the write then skips; without `invalid`, the write fails. */
  invalid?(issues: readonly InputIssue[]): void;
}

/** Returns the inspector for a new write, if there is one. */
export type InspectorOf = (collection: CollectionInfo) => RecordInspector | undefined;

/**
 * Shows the records of a write to its inspector. If the inspector takes blocks, single records are shown in groups,
 * at half the cost.
 */
export class InspectedRecords {
  readonly #inspector: RecordInspector;
  readonly #builder: MessageBuilder;
  readonly #collection: Collection;
  readonly #refuse: (issue: InputIssue, isLate: boolean) => void;
  readonly #view: EncodedRecord;
  /** Where each record that hasn't been shown yet starts, and where the last one ends. */
  readonly #starts = new Int32Array(GROUP + 1);
  #unseen = 0;
  #firstIndex = 0;

  /** @param refuse Called for an added record that must not be sent. `isLate`: no caller waits for that record. */
  constructor(
    inspector: RecordInspector,
    builder: MessageBuilder,
    { name, idField, isFlat, recordsNumber }: CollectionInfo,
    refuse: (issue: InputIssue, isLate: boolean) => void,
  ) {
    this.#inspector = inspector;
    this.#builder = builder;
    this.#collection = name;
    this.#refuse = refuse;
    this.#view = new EncodedRecord(idField !== undefined, isFlat ? tagOf(recordsNumber) : undefined);
  }

  get seesBlocks(): boolean {
    return this.#inspector.inspectBlock !== undefined;
  }

  inspect(
    buffer: Uint8Array,
    start: number,
    end: number,
    index: number,
    record: unknown,
  ): string | false | undefined {
    return this.#inspector.inspect(this.#view.moveTo(buffer, start, end, index), record);
  }

  inspectBlock(block: RecordBlock, index: number): BlockRefusal | undefined {
    return this.#inspector.inspectBlock?.(this.#view, this.#builder.buffer, block, index);
  }

  /** Adds the builder's last record to the group. */
  add(index: number): void {
    if (this.#unseen === 0) {
      this.#firstIndex = index;
      this.#starts[0] = this.#builder.lastStart;
      // The next record may take a while to arrive, so an invalid record is reported now.
      setImmediate(() => this.show(this.#builder.buffer, true));
    }
    this.#unseen += 1;
    this.#starts[this.#unseen] = this.#builder.recordEnd;
    if (this.#unseen === GROUP) this.show();
  }

  /**
   * Shows the group. Call `show` before anything else is shown or sent.
   * @param buffer The buffer of the group's message.
   */
  show(buffer: Uint8Array = this.#builder.buffer, isLate = false): void {
    const block = { starts: this.#starts, records: this.#unseen };
    if (block.records === 0) return;
    this.#unseen = 0;
    const refusal = this.#inspector.inspectBlock?.(this.#view, buffer, block, this.#firstIndex);
    if (refusal === undefined) return;
    // The view is still at the refused record.
    const { idStart, idEnd } = this.#view;
    const id = truncateId(new TextDecoder().decode(buffer.subarray(idStart, idEnd)));
    const index = this.#firstIndex + refusal.record;
    this.#refuse({ collection: this.#collection, index, id, path: "", expected: refusal.expected }, isLate);
  }
}
