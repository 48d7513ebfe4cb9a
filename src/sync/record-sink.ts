/**
 * Records -> messages -> windows, for one write.
 *
 * A window is what one `SyncRecords` stream carries. The next window is encoded while the last is on its way, so
 * memory is bounded by two windows however many records come.
 */
import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock } from "../clock.js";
import { type InputIssue, InvalidInputError } from "../errors.js";
import { type AcceptedEvents, digestOf } from "./accepted-events.js";
import type { Collection } from "./collections.js";
import { inSteps } from "./in-steps.js";
import type { RecordPlace } from "./issues.js";
import { largestFields } from "./largest-fields.js";
import { examination } from "./load-writing.js";
import { locationOf } from "./locator.js";
import { type EncodedMessage, MessageBuilder } from "./messages.js";
import type { MutableWriteReport } from "./outcomes.js";
import { idRange } from "./record-id.js";
import type { RecordObserver } from "./record-observer.js";

/** Most issues that an error holds. */
const MAX_ISSUES = 20;
/** How many records after an invalid one are looked at for further issues, where they are at hand. */
const LOOK_AHEAD = 1000;
/** Longest id that an error shows. */
const MAX_SHOWN_ID = 200;

/** What a sink needs. */
export interface SinkContext {
  readonly batchId: string;
  readonly collection: Collection;
  /** Size that a message stays within, unless a single record is larger. */
  readonly messageBytes: number;
  /** Largest message that may be sent. */
  readonly maxMessageBytes: number;
  /** Most bytes of a window. */
  readonly windowBytes: number;
  /** How long a record waits for its window to fill, in milliseconds. */
  readonly flushAfterMs: number;
  readonly clock: Clock;
  /** Where the time spent waiting is written down. */
  readonly report: MutableWriteReport;
  /** Sends one window and resolves when it was accepted. Called for one window at a time. */
  readonly send: (window: readonly EncodedMessage[]) => Promise<void>;
  /** Events that are accepted already and are left out; undefined where nothing is remembered. */
  readonly acceptedEvents: AcceptedEvents | undefined;
  /** Looks at each record before it is sent. */
  readonly observer: RecordObserver | undefined;
  /** Ends the write with its reason; fired from outside, and by the sink when a window fails. */
  readonly stop: AbortController;
}

/** Takes in the records of one write and sends them in windows. */
export class RecordSink {
  readonly #context: SinkContext;
  readonly #builder: MessageBuilder;
  readonly #issues: InputIssue[] = [];
  #sinceInvalid = 0;
  #window: EncodedMessage[] = [];
  #windowBytes = 0;
  #anythingSent = false;
  /** Settles when every window so far was accepted, or one of them failed. */
  #onItsWay: Promise<void> = Promise.resolve();
  #stopFlushTimer: (() => void) | undefined;
  #records = 0;

  constructor(context: SinkContext) {
    this.#context = context;
    this.#builder = new MessageBuilder(context.batchId, context.collection.fieldNumber, context.messageBytes);
  }

  /**
   * Takes in a record or an array of them; a promise where the caller has to wait before it brings more.
   * @throws {InvalidInputError} where enough is known of what is wrong
   */
  take(value: unknown): Promise<void> | undefined {
    if (!Array.isArray(value)) return this.#takeOne(value, undefined, 0);
    const records: readonly unknown[] = value;
    this.#context.observer?.beginList?.(records, this.#records);
    let position = 0;
    return inSteps(() => {
      while (position < records.length) {
        const waits = this.#takeOne(records[position], records, position++);
        if (waits !== undefined) return waits;
      }
      return undefined;
    });
  }

  /**
   * Says what is known to be wrong with the records so far.
   * @throws {InvalidInputError} a record was invalid
   */
  throwIssues(): void {
    const [first] = this.#issues;
    if (first === undefined) return;
    const shown = this.#issues.slice(0, MAX_ISSUES);
    throw new InvalidInputError(summarize(first, shown.length), { issues: shown });
  }

