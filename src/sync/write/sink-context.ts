import type { Collection } from "../collections.js";
import type { EncodedMessage } from "../encoding/message-builder.js";
import type { RecordObserver } from "../encoding/record-observer.js";
import type { WindowQueueContext } from "./window-queue.js";

export interface EventFilter {
  /** Whether an earlier attempt got this event accepted. Each acceptance counts once. */
  take(collection: Collection, buffer: Uint8Array, start: number, end: number): boolean;
  accepted(collection: Collection, message: EncodedMessage): void;
}

export interface SinkContext extends WindowQueueContext {
  readonly batchId: string;
  /** Size that a message stays within, unless a single record is larger. */
  readonly messageBytes: number;
  readonly maxMessageBytes: number;
  /** Most bytes of a window of encoded records. */
  readonly encodedWindowBytes: number;
  readonly acceptedEvents: EventFilter | undefined;
  readonly observer: RecordObserver | undefined;
}
