import { SyncProtocolError } from "../errors.js";
import { isRefusal, stateError } from "./batch-state.js";
import { callWithRetry } from "./call.js";
import type { SyncConfiguration } from "./configuration.js";
import type { Lease } from "./lease.js";
import type { EncodedMessage } from "./messages.js";
import { addRange, type MutableWriteReport } from "./outcomes.js";
import type { CallContext, SyncTransport } from "./transport.js";

/** Sends the windows of one write and keeps the account of what became of them. */
export class WindowSender {
  readonly #transport: SyncTransport;
  readonly #configuration: SyncConfiguration;
  readonly #lease: Lease;
  readonly #report: MutableWriteReport;
  readonly #signal: AbortSignal;

  constructor(options: {
    readonly transport: SyncTransport;
    readonly configuration: SyncConfiguration;
    readonly lease: Lease;
    readonly report: MutableWriteReport;
    readonly signal: AbortSignal;
  }) {
    this.#transport = options.transport;
    this.#configuration = options.configuration;
    this.#lease = options.lease;
    this.#report = options.report;
    this.#signal = options.signal;
  }

  /** Sends one window; where the failure was transient, the same bytes again on a new stream. */
  async send(window: readonly EncodedMessage[]): Promise<void> {
    const report = this.#report;
    const firstIndex = window[0]?.firstIndex ?? 0;
    const records = window.reduce((sum, message) => sum + message.records, 0);
    const messages = window.map((message) => message.bytes);
    let attempts = 0;
    try {
      await callWithRetry(
        this.#configuration,
        `SyncRecords of ${report.collection}`,
        this.#signal,
        (call) => {
          attempts += 1;
          return this.#sendOnce(messages, firstIndex, records, call);
        },
      );
    } catch (error) {
      // A refusal after a lost answer, or of one message among several, does not tell what was taken.
      const rejected = isRefusal(error) && messages.length === 1 && attempts === 1;
      addRange(report.ranges, { outcome: rejected ? "rejected" : "unknown", firstIndex, records });
      throw error;
    } finally {
      report.retries += Math.max(0, attempts - 1);
    }
    addRange(report.ranges, { outcome: "accepted", firstIndex, records });
    report.accepted += records;
    report.messages += messages.length;
    report.bytes += messages.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  async #sendOnce(
    messages: readonly Uint8Array[],
    firstIndex: number,
    records: number,
    call: CallContext,
  ): Promise<void> {
    if (this.#lease.remainingMs === 0) throw stateError("write", "expired", "expired");
    const sentAt = this.#configuration.clock.monotonic();
    const { accepted } = await this.#transport.syncRecords(messages, call);
    if (accepted !== undefined && accepted !== records) {
      throw new SyncProtocolError(
        `The service acknowledged ${accepted} of ${records} records of ${this.#report.collection} from index ${firstIndex}. Abort the batch and start a new one.`,
      );
    }
    this.#lease.renew(sentAt);
  }
}
