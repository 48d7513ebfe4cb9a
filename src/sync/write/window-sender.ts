import { annotate, type RecordOutcome, SyncProtocolError, TransportError } from "../../core/errors/index.js";
import { Attempts, callWithRetry, type Subject } from "../call.js";
import type { CollectionInfo } from "../collections.js";
import { type CountedLease, momentOf } from "../lease.js";
import type { SyncConfiguration } from "../options.js";
import type { OnProgress } from "../progress.js";
import type { CallContext, StoredMessage, SyncTransport } from "../transport.js";
import { PREFIX_BYTES } from "../window-limit.js";
import { addRange, progressOf, type WriteReport } from "./options.js";

/**
 * How the service acknowledges windows. One that counts what it accepts always does: an answer without a count is then of
 * somebody else, such as a proxy that says OK and forwards nothing.
 */
export class Acknowledgements {
  readonly #service: { counts: boolean };
  /** Whether a window of the batch was acknowledged without a count, and taken for accepted. */
  #isUncounted = false;

  /** @param service What all batches of the client know of it. */
  constructor(service: { counts: boolean }) {
    this.#service = service;
  }

  /** Whether the service is known to count. */
  get areCounted(): boolean {
    return this.#service.counts;
  }

  /** @throws {TransportError} the window was not accepted by the service, or an earlier one of the batch */
  check(accepted: number | undefined, records: number): void {
    // Nothing is lost with an empty window, whose count a service may leave out.
    const isUncounted = accepted === undefined && records > 0;
    const isRefused = this.#service.counts && isUncounted;
    if (accepted !== undefined) this.#service.counts = true;
    // A window that is refused here is sent again, so it must not spoil the batch.
    else if (isUncounted && !isRefused) this.#isUncounted = true;
    if (isRefused || (this.#service.counts && this.#isUncounted)) throw uncountedError();
  }
}

export function uncountedError(): TransportError {
  return new TransportError(
    "SyncRecords: the service counts the records that it accepts, and an answer came without a count. Something between this machine and the service may have answered in its place, so what was sent may be lost.",
    { retryable: true },
  );
}

export interface WindowSenderOptions {
  readonly transport: SyncTransport;
  readonly configuration: SyncConfiguration;
  readonly lease: CountedLease;
  readonly collection: CollectionInfo;
  readonly subject: Subject;
  readonly report: WriteReport;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress | undefined;
  readonly acknowledgements: Acknowledgements;
}

/** One message of a window. */
export interface WindowMessage {
  readonly bytes: Uint8Array | StoredMessage;
  readonly firstIndex: number;
  readonly records: number;
}

/** Sends the windows of one write, and reports what became of their records. */
export class WindowSender {
  readonly #options: WindowSenderOptions;

  constructor(options: WindowSenderOptions) {
    this.#options = options;
  }

  /** Sends one window, in parts if less at once gets through. */
  async send(window: readonly WindowMessage[]): Promise<void> {
    await this.#sendParts(window, false);
  }

  /** @param mayBeDone Whether the service may have accepted them with a larger window. */
  async #sendParts(window: readonly WindowMessage[], mayBeDone: boolean): Promise<void> {
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

  /** Sends one stream. After a transient failure it sends the same bytes again, on a new one. */
  async #sendPart(window: readonly WindowMessage[], mayBeDone: boolean): Promise<void> {
    const { subject, configuration, lease, report, signal, onProgress } = this.#options;
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
    const operation = {
      rpc: "SyncRecords",
      ...subject,
      lease,
      collection: report.collection,
      mayRepeat: () => this.#mayRepeat || !attempts.mayBeDone,
    } as const;
    let tries = 0;
    report.sent += records;
    try {
      const attempt = (call: CallContext) => {
        tries += 1;
        isTooLarge = false;
        return attempts.make({ ...call, onTooLarge }, (context) =>
          this.#sendOnce(messages, firstIndex, records, context),
        );
      };
      await callWithRetry(configuration, operation, signal, attempt, onProgress);
    } catch (error) {
      if (isTooLarge && messages.length > 1 && !signal.aborted && limit.halve(wireBytes, error)) {
        report.sent -= records;
        return await this.#sendParts(window, attempts.mayBeDone);
      }
      const outcome = outcomeOf(attempts, messages.length);
      if (outcome === "unsent") report.sent -= records;
      addRange(report.ranges, { outcome, firstIndex, records });
      // The reason of an abort is passed on unchanged.
      if (outcome !== "unknown" || this.#mayRepeat || signal.aborted) throw error;
      throw error instanceof TransportError ? unknownEventsError(error) : error;
    } finally {
      report.retries += Math.max(0, tries - 1);
    }
    limit.accepted(wireBytes);
    addRange(report.ranges, { outcome: "accepted", firstIndex, records });
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
    const { configuration, transport, lease, report, acknowledgements } = this.#options;
    const sentAt = momentOf(configuration.clock);
    const { accepted } = await transport.syncRecords(messages, call);
    acknowledgements.check(accepted, records);
    if (accepted !== undefined && accepted !== records) {
      throw new SyncProtocolError(
        `The service acknowledged ${accepted} of the ${records} records of ${report.collection} from index ${firstIndex} on. Abort the batch and start a new one.`,
      );
    }
    lease.renew(sentAt);
  }

  /** Events without an id count twice if they arrive twice, so `eventDelivery: "at-most-once"` never sends them again. */
  get #mayRepeat(): boolean {
    const { configuration, collection } = this.#options;
    return collection.idField !== undefined || configuration.eventDelivery === "at-least-once";
  }
}

/** A refusal of one message among several does not tell which were accepted. */
function outcomeOf({ mayBeDone, refused }: Attempts, messages: number): RecordOutcome["outcome"] {
  if (mayBeDone || (refused && messages > 1)) return "unknown";
  return refused ? "rejected" : "unsent";
}

function unknownEventsError(failure: TransportError): TransportError {
  const { message, status, contentType, grpcStatus, retryAfterMs, serverMessage } = failure;
  const error = new TransportError(
    `${message} It is unknown whether the service accepted these events, and eventDelivery: "at-most-once" does not send them again.`,
    { status, contentType, grpcStatus, retryAfterMs, serverMessage, cause: failure },
  );
  return annotate(error, failure);
}
