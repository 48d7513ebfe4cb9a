import { InvalidInputError } from "../core/errors/index.js";
import type { BatchHandle } from "../sync/batch/handle.js";
import { COLLECTIONS, type Collection } from "../sync/collections.js";
import { batchIdField } from "../sync/encoding/message-builder.js";
import type { SyncConfiguration } from "../sync/options.js";
import type { StoredMessage } from "../sync/transport.js";
import { WindowQueue } from "../sync/write/window-queue.js";
import type { WindowMessage } from "../sync/write/window-sender.js";
import type { Spool, SpooledMessage } from "./spool.js";

/** The longest delay that a timer accepts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Room for the batch's id and what follows it, in addition to the records of a full message. */
const SPARE_BYTES = 64 * 1024;

type SendConfiguration = Pick<SyncConfiguration, "maxMessageBytes" | "messageBytes" | "sendWindowBytes">;

/**
 * Sends a spool's content in a batch: snapshots in full, and events unless the service accepted them in an earlier
 * batch of the run.
 * @throws {InvalidInputError} the batch's id makes a message too large; nothing was sent
 * @throws the error of the first window that was not accepted
 */
export async function sendSpool(
  batch: BatchHandle,
  spool: Spool,
  configuration: SendConfiguration,
): Promise<void> {
  requireRoom(spool, batchIdField(batch.id).length, configuration);
  for (const collection of spool.collections) await sendCollection(batch, spool, collection, configuration);
}

async function sendCollection(
  batch: BatchHandle,
  spool: Spool,
  collection: Collection,
  configuration: SendConfiguration,
): Promise<void> {
  const all = spool.messages(collection);
  const { context, report, unlink } = batch.openCollection(collection, recordsOf(all));
  const isEvents = COLLECTIONS[collection].model === "event";
  const stored = readerOf(spool, batchIdField(batch.id), configuration);
  const accepted = ({ kept }: KeptMessage) => {
    kept.isAccepted = true;
  };
  // All records are in the spool already, so no timer needs to send a window early.
  const windows = { windowBytes: configuration.sendWindowBytes, flushAfterMs: LONGEST_TIMER_MS };
  const queue = new WindowQueue<KeptMessage>({ ...context, ...windows }, { accepted });
  let firstIndex = 0;
  try {
    for (const [index, kept] of all.entries()) {
      const { records } = kept;
      if (isEvents && kept.isAccepted) report.alreadyAccepted += records;
      else await queue.put({ bytes: stored(index, kept), firstIndex, records, kept });
      firstIndex += records;
    }
    await queue.finish();
  } finally {
    queue.close();
    unlink();
  }
}

interface KeptMessage extends WindowMessage {
  readonly kept: SpooledMessage;
}

/** Checks the sizes here, because they depend on the id of the batch. */
function requireRoom(spool: Spool, idBytes: number, { maxMessageBytes }: SendConfiguration): void {
  for (const collection of spool.collections) {
    const tooLarge = spool.messages(collection).find(({ length }) => idBytes + length > maxMessageBytes);
    if (tooLarge !== undefined)
      throw new InvalidInputError(
        `A message of ${collection} has ${idBytes + tooLarge.length} bytes with the id of its batch, more than maxSendMessageBytes (${maxMessageBytes}). Nothing was sent; raise maxSendMessageBytes if possible, or shorten the largest record.`,
      );
  }
}

function recordsOf(messages: readonly SpooledMessage[]): number {
  return messages.reduce((sum, { records }) => sum + records, 0);
}

/** Reads messages as they are sent, in order. */
function readerOf(spool: Spool, batchId: Buffer, { messageBytes }: SendConfiguration) {
  // Two buffers take turns, because allocating outside the heap triggers full garbage collections.
  let buffers: Buffer[] = [];
  let next = 0;
  return (index: number, kept: SpooledMessage): StoredMessage => {
    const length = batchId.length + kept.length;
    const load = async () => {
      // Another attempt gets new buffers, because the previous one may still use its own.
      if (index !== next) buffers = [];
      next = index + 1;
      const used = buffers[index % 2];
      const buffer = used !== undefined && used.length >= length ? used : newBuffer(length, messageBytes);
      buffers[index % 2] = buffer;
      batchId.copy(buffer);
      await spool.read(kept, buffer, batchId.length);
      return buffer.subarray(0, length);
    };
    return { length, load };
  };
}

function newBuffer(length: number, messageBytes: number): Buffer {
  // Most runs are small.
  const isSmall = length < messageBytes / 2;
  return Buffer.allocUnsafeSlow(isSmall ? length : Math.max(length, messageBytes + SPARE_BYTES));
}