  /** There are no more records: sends what is left and waits until all was accepted. */
  async finish(): Promise<void> {
    // A source that ends quietly because it saw its signal fire is not at its end.
    this.#context.stop.signal.throwIfAborted();
    this.throwIssues();
    const empty = !this.#anythingSent && this.#window.length === 0;
    if (this.#builder.pending > 0 || empty) await this.#offer(this.#builder.flush());
    this.#dispatch().catch(() => {});
    await this.#waitForServer(this.#onItsWay);
  }

  /** Number of records that were brought, whatever became of them. */
  get taken(): number {
    return this.#records;
  }

  /** Resolves when no window is on its way. Never rejects. */
  async settled(): Promise<void> {
    await this.#onItsWay.catch(() => {});
  }

  /** Takes nothing more in, and leaves no timer. */
  close(): void {
    this.#stopFlushTimer?.();
  }

  /** Takes in a record; `list` and `position` tell where it comes from. */
  #takeOne(record: unknown, list: List, position: number): Promise<void> | undefined {
    const index = this.#records++;
    if (!this.#builder.encode(record, this.#context.collection.encoder))
      return this.#examine(record, index, list, position);
    return this.#takeEncoded(record, index, list, position);
  }

  /** Takes in the record that the builder holds. */
  #takeEncoded(record: unknown, index: number, list: List, position: number): Promise<void> | undefined {
    const { collection, maxMessageBytes } = this.#context;
    const bytes = this.#builder.sizeAlone;
    const refusal =
      bytes > maxMessageBytes ? tooLarge(record, bytes, maxMessageBytes) : this.#observe(record, index);
    if (refusal === undefined && this.#issues.length === 0) {
      const message = this.#keep();
      return message === undefined ? undefined : this.#offer(message);
    }
    this.#builder.drop();
    if (refusal === undefined) this.#lookAhead();
    else
      this.#refuse([{ ...placeOf(collection, record, index), path: "", expected: refusal }], list, position);
    return undefined;
  }

