/**
 * One write: source -> records -> messages -> windows.
 *
 * A window is what one `SyncRecords` stream carries. The next window is encoded while the last is on its way, so
 * memory is bounded by two windows whatever the source's length.
 */
import { setImmediate as nextTick } from "node:timers/promises";
import { type InputIssue, InvalidInputError } from "../errors.js";
import { linkedController } from "../signals.js";
import type { Collection } from "./collections.js";
import { type EncodedMessage, MessageBuilder } from "./messages.js";
import { openSource, type SourceIterator } from "./source.js";

/** Most issues that an error holds. */
const MAX_ISSUES = 20;
/** How many records after an invalid one are looked at for further issues, where they are at hand. */
const LOOK_AHEAD = 1000;

/** What one write needs. */
export interface WriteContext {
  readonly batchId: string;
  readonly collection: Collection;
  /** Size that a message stays within, unless a single record is larger. */
  readonly messageBytes: number;
  /** Largest message that may be sent. */
  readonly maxMessageBytes: number;
  /** Most bytes of a window. */
  readonly windowBytes: number;
  /** Ends the write at once, with its reason. */
  readonly signal: AbortSignal;
  /** Sends one window and resolves when it was accepted. Called for one window at a time. */
  readonly send: (window: readonly EncodedMessage[]) => Promise<void>;
}

/**
 * Writes a source.
 *
 * Rejects with the signal's reason, the source's own exception, or an error of the SDK. The source's `return()` is
 * called when the write ends before the source does.
 * @returns the number of records
 */
export async function writeSource(source: unknown, context: WriteContext): Promise<number> {
  const { signal } = context;
  signal.throwIfAborted();
  const opened = openSource(source);
  const { controller: stop, unlink } = linkedController(signal);
  const write = new Write(context, stop);
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  stopped.catch(() => {});
  const pumped = opened.kind === "sync" ? write.pullSync(opened.iterator) : write.pullAsync(opened.iterator);
  try {
    await Promise.race([pumped, stopped]);
    return write.records;
  } catch (error) {
    if (!write.sourceEnded) close(opened);
    // What is on its way gets the chance to be acknowledged, unless the write was told to end at once.
    if (!stop.signal.aborted) await write.settled();
    throw error;
  } finally {
    unlink();
    pumped.catch(() => {});
  }
}

class Write {
  readonly #context: WriteContext;
  readonly #stop: AbortController;
  readonly #builder: MessageBuilder;
  readonly #issues: InputIssue[] = [];
  #sinceInvalid = 0;
  #window: EncodedMessage[] = [];
  #windowBytes = 0;
  #sent = false;
  #onItsWay: Promise<void> = Promise.resolve();
  /** Number of records that were taken in. */
  records = 0;
  /** Whether the source has no more, or threw: it is not to be told to return then. */
  sourceEnded = false;

  /** @param stop Ends the write at once, with its reason: fired from outside, and when a window fails. */
  constructor(context: WriteContext, stop: AbortController) {
    this.#context = context;
    this.#stop = stop;
    this.#builder = new MessageBuilder(context.batchId, context.collection.fieldNumber, context.messageBytes);
  }

  async pullSync(iterator: Iterator<unknown>): Promise<void> {
    for (;;) {
      let step: IteratorResult<unknown>;
      try {
        step = iterator.next();
      } catch (error) {
        this.sourceEnded = true;
        throw error;
      }
      if (step.done === true) break;
      const waits = this.#take(step.value);
      if (waits !== undefined) await waits;
    }
    await this.#finish();
  }

  async pullAsync(iterator: AsyncIterator<unknown>): Promise<void> {
    for (;;) {
      let step: IteratorResult<unknown>;
      try {
        step = await iterator.next();
      } catch (error) {
        this.sourceEnded = true;
        throw error;
      }
      this.#stop.signal.throwIfAborted();
      if (step.done === true) break;
      const waits = this.#take(step.value);
      if (waits !== undefined) await waits;
      // The next record of an asynchronous source may be long in coming: what is known to be wrong is said now.
      this.#throwIssues();
    }
    await this.#finish();
  }

