import type { InputIssue } from "../../core/errors/index.js";
import type { Collection, CollectionInfo } from "../collections.js";
import { type MessageBuilder, tagOf } from "../encoding/message-builder.js";
import type { RecordBlock } from "../encoding/record-block.js";
import { truncateId } from "../encoding/record-id.js";
import { type BlockRefusal, EncodedRecord, type RecordObserver } from "../encoding/record-observer.js";

/** Most single records that are shown together. */
const GROUP = 128;

/** Shows the records of a write to its observer, single ones together if it can see blocks: that costs half as much. */
export class ObservedRecords {
  readonly #observer: RecordObserver;
  readonly #builder: MessageBuilder;
  readonly #collection: Collection;
  readonly #refuse: (issue: InputIssue, isLate: boolean) => void;
  readonly #view: EncodedRecord;
  /** Where the records of the message that were not shown yet begin, and the last one ends. */
  readonly #starts = new Int32Array(GROUP + 1);
  #unseen = 0;
  #firstIndex = 0;

  /** @param refuse Called for an added record that must not be sent; late if nobody waits for it. */
  constructor(
    observer: RecordObserver,
    builder: MessageBuilder,
    { name, idField, isFlat, recordsNumber }: CollectionInfo,
    refuse: (issue: InputIssue, isLate: boolean) => void,
  ) {
    this.#observer = observer;
    this.#builder = builder;
    this.#collection = name;
    this.#refuse = refuse;
    this.#view = new EncodedRecord(idField !== undefined, isFlat ? tagOf(recordsNumber) : undefined);
  }

  get seesBlocks(): boolean {
    return this.#observer.observeBlock !== undefined;
  }

  observe(
    buffer: Uint8Array,
    start: number,
    end: number,
    index: number,
    record: unknown,
  ): string | undefined {
    return this.#observer.observe(this.#view.moveTo(buffer, start, end, index), record);
  }

  observeBlock(block: RecordBlock, index: number): BlockRefusal | undefined {
    return this.#observer.observeBlock?.(this.#view, this.#builder.buffer, block, index);
  }

  /** Adds the builder's last record to those that are shown together. */
  add(index: number): void {
    if (this.#unseen === 0) {
      this.#firstIndex = index;
      this.#starts[0] = this.#builder.lastStart;
      // The next record may take long, so an invalid one is reported now.
      setImmediate(() => this.show(this.#builder.buffer, true));
    }
    this.#unseen += 1;
    this.#starts[this.#unseen] = this.#builder.recordEnd;
    if (this.#unseen === GROUP) this.show();
  }

  /** Shows what was added, which must happen before anything else is shown or sent. @param buffer That of its message. */
  show(buffer: Uint8Array = this.#builder.buffer, isLate = false): void {
    const block = { starts: this.#starts, records: this.#unseen };
    if (block.records === 0) return;
    this.#unseen = 0;
    const refusal = this.#observer.observeBlock?.(this.#view, buffer, block, this.#firstIndex);
    if (refusal === undefined) return;
    this.#refuse(this.issueOf(this.#firstIndex + refusal.record, refusal.expected), isLate);
  }

  /** The issue of the record that was shown last. */
  issueOf(index: number, expected: string, location?: string): InputIssue {
    const { buffer, idStart, idEnd } = this.#view;
    const id = truncateId(new TextDecoder().decode(buffer.subarray(idStart, idEnd)));
    const where = location === undefined ? {} : { location };
    return { collection: this.#collection, index, id, ...where, path: "", expected };
  }
}
