/** Records -> messages, for one write: checks and encodes each record and hands full messages to the windows. */
import type { InputIssue } from "../../core/errors/index.js";
import { locationOf } from "../../core/record-location.js";
import type { Collection } from "../collections.js";
import { InvalidRecords } from "../encoding/invalid-records.js";
import type { RecordPlace } from "../encoding/issues.js";
import { type EncodedMessage, MessageBuilder } from "../encoding/messages.js";
import type { RecordObserver } from "../encoding/record-observer.js";
import { RecordView } from "../encoding/record-view.js";
import type { MessageEncoder } from "../encoding/record-writer.js";
import { shownId } from "../encoding/shown-id.js";
import { tooLarge } from "../encoding/too-large.js";
import { ENCODERS } from "../generated/encoders.js";
import type { AcceptedEvents } from "../run/accepted-events.js";
import { EventLoopTurns } from "./event-loop-turns.js";
import { inSteps } from "./in-steps.js";
import { examination } from "./load-writing.js";
import { checkPage, pageShape } from "./source-shape.js";
import { WindowQueue, type WindowQueueContext } from "./window-queue.js";

/** What a sink needs. */
export interface SinkContext extends WindowQueueContext {
  readonly batchId: string;
  /** Size that a message stays within, unless a single record is larger. */
  readonly messageBytes: number;
  /** Largest message that may be sent. */
  readonly maxMessageBytes: number;
  /** Events that are accepted already and are left out; undefined where there can be none. */
  readonly acceptedEvents: AcceptedEvents | undefined;
  /** Looks at each record before it is sent. */
  readonly observer: RecordObserver | undefined;
}

/** Takes in the records of one write and sends them in windows. */
export class RecordSink {
  readonly #context: SinkContext;
  readonly #builder: MessageBuilder;
  readonly #encoder: MessageEncoder;
  readonly #view: RecordView;
  readonly #queue: WindowQueue;
  readonly #turns: EventLoopTurns;
  readonly #invalid = new InvalidRecords();
  #records = 0;