  /** Resolves when no window is on its way. Never rejects. */
  async settled(): Promise<void> {
    await this.#onItsWay.catch(() => {});
  }

  /** Takes in a record or an array of them; a promise where the pull has to wait. */
  #take(value: unknown): Promise<void> | undefined {
    if (Array.isArray(value)) return this.#takeAll(value);
    const message = this.#encode(value);
    return message === undefined ? undefined : this.#offer(message);
  }

  async #takeAll(records: readonly unknown[]): Promise<void> {
    for (const record of records) {
      const message = this.#encode(record);
      if (message !== undefined) await this.#offer(message);
    }
  }

  /** Encodes a record; the message before it, where it begins a new one. */
  #encode(record: unknown): EncodedMessage | undefined {
    const { collection, maxMessageBytes } = this.#context;
    const index = this.records++;
    const encoded = collection.encode(record, index);
    if (!encoded.ok) {
      this.#issues.push(...encoded.issues);
    } else if (this.#builder.sizeAlone(encoded.bytes.length) > maxMessageBytes) {
      this.#issues.push(tooLarge(collection, record, index, encoded.bytes.length, maxMessageBytes));
    } else if (this.#issues.length === 0) {
      return this.#builder.add(encoded.bytes);
    }
    const enough = this.#issues.length >= MAX_ISSUES || this.#sinceInvalid >= LOOK_AHEAD;
    if (enough) this.#throwIssues();
    if (this.#issues.length > 0) this.#sinceInvalid += 1;
    return undefined;
  }

  async #offer(message: EncodedMessage): Promise<void> {
    const { collection, windowBytes } = this.#context;
    // An event collection's window is one message: a refusal then says exactly which events were not taken.
    const full = collection.model === "event" || this.#windowBytes + message.bytes.length > windowBytes;
    if (full && this.#window.length > 0) await this.#dispatch();
    this.#window.push(message);
    this.#windowBytes += message.bytes.length;
    // A synchronous source would otherwise keep the event loop for itself.
    await nextTick();
    this.#stop.signal.throwIfAborted();
  }

  /** Sends the window as soon as the one before it was accepted. */
  async #dispatch(): Promise<void> {
    const window = this.#window;
    this.#window = [];
    this.#windowBytes = 0;
    await this.#onItsWay;
    this.#stop.signal.throwIfAborted();
    this.#sent = true;
    this.#onItsWay = this.#context.send(window);
    this.#onItsWay.catch((error) => this.#stop.abort(error));
  }

  async #finish(): Promise<void> {
    this.sourceEnded = true;
    // A source that ends quietly because it saw its signal fire is not at its end.
    this.#stop.signal.throwIfAborted();
    this.#throwIssues();
    const empty = !this.#sent && this.#window.length === 0;
    if (this.#builder.pending > 0 || empty) await this.#offer(this.#builder.flush());
    await this.#dispatch();
    await this.#onItsWay;
  }

  #throwIssues(): void {
    const [first] = this.#issues;
    if (first === undefined) return;
    const shown = this.#issues.slice(0, MAX_ISSUES);
    throw new InvalidInputError(summarize(first, shown.length), { issues: shown });
  }
}

function tooLarge(
  { name, identify }: Collection,
  record: unknown,
  index: number,
  bytes: number,
  maxMessageBytes: number,
): InputIssue {
  const id = identify(record);
  return {
    collection: name,
    index,
    ...(id === undefined ? {} : { id }),
    path: "",
    expected: `expected a record that fits into a message of ${maxMessageBytes} bytes: it has ${bytes} bytes`,
  };
}

function summarize(issue: InputIssue, count: number): string {
  const id = issue.id === undefined ? "" : ` (id ${JSON.stringify(issue.id)})`;
  const path = issue.path === "" ? "" : ` ${issue.path}`;
  const more = count > 1 ? ` ${count - 1} more in issues.` : "";
  return `${issue.collection}[${issue.index}]${id}${path}: ${issue.expected}. Nothing after this was sent; start a new batch with valid records.${more}`;
}

/** Tells a source that no more is wanted. It may never answer, and what it says then changes nothing. */
function close({ iterator }: SourceIterator): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {
    // The write has failed already; the source's farewell must not take the place of the reason.
  }
}
