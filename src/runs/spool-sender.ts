import { annotate } from "../core/errors/index.js";
import { meaningOfWrite } from "../sync/batch/batch-errors.js";
import type { BatchHandle } from "../sync/batch/sync-batch.js";
import { COLLECTIONS, type Collection } from "../sync/collections.js";
import { batchIdField } from "../sync/encoding/message-builder.js";
import type { SyncConfiguration } from "../sync/options.js";
import { counted } from "../sync/report-text.js";
import type { StoredMessage } from "../sync/transport.js";
import { uncountedError } from "../sync/write/window-sender.js";
import type { Spool, SpooledMessage } from "./spool.js";

/** Room for the id of the batch and what follows it, beside the records of a full message. */
const SPARE_BYTES = 64 * 1024;

type SendConfiguration = Pick<SyncConfiguration, "eventDelivery" | "messageBytes" | "sendWindowBytes">;

/**
 * Sends what a spool holds in a batch: snapshots as a whole, events without what an earlier batch of the run had accepted.
 * @throws the error of the first window that was not accepted
 * @throws {TransportError} the service counts after all, so that events which were left out may be lost
 */
export async function sendSpool(
  batch: BatchHandle,
  spool: Spool,
  configuration: SendConfiguration,
): Promise<void> {
  let isUnproven = false;
  for (const collection of spool.collections)
    if (!(await sendCollection(batch, spool, collection, configuration))) isUnproven = true;
  if (isUnproven && batch.acknowledgements.areCounted) throw uncountedError();
}

/** @returns false if events were left out that were acknowledged without a count */
async function sendCollection(
  batch: BatchHandle,
  spool: Spool,
  collection: Collection,
  configuration: SendConfiguration,
): Promise<boolean> {
  const all = spool.messages(collection);
  const { context, report, unlink } = await batch.openCollection(collection, recordsOf(all));
  const isEvents = COLLECTIONS[collection].model === "event";
  const mayBeRepeated = mayRepeat(collection, configuration);
  const reader = new SpoolReader(spool, all, batchIdField(batch.id), configuration);
  let isProven = true;
  let index = 0;
  let firstIndex = 0;
  try {
    // A window of events is one message, so that it is known of each message whether it was accepted.
    for (const window of windowsOf(all, isEvents ? 0 : configuration.sendWindowBytes)) {
      const messages = window.map(({ records }) => {
        const message = { bytes: reader.message(index), firstIndex, records };
        index += 1;
        firstIndex += records;
        return message;
      });
      const { areCounted } = batch.acknowledgements;
      const isAccepted = window.every((message) => message.isAccepted && (message.isCounted || !areCounted));
      if (isEvents && (isAccepted || (!mayBeRepeated && window.some(({ isUnclear }) => isUnclear)))) {
        if (isAccepted) report.alreadyAccepted += recordsOf(window);
        if (isAccepted && window.some(({ isCounted }) => !isCounted)) isProven = false;
        continue;
      }
      try {
        await context.send(messages);
      } catch (error) {
        const isUnclear = report.ranges.at(-1)?.outcome === "unknown";
        for (const message of window) message.isUnclear ||= isUnclear;
        throw annotate(meaningOfWrite("write", error), { outcomes: report.ranges });
      }
      const isCounted = batch.acknowledgements.areCounted;
      for (const message of window) Object.assign(message, { isAccepted: true, isCounted });
    }
    return isProven;
  } finally {
    unlink();
  }
}

/** Windows of at most so many bytes, or of one message. */
function* windowsOf(
  messages: readonly SpooledMessage[],
  windowBytes: number,
): Generator<readonly SpooledMessage[]> {
  let window: SpooledMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    if (window.length > 0 && bytes + message.length > windowBytes) {
      yield window;
      window = [];
      bytes = 0;
    }
    window.push(message);
    bytes += message.length;
  }
  if (window.length > 0) yield window;
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

/** Reports events whose acceptance is unknown; they are not sent again. */
export function unclearEvents(spool: Spool): readonly string[] {
  return spool.collections.flatMap((collection) => {
    const unclear = spool
      .messages(collection)
      .filter(({ isAccepted, isUnclear }) => isUnclear && !isAccepted);
    const records = counted(recordsOf(unclear), "record");
    return unclear.length === 0
      ? []
      : [
          `it is not known whether the service accepted ${records} of ${collection}, and eventDelivery: "at-most-once" does not send them again`,
        ];
  });
}

interface ReadMessage {
  readonly buffer: Buffer;
  readonly length: number;
}

/** A message that is read before anybody asks for it. */
interface Ahead {
  readonly index: number;
  readonly read: Promise<ReadMessage>;
  /** The buffer of the message before it, which was sent when this one is asked for. */
  readonly last: Buffer;
}

/**
 * Reads the messages of a collection in order, the next one while the last one is sent: in two buffers that are used
 * again, since what lies outside of the heap makes the collector walk all of it.
 */
class SpoolReader {
  readonly #spool: Spool;
  readonly #messages: readonly SpooledMessage[];
  readonly #batchId: Buffer;
  readonly #messageBytes: number;
  #ahead: Ahead | undefined;

  /** @param batchId The field that begins each message. */
  constructor(
    spool: Spool,
    messages: readonly SpooledMessage[],
    batchId: Buffer,
    { messageBytes }: Pick<SyncConfiguration, "messageBytes">,
  ) {
    this.#spool = spool;
    this.#messages = messages;
    this.#batchId = batchId;
    this.#messageBytes = messageBytes;
  }

  message(index: number): StoredMessage {
    const length = this.#batchId.length + (this.#messages[index]?.length ?? 0);
    return { length, load: () => this.#load(index) };
  }

  async #load(index: number): Promise<Buffer> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    // Another attempt begins with other buffers: the one before may still use its own.
    const { read, last } = ahead?.index === index ? ahead : { read: this.#read(index), last: undefined };
    const { buffer, length } = await read;
    if (index + 1 < this.#messages.length) {
      const next = this.#read(index + 1, last);
      // Whoever asks for that message gets the error.
      next.catch(() => {});
      this.#ahead = { index: index + 1, read: next, last: buffer };
    }
    return buffer.subarray(0, length);
  }

  async #read(index: number, into?: Buffer): Promise<ReadMessage> {
    const message = this.#messages[index];
    if (message === undefined) throw new RangeError(`There is no message ${index}.`);
    const bodyStart = this.#batchId.length;
    const length = bodyStart + message.length;
    const buffer = into !== undefined && into.length >= length ? into : this.#newBuffer(length);
    this.#batchId.copy(buffer);
    await this.#spool.read(message, buffer, bodyStart);
    return { buffer, length };
  }

  #newBuffer(length: number): Buffer {
    // Most runs are small.
    const isSmall = length < this.#messageBytes / 2;
    return Buffer.allocUnsafeSlow(isSmall ? length : Math.max(length, this.#messageBytes + SPARE_BYTES));
  }
}
