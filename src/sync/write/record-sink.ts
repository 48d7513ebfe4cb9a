import { setImmediate as nextTurn } from "node:timers/promises";
import type { InputIssue } from "../../core/errors/index.js";
import { isLocated, locationOf } from "../../core/record-location.js";
import { fieldsOf, stringIn, truncateId } from "../collections.js";
import {
  describeOversizedRecord,
  explainRecord,
  InvalidRecords,
  type RecordLocation,
} from "../encoding/explain-record.js";
import { type EncodedMessage, MessageBuilder } from "../encoding/message-builder.js";
import type { BlockEncoder } from "../encoding/record-block.js";
import { InspectedRecords } from "../encoding/record-inspector.js";
import type { MessageEncoder } from "../encoding/record-writer.js";
import type { EventTimes } from "../event-times.js";
import { BLOCK_ENCODERS, ENCODERS } from "../generated/encoders.js";
import { inSteps, unchanged } from "./source.js";
import { type SinkContext, WindowQueue } from "./window-queue.js";

/** The array that holds the records, if it knows their locations. */
type RecordList = readonly unknown[] | undefined;

interface RecordPlace {
  readonly list: RecordList;
  readonly position: number;
  /** Index among all records of the write. */
  readonly index: number;
}

/** How many records to process before checking the clock again. */
const RECORDS_PER_LOOK = 16;
/** How long the event loop may be blocked, in milliseconds: about the time for one message. */
const TURN_MS = 10;
/**
 * Maximum number of bytes to encode between two turns of the event loop. The peer accepts no more before it updates
 * its window (RFC 9113, section 6.9.2), and this process can't read the update before its next turn. Encoding this many
 * bytes takes about 100 times as long as a turn.
 */
const TURN_BYTES = 64 * 1024;

export class RecordSink {
  readonly #context: SinkContext;
  readonly #encoder: MessageEncoder;
  readonly #blockEncoder: BlockEncoder;
  readonly #builder: MessageBuilder;
  readonly #times: EventTimes | undefined;
  readonly #inspected: InspectedRecords | undefined;
  readonly #queue: WindowQueue;
  #invalid: InvalidRecords | undefined;
  #records = 0;
  /** When the event loop last had its turn. */
  #turnAt: number;
  /** How full the message was, in bytes, when the event loop last had its turn. */
  #turnEnd = 0;

  constructor(context: SinkContext) {
    const { batchId, collection, messageBytes, inspector, report } = context;
    this.#times = collection.model === "event" ? context.eventTimes : undefined;
    const builder = new MessageBuilder(batchId, collection, messageBytes, this.#times);
    this.#context = context;
    this.#encoder = ENCODERS[collection.name];
    this.#blockEncoder = BLOCK_ENCODERS[collection.name];
    this.#builder = builder;
    this.#inspected =
      inspector &&
      new InspectedRecords(inspector, builder, collection, (issue, isLate) => {
        this.#refuse([issue]);
        if (isLate && this.#invalid) context.stop.abort(this.#invalid.error);
      });
    this.#turnAt = context.clock.monotonic();
    this.#queue = new WindowQueue(context, {
      flush: () => {
        this.#inspected?.show(builder.buffer, true);
        return builder.pending > 0 && this.#invalid === undefined ? builder.flush() : undefined;
      },
      accepted: (message) => builder.reuse(message),
    });
    report.taken = () => this.#records;
  }

  /** Number of records received, whether valid, skipped or invalid. */
  get taken(): number {
    return this.#records;
  }

  /**
   * Takes a record or an array of records. Returns a promise if the caller must wait before passing more.
   * @throws {InvalidInputError} there are enough issues to report
   */
  take(value: unknown): Promise<void> | undefined {
    if (!Array.isArray(value)) return this.#takeOne(value, undefined, 0);
    const records: readonly unknown[] = value;
    const list = isLocated(records) ? records : undefined;
    return this.#takeList(records, (record, position) => this.#takeOne(record, list, position));
  }

  /** Takes an array that is the whole source. Unless the array has locations, its entries may be arrays of records. */
  takeSource(source: readonly unknown[]): Promise<void> | undefined {
    this.#context.inspector?.expect?.(source.length);
    if (isLocated(source)) return this.take(source);
    return this.#takeList(source, (record) => this.take(record));
  }

