import type { SyncConfiguration } from "../configuration.js";
import type { ObserverOf } from "../encoding/record-observer.js";
import type { Moment } from "../lease.js";
import type { OnProgress } from "../progress.js";
import type { AcceptedEvents } from "../run/accepted-events.js";
import type { SyncTransport } from "../transport.js";

/** What a run keeps an eye on in its batches. */
export interface BatchWatch {
  /** Events to leave out; undefined where nothing is remembered. */
  readonly acceptedEvents: AcceptedEvents | undefined;
  /** Who looks at the records before they are sent. */
  readonly observerOf: ObserverOf | undefined;
  /**
   * Called when everything was accepted and before CompleteSyncBatch is sent; what it throws keeps it from being sent.
   */
  readonly beforeComplete: ((batchId: string) => Promise<void>) | undefined;
}

/** What a batch is made of. */
export interface SessionOptions extends BatchWatch {
  readonly id: string;
  readonly transport: SyncTransport;
  readonly configuration: SyncConfiguration;
  /** Before the batch was asked for. */
  readonly startedAt: Moment;
  readonly onProgress: OnProgress | undefined;
}