  /** Finds out what is wrong with a record that its encoder refused. */
  async #examine(record: unknown, index: number, list: List, position: number): Promise<void> {
    const { collection } = this.#context;
    const { examineRecord } = examination.loaded ?? (await examination.load());
    const examined = examineRecord(collection.name, record, placeOf(collection, record, index));
    if (!examined.ok) return this.#refuse(examined.issues, list, position);
    this.#builder.append(examined.bytes);
    await this.#takeEncoded(record, index, list, position);
  }

  /** What the observer expected of the last record instead. */
  #observe(record: unknown, index: number): string | undefined {
    const { collection, observer } = this.#context;
    if (observer === undefined || this.#issues.length > 0) return undefined;
    const { buffer, recordStart, recordEnd } = this.#builder;
    const { start, end } = collection.hasIds
      ? idRange(buffer, recordStart)
      : { start: recordStart, end: recordStart };
    return observer.observe(record, buffer, recordStart, recordEnd, index, start, end);
  }

  #refuse(issues: readonly InputIssue[], list: List, position: number): void {
    const location = list === undefined ? undefined : locationOf(list, position);
    const located = location === undefined ? issues : issues.map((issue) => ({ ...issue, location }));
    const { observer } = this.#context;
    if (observer?.invalid !== undefined) {
      observer.invalid(located);
      return;
    }
    this.#issues.push(...located);
    this.#lookAhead();
  }

  /** Records after an invalid one are looked at only. */
  #lookAhead(): void {
    if (this.#issues.length >= MAX_ISSUES || this.#sinceInvalid >= LOOK_AHEAD) this.throwIssues();
    this.#sinceInvalid += 1;
  }

  /** Keeps the last record; the message before it, where it begins a new one. */
  #keep(): EncodedMessage | undefined {
    const { collection, acceptedEvents, report } = this.#context;
    let digest: string | undefined;
    if (acceptedEvents !== undefined && collection.model === "event") {
      const { buffer, recordStart, recordEnd } = this.#builder;
      digest = digestOf(collection.name, buffer.subarray(recordStart, recordEnd));
      if (acceptedEvents.take(digest)) {
        report.leftOut += 1;
        this.#builder.drop();
        return undefined;
      }
    }
    if (this.#stopFlushTimer === undefined) this.#startFlushTimer();
    return this.#builder.keep(digest);
  }

  async #offer(message: EncodedMessage): Promise<void> {
    const room = this.#enqueue(message);
    if (room !== undefined) await this.#waitForServer(room);
    // A synchronous source would otherwise keep the event loop for itself.
    await nextTick();
    this.#context.stop.signal.throwIfAborted();
  }

  /** Puts a message into a window, at once: its place in the order is taken before anything is waited for. */
  #enqueue(message: EncodedMessage): Promise<void> | undefined {
    const { collection, windowBytes } = this.#context;
    // An event collection's window is one message: a refusal then says exactly which events were not taken.
    const full = collection.model === "event" || this.#windowBytes + message.bytes.length > windowBytes;
    const room = full && this.#window.length > 0 ? this.#dispatch() : undefined;
    this.#window.push(message);
    this.#windowBytes += message.bytes.length;
    if (this.#stopFlushTimer === undefined) this.#startFlushTimer();
    return room;
  }

  /** Sends the window as soon as those before it were accepted; resolves when there is room for a further one. */
  #dispatch(): Promise<void> {
    const window = this.#window;
    const before = this.#onItsWay;
    this.#window = [];
    this.#windowBytes = 0;
    this.#anythingSent = true;
    this.#stopFlushTimer?.();
    this.#stopFlushTimer = undefined;
    this.#onItsWay = before.then(() => this.#send(window));
    this.#onItsWay.catch((error: unknown) => this.#context.stop.abort(error));
    return before;
  }

  async #send(window: readonly EncodedMessage[]): Promise<void> {
    const { stop, send, acceptedEvents } = this.#context;
    stop.signal.throwIfAborted();
    await send(window);
    for (const message of window) {
      acceptedEvents?.accepted(message.digests);
      this.#builder.reuse(message);
    }
  }

  async #waitForServer(accepted: Promise<void>): Promise<void> {
    const { clock, report } = this.#context;
    const since = clock.monotonic();
    await accepted;
    report.serverWaitMs += clock.monotonic() - since;
  }

  /** A slow source must not let the lease run out on records that it has given already. */
  #startFlushTimer(): void {
    const { clock, flushAfterMs } = this.#context;
    this.#stopFlushTimer = clock.after(flushAfterMs, () => {
      if (this.#builder.pending > 0) this.#enqueue(this.#builder.flush())?.catch(() => {});
      if (this.#window.length > 0) this.#dispatch().catch(() => {});
    });
  }
}

/** The array that a record comes in, if any. */
type List = readonly unknown[] | undefined;

function placeOf({ name, identify }: Collection, record: unknown, index: number): RecordPlace {
  const id = identify(record);
  return { collection: name, index, ...(id === undefined ? {} : { id: id.slice(0, MAX_SHOWN_ID) }) };
}

function tooLarge(record: unknown, bytes: number, maxMessageBytes: number): string {
  return `expected a record that fits into a message of ${maxMessageBytes} bytes: alone it makes one of ${bytes} bytes${largestFields(record)}`;
}

function summarize(issue: InputIssue, count: number): string {
  const id = issue.id === undefined ? "" : ` (id ${JSON.stringify(issue.id)})`;
  const path = issue.path === "" ? "" : ` ${issue.path}`;
  const place = issue.location === undefined ? "" : ` (${issue.location})`;
  const more = count > 1 ? ` ${count - 1} more in issues.` : "";
  return `${issue.collection}[${issue.index}]${id}${place}${path}: ${issue.expected}. Nothing after this was sent; start a new batch with valid records.${more}`;
}
