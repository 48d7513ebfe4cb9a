import { annotate } from "../../core/errors/index.js";
import { meaningOfWrite } from "../batch/batch-errors.js";
import type { BatchHandle } from "../batch/sync-batch.js";
import { COLLECTIONS, type Collection } from "../collections.js";
import { batchIdField } from "../encoding/message-builder.js";
import type { SyncConfiguration } from "../options.js";
import { uncountedError } from "../write/window-sender.js";
import type { Spool, SpooledMessage } from "./spool.js";

type SendConfiguration = Pick<
  SyncConfiguration,
  "clock" | "eventDelivery" | "messageBytes" | "sendWindowBytes" | "windowBytes"
>;

/** A window that takes so long, in milliseconds, goes over a slow link: larger ones wait less for acknowledgements there. */
const SLOW_MS = 200;
/** Two of them are in memory on a fast link. */
const FAST_WINDOW_BYTES = 4 * 1024 * 1024;
/** Room for the id of the batch and what follows it, beside the records of a full message. */
const SPARE_BYTES = 64 * 1024;

/**
 * Sends what a spool holds in a batch: snapshots as a whole, events without what an earlier batch of the run had accepted.
 * @throws the error of the first window that was not accepted
 */
export async function sendSpool(
  batch: BatchHandle,
  spool: Spool,
  configuration: SendConfiguration,
): Promise<void> {
  const sender = new SpoolSender(batch, spool, configuration);
  for (const collection of spool.collections) await sender.send(collection);
  sender.requireProven();
}

class SpoolSender {
  readonly #batch: BatchHandle;
  readonly #spool: Spool;
  readonly #configuration: SendConfiguration;
  readonly #batchId: Buffer;
  /** Buffers of windows that were accepted. */
  readonly #free: Buffer[] = [];
  #isSlow = false;
  /** Whether events were left out that were acknowledged without a count. */
  #isUnproven = false;

  constructor(batch: BatchHandle, spool: Spool, configuration: SendConfiguration) {
    this.#batch = batch;
    this.#spool = spool;
    this.#configuration = configuration;
    this.#batchId = batchIdField(batch.id);
  }

  /** Reads the next window while the last one is on its way, unless the link is slow: then reading takes no time. */
  async send(collection: Collection): Promise<void> {
    const all = this.#spool.messages(collection);
    const { context, report, unlink } = await this.#batch.openCollection(collection, recordsOf(all));
    const isEvents = COLLECTIONS[collection].model === "event";
    const mayBeRepeated = mayRepeat(collection, this.#configuration);
    let index = 0;
    let sending: Promise<void> = Promise.resolve();
    try {
      for (const window of this.#windowsOf(all, isEvents)) {
        const firstIndex = index;
        index += recordsOf(window);
        const { areCounted } = this.#batch.acknowledgements;
        const isAccepted = window.every(
          (message) => message.isAccepted && (message.isCounted || !areCounted),
        );
        if (isEvents && (isAccepted || (!mayBeRepeated && window.some(({ isUnclear }) => isUnclear)))) {
          if (isAccepted) report.alreadyAccepted += recordsOf(window);
          this.#isUnproven ||= isAccepted && window.some(({ isCounted }) => !isCounted);
          continue;
        }
        if (this.#isSlow) await sending;
        const messages = await this.#read(window, firstIndex);
        await sending;
        const { clock } = this.#configuration;
        const since = clock.monotonic();
        sending = context.send(messages).then(
          () => {
            this.#isSlow = clock.monotonic() - since > SLOW_MS;
            const isCounted = this.#batch.acknowledgements.areCounted;
            for (const message of window) Object.assign(message, { isAccepted: true, isCounted });
            for (const { buffer } of messages) this.#free.push(buffer);
          },
          (error: unknown) => {
            const isUnclear = report.ranges.at(-1)?.outcome === "unknown";
            for (const message of window) message.isUnclear ||= isUnclear;
            throw annotate(meaningOfWrite("write", error), { outcomes: report.ranges });
          },
        );
        // Awaited with the next window.
        sending.catch(() => {});
      }
      await sending;
    } finally {
      unlink();
    }
  }

  /** @throws {TransportError} the service counts after all, so that events which were left out may be lost */
  requireProven(): void {
    if (this.#isUnproven && this.#batch.acknowledgements.areCounted) throw uncountedError();
  }

  /** A window of events is one message, so that it is known of each message whether it was accepted. */
  *#windowsOf(messages: readonly SpooledMessage[], isEvents: boolean): Generator<readonly SpooledMessage[]> {
    const { sendWindowBytes, windowBytes } = this.#configuration;
    let window: SpooledMessage[] = [];
    let bytes = 0;
    for (const message of messages) {
      const most = this.#isSlow ? sendWindowBytes : Math.min(windowBytes, FAST_WINDOW_BYTES);
      if (window.length > 0 && (isEvents || bytes + message.length > most)) {
        yield window;
        window = [];
        bytes = 0;
      }
      window.push(message);
      bytes += message.length;
    }
    if (window.length > 0) yield window;
  }

  async #read(window: readonly SpooledMessage[], firstIndex: number) {
    const read = [];
    let index = firstIndex;
    for (const message of window) {
      const { records, length } = message;
      const bodyStart = this.#batchId.length;
      const buffer = this.#bufferFor(bodyStart + length);
      this.#batchId.copy(buffer);
      await this.#spool.read(message, buffer, bodyStart);
      const bytes = buffer.subarray(0, bodyStart + length);
      read.push({ bytes, bodyStart, firstIndex: index, records, buffer });
      index += records;
    }
    return read;
  }

  #bufferFor(length: number): Buffer {
    const free = this.#free.pop();
    if (free !== undefined && free.length >= length) return free;
    const { messageBytes } = this.#configuration;
    // Most runs are small.
    const isSmall = length < messageBytes / 2;
    return Buffer.allocUnsafeSlow(isSmall ? length : Math.max(length, messageBytes + SPARE_BYTES));
  }
}

function recordsOf(messages: readonly SpooledMessage[]): number {
  return messages.reduce((sum, { records }) => sum + records, 0);
}

/** Events without an id count twice if they arrive twice, so `eventDelivery: "at-most-once"` never sends them again. */
function mayRepeat(
  collection: Collection,
  { eventDelivery }: Pick<SyncConfiguration, "eventDelivery">,
): boolean {
  return COLLECTIONS[collection].idField !== undefined || eventDelivery === "at-least-once";
}

/** Whether something was sent that must not be sent again. */
export function hasSentOnce(spool: Spool, configuration: Pick<SyncConfiguration, "eventDelivery">): boolean {
  return spool.collections.some(
    (collection) =>
      !mayRepeat(collection, configuration) &&
      spool.messages(collection).some(({ isAccepted, isUnclear }) => isAccepted || isUnclear),
  );
}

/** Number of events of each collection of which nobody knows whether they were accepted, and that are not sent again. */
export function unclearEvents(spool: Spool): readonly { collection: Collection; records: number }[] {
  return spool.collections.flatMap((collection) => {
    const messages = spool.messages(collection);
    const records = recordsOf(messages.filter(({ isAccepted, isUnclear }) => isUnclear && !isAccepted));
    return records === 0 ? [] : [{ collection, records }];
  });
}