  #takeList(
    list: readonly unknown[],
    takeOne: (record: unknown, position: number) => Promise<void> | undefined,
  ): Promise<void> | undefined {
    const { length } = list;
    let position = 0;
    return inSteps(() => {
      while (position < length) {
        const count = this.#takeBlock(list, position);
        position += count;
        const waits = count > 0 ? this.#yieldIfLate() : takeOne(list[position], position++);
        if (waits !== undefined) return position < length ? unchanged(list, waits) : waits;
      }
      return undefined;
    });
  }

  throwIssues(): void {
    this.#invalid?.throw();
  }

  async finish(): Promise<void> {
    // If its signal aborts, a source may end quietly before it's complete.
    this.#context.stop.signal.throwIfAborted();
    this.#inspected?.show();
    this.throwIssues();
    const empty = this.#queue.isUnused;
    if (this.#builder.pending > 0 || empty) await this.#offer(this.#builder.flush());
    await this.#queue.finish();
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  close(): void {
    this.#queue.close();
  }

  /** Takes plain records from an array, starting at a position. Returns how many. */
  #takeBlock(list: readonly unknown[], position: number): number {
    // After an invalid record, each record is checked individually.
    if (this.#invalid !== undefined) return 0;
    const builder = this.#builder;
    const block = builder.encodeBlock(list, position, this.#blockEncoder);
    if (block === undefined) return 0;
    this.#inspected?.show();
    const index = this.#records;
    this.#records += block.records;
    const refusal = this.#inspected?.inspectBlock(block, index);
    const isWanted = (start: number, end: number, i: number) => {
      if (refusal !== undefined && i < refusal.record) return true;
      const place = { list, position: position + i, index: index + i };
      const expected = i === refusal?.record ? refusal.expected : undefined;
      return this.#isWanted(start, end, list[place.position], place, expected);
    };
    const isLookedAt = this.#inspected?.seesBlocks ? refusal : this.#inspected;
    builder.keepBlock(block, index, isLookedAt ? isWanted : undefined);
    if (builder.pending > 0) this.#queue.recordWaits();
    return block.records;
  }

  #takeOne(record: unknown, list: RecordList, position: number): Promise<void> | undefined {
    const index = this.#records++;
    const builder = this.#builder;
    if (!builder.encode(record, this.#encoder)) return this.#explain(record, { list, position, index });
    const { collection, maxMessageBytes } = this.#context;
    const bytes = builder.sizeAlone;
    if (bytes > maxMessageBytes) {
      this.#inspected?.show();
      const expected = describeOversizedRecord(fieldsOf(record, collection), bytes, maxMessageBytes);
      const location = this.#locationOf(record, { list, position, index });
      this.#refuse([{ ...location, path: "", expected }]);
    } else {
      // A record in a list isn't added to a group, because the record's location can't be found later.
      const isAdded = list === undefined && this.#invalid === undefined && this.#inspected?.seesBlocks;
      if (
        isAdded ||
        (this.#inspected === undefined && this.#invalid === undefined) ||
        this.#isWanted(builder.recordStart, builder.recordEnd, record, { list, position, index })
      ) {
        this.#queue.recordWaits();
        const full = builder.keep(index);
        if (full !== undefined) this.#inspected?.show(full.buffer);
        if (isAdded) this.#inspected?.add(index);
        return full === undefined || this.#invalid !== undefined ? this.#yieldIfDue() : this.#offer(full);
      }
    }
    builder.drop();
    return this.#yieldIfDue();
  }

  /** Whether to send a valid record. @param refusal What was expected instead, if it was refused in a block. */
  #isWanted(start: number, end: number, record: unknown, place: RecordPlace, refusal?: string): boolean {
    const { buffer } = this.#builder;
    const expected = refusal ?? this.#inspect(buffer, start, end, place.index, record);
    if (expected === false) return false;
    if (expected !== undefined) this.#refuse([{ ...this.#locationOf(record, place), path: "", expected }]);
    else if (this.#invalid !== undefined) this.#invalid.lookAhead();
    else return true;
    return false;
  }

  async #explain(record: unknown, place: RecordPlace): Promise<void> {
    // Issues in earlier records are reported first.
    this.#inspected?.show();
    const location = this.#locationOf(record, place);
    this.#refuse(await explainRecord(this.#context.collection.name, record, location, this.#times));
  }

  #inspect(buffer: Uint8Array, start: number, end: number, index: number, record: unknown) {
    this.#inspected?.show();
    return this.#invalid === undefined
      ? this.#inspected?.inspect(buffer, start, end, index, record)
      : undefined;
  }

  #refuse(issues: readonly InputIssue[]): void {
    const { inspector } = this.#context;
    if (inspector?.invalid !== undefined) {
      inspector.invalid(issues);
      return;
    }
    this.#invalid ??= new InvalidRecords(this.#context.consequence);
    this.#invalid.add(issues);
  }

  #locationOf(record: unknown, { list, position, index }: RecordPlace): RecordLocation {
    const { collection } = this.#context;
    const id = stringIn(record, collection);
    const location = list && locationOf(list, position);
    return {
      collection: collection.name,
      index,
      ...(id !== undefined && { id: truncateId(id) }),
      ...(location !== undefined && { location }),
    };
  }

  async #offer(message: EncodedMessage): Promise<void> {
    await this.#queue.put(message);
    await this.#yieldToEventLoop();
  }

  /** A source that always has a record ready must not block the event loop. */
  #yieldIfDue(): Promise<void> | undefined {
    return this.#records % RECORDS_PER_LOOK === 0 ? this.#yieldIfLate() : undefined;
  }

  #yieldIfLate(): Promise<void> | undefined {
    const isDue =
      this.#builder.recordEnd - this.#turnEnd >= TURN_BYTES ||
      this.#context.clock.monotonic() - this.#turnAt >= TURN_MS;
    return isDue ? this.#yieldToEventLoop() : undefined;
  }

  async #yieldToEventLoop(): Promise<void> {
    await nextTurn();
    this.#turnEnd = this.#builder.recordEnd;
    this.#turnAt = this.#context.clock.monotonic();
    this.#context.stop.signal.throwIfAborted();
  }
}