  constructor(context: SinkContext) {
    const { batchId, collection, messageBytes, acceptedEvents } = context;
    const builder = new MessageBuilder(batchId, collection.fieldNumber, messageBytes);
    this.#context = context;
    this.#turns = new EventLoopTurns(context.clock);
    this.#builder = builder;
    this.#encoder = ENCODERS[collection.name];
    this.#view = new RecordView(collection.hasIds);
    this.#queue = new WindowQueue(context, {
      flush: () => (builder.pending > 0 ? builder.flush() : undefined),
      accepted: (message) => {
        acceptedEvents?.accepted(collection.name, message);
        builder.reuse(message);
      },
    });
  }

  /**
   * Takes in a record or an array of them; a promise where the caller has to wait before it brings more.
   * @throws {InvalidInputError} where enough is known of what is wrong
   */
  take(value: unknown): Promise<void> | undefined {
    if (!Array.isArray(value)) return this.#takeOne(value, undefined, 0);
    const records: readonly unknown[] = value;
    this.#context.observer?.beginList?.(records, this.#records);
    const { length } = records;
    let position = 0;
    return inSteps(() => {
      while (position < length) {
        const waits = this.#takeOne(records[position], records, position++);
        // What was taken in already may be used again.
        if (waits !== undefined) return position < length ? unchanged(records, waits) : waits;
      }
      return undefined;
    });
  }

  /**
   * Says what is known to be wrong with the records so far.
   * @throws {InvalidInputError} a record was invalid
   */
  throwIssues(): void {
    this.#invalid.throwIfAny();
  }

  /** There are no more records: sends what is left and waits until all was accepted. */
  async finish(): Promise<void> {
    // A source that ends quietly because it saw its signal fire is not at its end.
    this.#context.stop.signal.throwIfAborted();
    this.throwIssues();
    const empty = this.#queue.isUnused;
    if (this.#builder.pending > 0 || empty) await this.#offer(this.#builder.flush());
    await this.#queue.finish();
  }

  /** Number of records that were brought, whatever became of them. */
  get taken(): number {
    return this.#records;
  }

  /** Resolves when no window is on its way. Never rejects. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Leaves no timer. Whoever closes it brings nothing more. */
  close(): void {
    this.#queue.close();
  }

  /** Takes in a record; `list` and `position` tell where it comes from. */
  #takeOne(record: unknown, list: List, position: number): Promise<void> | undefined {
    const index = this.#records++;
    if (!this.#builder.encode(record, this.#encoder)) return this.#examine(record, index, list, position);
    return this.#takeEncoded(record, index, list, position);
  }

  /** Takes in the record that the builder holds. */
  #takeEncoded(record: unknown, index: number, list: List, position: number): Promise<void> | undefined {
    const { collection, maxMessageBytes } = this.#context;
    const bytes = this.#builder.sizeAlone;
    const refusal =
      bytes > maxMessageBytes ? tooLarge(record, bytes, maxMessageBytes) : this.#observe(record, index);
    if (refusal === undefined && !this.#invalid.any) {
      const message = this.#keep(index);
      if (message !== undefined) return this.#offer(message);
      return this.#turns.isDue() ? this.#pause() : undefined;
    }
    this.#builder.drop();
    if (refusal === undefined) this.#invalid.lookAhead();
    else
      this.#refuse([{ ...placeOf(collection, record, index), path: "", expected: refusal }], list, position);
    return undefined;
  }

  /** Finds out what is wrong with a record that its encoder refused. */
  async #examine(record: unknown, index: number, list: List, position: number): Promise<void> {
    const { collection, stop } = this.#context;
    const { examineRecord } = examination.loaded ?? (await examination.load(stop.signal));
    const examined = examineRecord(collection.name, record, placeOf(collection, record, index));
    if (!examined.ok) return this.#refuse(examined.issues, list, position);
    this.#builder.append(examined.bytes);
    await this.#takeEncoded(record, index, list, position);
  }

  /** What the observer expected of the last record instead. */
  #observe(record: unknown, index: number): string | undefined {
    const { observer } = this.#context;
    if (observer === undefined || this.#invalid.any) return undefined;
    return observer.observe(this.#view.moveTo(this.#builder, index), record);
  }

  #refuse(issues: readonly InputIssue[], list: List, position: number): void {
    const location = list === undefined ? undefined : locationOf(list, position);
    const located = location === undefined ? issues : issues.map((issue) => ({ ...issue, location }));
    const { observer } = this.#context;
    if (observer?.invalid === undefined) this.#invalid.add(located);
    else observer.invalid(located);
  }

  /** Keeps the last record; the message before it, where it begins a new one. */
  #keep(index: number): EncodedMessage | undefined {
    const { collection, acceptedEvents, report } = this.#context;
    if (acceptedEvents !== undefined) {
      const { buffer, recordStart, recordEnd } = this.#builder;
      if (acceptedEvents.take(collection.name, buffer, recordStart, recordEnd)) {
        report.leftOut += 1;
        this.#builder.drop();
        return undefined;
      }
    }
    this.#queue.recordWaits();
    return this.#builder.keep(index);
  }

  async #offer(message: EncodedMessage): Promise<void> {
    await this.#queue.put(message);
    await this.#pause();
  }

  async #pause(): Promise<void> {
    await this.#turns.give();
    this.#context.stop.signal.throwIfAborted();
  }
}

/** The array that a record comes in, if any. */
type List = readonly unknown[] | undefined;

/** Waits, during which the source may bring its next records, but not in the array that is being taken in. */
async function unchanged(records: readonly unknown[], waits: Promise<void>): Promise<void> {
  const shape = pageShape(records);
  await waits;
  checkPage(records, shape);
}

function placeOf({ name, identify }: Collection, record: unknown, index: number): RecordPlace {
  const id = identify(record);
  return { collection: name, index, ...(id === undefined ? {} : { id: shownId(id) }) };
}
