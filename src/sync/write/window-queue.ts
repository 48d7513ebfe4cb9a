/**
 * Puts the messages of one write into windows.
 *
 * A window is what one SyncRecords stream carries. The next window is encoded while the last one is on its way, so
 * memory is bounded by two windows.
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
  /** Size that a message stays within, unless a single record is larger. */
  readonly messageBytes: number;
  readonly maxMessageBytes: number;
  readonly windowBytes: number;
  /** How long a record waits for its window to fill, in milliseconds. */
  readonly flushAfterMs: number;
  /** Called in place of sending a window that is not full: those of a run may wait for ever. */
  readonly onWait?: () => void;
  /** What a failed write means for what was sent, in a sentence. */
  readonly consequence: string;
  readonly inspector: RecordInspector | undefined;
  readonly eventTimes: EventTimes | undefined;
  readonly clock: Clock;
  readonly report: WriteReport;
  /** Sends one window, and resolves when it was accepted. Called for one window at a time. */
  readonly send: (window: readonly EncodedMessage[]) => Promise<void>;
  /** Ends the write with its reason. Fired by the batch, by the caller, or by the queue if a window fails. */
  readonly stop: AbortController;
}

export interface MessageSource<M extends WindowMessage> {
  /** Returns the message that is not full yet, unless it is empty. Left out if all messages are there. */
  flush?(): M | undefined;
  /** Takes back a message that was accepted. */
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
  /** Settles when every window so far was accepted, or one of them has failed. */
  #inFlight: Promise<void> = Promise.resolve();
  #stopTimer: (() => void) | undefined;

  constructor(context: QueueContext<M>, source: MessageSource<M>) {
    this.#context = context;
    this.#source = source;
  }

  get isUnused(): boolean {
    return !this.#anythingSent && this.#window.length === 0;
  }

  /** Starts the flush timer: a slow source must not let the lease run out on records that wait for their window. */
  recordWaits(): void {
    if (this.#stopTimer === undefined) this.#startTimer();
  }

  /**
   * Puts a message into a window, before anything is awaited: that keeps the order.
   * @returns what to await before more is brought, if anything
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
    // An event window is one message, so that a refusal tells exactly which events were not accepted.
    const full = collection.model === "event" || this.#windowBytes + message.bytes.length > windowBytes;
    const room = full && this.#window.length > 0 ? this.#dispatch() : undefined;
    this.#window.push(message);
    this.#windowBytes += message.bytes.length;
    this.recordWaits();
    return room;
  }

  /** Sends the window after those before it. The returned promise resolves when there is room for another. */
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
      // The window may have been sent meanwhile.
      if (!stopped) this.#flush();
    };
    // Flushing behind a window in flight would send nothing sooner, and take in more than two windows.
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
