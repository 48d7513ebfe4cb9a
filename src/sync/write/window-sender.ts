import { type Moment, momentOf } from "../../core/clock.js";
import { SyncProtocolError } from "../../core/errors/index.js";
import { Attempts } from "../call.js";
import { COUNTS } from "../generated/collections.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { CallContext, StoredMessage, SyncTransport } from "../transport.js";
import { PREFIX_BYTES } from "../window-limit.js";
import { progressOf, type WriteReport } from "./options.js";

export interface WindowSenderOptions {
  readonly transport: SyncTransport;
  readonly configuration: SyncConfiguration;
  readonly lease: { renew(sentAt: Moment): void };
  readonly report: WriteReport;
  /** Calls SyncRecords with retries; `attempt` makes one attempt. */
  readonly call: (attempt: (call: CallContext) => Promise<void>) => Promise<void>;
  /** Ends the write. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress | undefined;
}

/** One message of a window. */
export interface WindowMessage {
  readonly bytes: Uint8Array | StoredMessage;
  readonly firstIndex: number;
  readonly records: number;
}

/** Sends the windows of one write, and counts their records. */
export class WindowSender {
  readonly #options: WindowSenderOptions;

  constructor(options: WindowSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends one window, in parts if only smaller windows get through.
   * @param mayBeDone Whether the service may already have accepted the records as part of a larger window.
   */
  async send(window: readonly WindowMessage[], mayBeDone = false): Promise<void> {
    const limit = this.#options.configuration.windowLimit;
    let part: WindowMessage[] = [];
    let partBytes = 0;
    for (const message of window) {
      const bytes = PREFIX_BYTES + message.bytes.length;
      if (part.length > 0 && partBytes + bytes > limit.bytes) {
        await this.#sendPart(part, mayBeDone);
        part = [];
        partBytes = 0;
      }
      part.push(message);
      partBytes += bytes;
    }
    await this.#sendPart(part, mayBeDone);
  }

  /** Sends one stream. After a transient failure, sends the same bytes again on a new stream. */
  async #sendPart(window: readonly WindowMessage[], mayBeDone: boolean): Promise<void> {
    const { call, configuration, report, signal, onProgress } = this.#options;
    const limit = configuration.windowLimit;
    const firstIndex = window[0]?.firstIndex ?? 0;
    const records = window.reduce((sum, message) => sum + message.records, 0);
    const messages = window.map((message) => message.bytes);
    const bytes = messages.reduce((sum, message) => sum + message.length, 0);
    const attempts = new Attempts();
    attempts.mayBeDone = mayBeDone;
    let isTooLarge = false;
    const onTooLarge = () => {
      isTooLarge = true;
    };
    const wireBytes = bytes + PREFIX_BYTES * messages.length;
    let tries = 0;
    report.sent += records;
    try {
      await call((context) => {
        tries += 1;
        isTooLarge = false;
        return attempts.make({ ...context, onTooLarge }, (made) =>
          this.#sendOnce(messages, firstIndex, records, made),
        );
      });
    } catch (error) {
      if (isTooLarge && messages.length > 1 && !signal.aborted && limit.halve(wireBytes, error)) {
        report.sent -= records;
        return await this.send(window, attempts.mayBeDone);
      }
      if (!attempts.mayBeDone && !attempts.refused) report.sent -= records;
      throw error;
    } finally {
      report.retries += Math.max(0, tries - 1);
    }
    limit.accepted(wireBytes);
    report.accepted += records;
    report.windows += 1;
    report.messages += messages.length;
    report.bytes += bytes;
    onProgress?.(progressOf(report));
    const { collection } = report;
    configuration.logger.debug("saas-management: window accepted", { collection, records, bytes });
  }

  async #sendOnce(
    messages: readonly WindowMessage["bytes"][],
    firstIndex: number,
    records: number,
    call: CallContext,
  ): Promise<void> {
    const { configuration, transport, lease, report } = this.#options;
    const sentAt = momentOf(configuration.clock);
    const { accepted } = await transport.syncRecords(messages, call);
    if (accepted === undefined ? COUNTS.accepted : accepted !== records)
      throw miscounted(accepted, records, `${report.collection} from index ${firstIndex} on`);
    lease.renew(sentAt);
  }
}

function miscounted(accepted: number | undefined, records: number, where: string): SyncProtocolError {
  return new SyncProtocolError(
    accepted === undefined
      ? `SyncRecords: the answer to ${records} records of ${where} has no count, so it may come from a proxy rather than the service. Abort the batch, and check the proxies in between.`
      : `The service accepted only ${accepted} of the ${records} records of ${where}. Abort the batch and start a new one.`,
  );
}
