/**
 * Messages -> windows, for one write.
 *
 * A window is what one `SyncRecords` stream carries. The next window is encoded while the last is on its way, so
 * memory is bounded by two windows however many records come.
 */
import type { Clock } from "../../core/clock.js";
import type { Collection } from "../collections.js";
import type { EncodedMessage } from "../encoding/messages.js";
import type { MutableWriteReport } from "./outcomes.js";

/** What a queue of windows needs. */
export interface WindowQueueContext {
  readonly collection: Collection;
  /** Most bytes of a window. */
  readonly windowBytes: number;
  /** How long a record waits for its window to fill, in milliseconds. */
  readonly flushAfterMs: number;
  readonly clock: Clock;
  /** Where the time spent waiting is written down. */
  readonly report: MutableWriteReport;
  /** Sends one window and resolves when it was accepted. Called for one window at a time. */
  readonly send: (window: readonly EncodedMessage[]) => Promise<void>;
  /** Ends the write with its reason; fired from outside, and by the queue when a window fails. */
  readonly stop: AbortController;
}

/** Whom a queue gets its last message from, and tells of those that are done with. */
export interface MessageSource {
  /** The message that is not full yet; undefined where it has no records. */
  flush(): EncodedMessage | undefined;
  /** The message was accepted. */
  accepted(message: EncodedMessage): void;
}

/** Sends messages in windows, one after the other. */
export class WindowQueue {
  readonly #context: WindowQueueContext;
  readonly #source: MessageSource;
  #window: EncodedMessage[] = [];
  #windowBytes = 0;
  #anythingSent = false;
  /** Settles when every window so far was accepted, or one of them failed. */
  #onItsWay: Promise<void> = Promise.resolve();
  #stopTimer: (() => void) | undefined;

  constructor(context: WindowQueueContext, source: MessageSource) {
    this.#context = context;
    this.#source = source;
  }

  /** Whether there was no message yet. */
  get isUnused(): boolean {
    return !this.#anythingSent && this.#window.length === 0;
  }

  /** A record has come that waits for its window to fill: a slow source must not let the lease run out on it. */
  recordWaits(): void {
    if (this.#stopTimer === undefined) this.#startTimer();
  }

  /**
   * Puts a message into a window, at once: its place in the order is taken before anything is waited for.
   * @returns what to wait for before more is brought, if anything
   */
  put(message: EncodedMessage): Promise<void> | undefined {
    const room = this.#enqueue(message);
    return room === undefined ? undefined : this.#waitForServer(room);
  }

  /** Sends what there is and waits until all was accepted. */
  async finish(): Promise<void> {
    // After a pause of the source all may be on its way: a stream without a message renews no lease.
    if (this.#window.length > 0) this.#dispatch().catch(() => {});
    await this.#waitForServer(this.#onItsWay);
  }

  /** Resolves when no window is on its way. Never rejects. */
  async settled(): Promise<void> {
    await this.#onItsWay.catch(() => {});
  }

  /** Leaves no timer. */
  close(): void {
    this.#stopTimer?.();
  }

  #enqueue(message: EncodedMessage): Promise<void> | undefined {
    const { collection, windowBytes } = this.#context;
    // An event collection's window is one message: a refusal then says exactly which events were not taken.
    const full = collection.model === "event" || this.#windowBytes + message.bytes.length > windowBytes;
    const room = full && this.#window.length > 0 ? this.#dispatch() : undefined;
    this.#window.push(message);
    this.#windowBytes += message.bytes.length;
    this.recordWaits();
    return room;
  }

  /** Sends the window as soon as those before it were accepted; resolves when there is room for a further one. */
  #dispatch(): Promise<void> {
    const window = this.#window;
    const before = this.#onItsWay;
    this.#window = [];
    this.#windowBytes = 0;
    this.#anythingSent = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#onItsWay = before.then(() => this.#send(window));
    this.#onItsWay.catch((error: unknown) => this.#context.stop.abort(error));
    return before;
  }

  async #send(window: readonly EncodedMessage[]): Promise<void> {
    const { stop, send } = this.#context;
    stop.signal.throwIfAborted();
    await send(window);
    for (const message of window) this.#source.accepted(message);
  }

  async #waitForServer(accepted: Promise<void>): Promise<void> {
    const { clock, report } = this.#context;
    const since = clock.monotonic();
    await accepted;
    report.serverWaitMs += clock.monotonic() - since;
  }

  #startTimer(): void {
    const { clock, flushAfterMs } = this.#context;
    let stopped = false;
    const flush = () => {
      // Meanwhile its window may have become full.
      if (!stopped) this.#flush();
    };
    // One that waited for another would be sent no sooner, and the source would be read on and on.
    const stopTimer = clock.after(flushAfterMs, () => void this.#onItsWay.then(flush, () => {}));
    this.#stopTimer = () => {
      stopped = true;
      stopTimer();
    };
  }

  #flush(): void {
    const message = this.#source.flush();
    if (message !== undefined) this.#enqueue(message)?.catch(() => {});
    if (this.#window.length > 0) this.#dispatch().catch(() => {});
  }
}
