/**
 * Groups the messages of one write into windows.
 *
 * A window is what one SyncRecords stream carries. While one window is in flight, the next is encoded, so a write never
 * holds more than two in memory.
 */
import type { Clock } from "../../core/clock.js";
import type { CollectionInfo } from "../collections.js";
import type { EncodedMessage } from "../encoding/message-builder.js";
import type { RecordInspector } from "../encoding/record-inspector.js";
import type { EventTimes } from "../event-times.js";
import type { WriteReport } from "./options.js";
import type { WindowMessage } from "./window-sender.js";

/** Where one write goes, and how. */
export interface SinkContext {
  readonly batchId: string;
  readonly collection: CollectionInfo;
  /** Maximum size of a message, unless a single record is larger. */
  readonly messageBytes: number;
  readonly maxMessageBytes: number;
  readonly windowBytes: number;
  /** How long a record waits for its window to fill, in milliseconds. */
  readonly flushAfterMs: number;
  /** Called instead of sending a partly filled window; set by runs, whose windows may wait forever. */
  readonly onWait?: () => void;
  /** A sentence that says what a failed write means for the records already sent. */
  readonly consequence: string;
  readonly inspector: RecordInspector | undefined;
  readonly eventTimes: EventTimes | undefined;
  readonly clock: Clock;
  readonly report: WriteReport;
  /** Sends one window, and resolves when it's accepted; called for one window at a time. */
  readonly send: (window: readonly EncodedMessage[]) => Promise<void>;
  /** Ends the write. Aborted by the batch, by the caller, or by the queue if a window fails. */
  readonly stop: AbortController;
}

export interface MessageSource<M extends WindowMessage> {
  /** Returns the message that isn't full yet, unless it's empty; absent if all messages already exist. */
  flush?(): M | undefined;
  /** Reclaims an accepted message. */
  accepted(message: M): void;
}

type QueueContext<M extends WindowMessage> = Omit<SinkContext, "send"> & {
  readonly send: (window: readonly M[]) => Promise<void>;
};

export class WindowQueue<M extends WindowMessage = EncodedMessage> {
  readonly #context: QueueContext<M>;
  readonly #source: MessageSource<M>;
  #window: M[] = [];
  #windowBytes = 0;
  #anythingSent = false;
  /** Settles when all windows so far have been accepted, or one has failed. */
  #inFlight: Promise<void> = Promise.resolve();
  #stopTimer: (() => void) | undefined;

  constructor(context: QueueContext<M>, source: MessageSource<M>) {
    this.#context = context;
    this.#source = source;
  }

  get isUnused(): boolean {
    return !this.#anythingSent && this.#window.length === 0;
  }

  /** Starts the flush timer, so that a slow source doesn't keep records waiting until the lease ends. */
  recordWaits(): void {
    if (this.#stopTimer === undefined) this.#startTimer();
  }

  /**
   * Puts a message into a window, without awaiting anything first, so that messages keep their order.
   * @returns what to await before passing more, if anything
   */
  put(message: M): Promise<void> | undefined {
    const room = this.#enqueue(message);
    return room === undefined ? undefined : this.#waitForServer(room);
  }

  async finish(): Promise<void> {
    // The window is empty if the flush timer has sent everything.
    if (this.#window.length > 0) this.#dispatch().catch(() => {});
    await this.#waitForServer(this.#inFlight);
  }

  /** Resolves when no window is in flight. Never rejects. */
  async settled(): Promise<void> {
    await this.#inFlight.catch(() => {});
  }

  close(): void {
    this.#stopTimer?.();
  }

  #enqueue(message: M): Promise<void> | undefined {
    const { collection, windowBytes } = this.#context;
    // An event window is one message, so that a refusal shows exactly which events weren't accepted.
    const full = collection.model === "event" || this.#windowBytes + message.bytes.length > windowBytes;
    const room = full && this.#window.length > 0 ? this.#dispatch() : undefined;
    this.#window.push(message);
    this.#windowBytes += message.bytes.length;
    this.recordWaits();
    return room;
  }

  /** Sends the window after the previous ones. Resolves when there's room for another window. */
  #dispatch(): Promise<void> {
    const window = this.#window;
    const previous = this.#inFlight;
    this.#window = [];
    this.#windowBytes = 0;
    this.#anythingSent = true;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#inFlight = previous.then(() => this.#send(window));
    this.#inFlight.catch((error: unknown) => this.#context.stop.abort(error));
    return previous;
  }

  async #send(window: readonly M[]): Promise<void> {
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
    const { clock, flushAfterMs, onWait } = this.#context;
    if (onWait !== undefined) {
      this.#stopTimer = clock.after(flushAfterMs, () => {
        this.#stopTimer = undefined;
        onWait();
      });
      return;
    }
    let stopped = false;
    const flush = () => {
      // The window may have been sent in the meantime.
      if (!stopped) this.#flush();
    };
    // Waits for the window in flight: flushing earlier wouldn't send anything sooner, but would hold a third window.
    const stopTimer = clock.after(flushAfterMs, () => void this.#inFlight.then(flush, () => {}));
    this.#stopTimer = () => {
      stopped = true;
      stopTimer();
    };
  }

  #flush(): void {
    const message = this.#source.flush?.();
    if (message !== undefined) this.#enqueue(message)?.catch(() => {});
    if (this.#window.length > 0) this.#dispatch().catch(() => {});
  }
}
