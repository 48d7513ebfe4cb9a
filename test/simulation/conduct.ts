import { SyncRecordsRequest } from "../../src/sync/generated/saas_management/sync/v1/sync_service.js";
import { readMessage, type SentMessage } from "./messages.js";

/** The service takes smaller messages only. */
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/** A stream of records as its client sees it. */
export interface SentStream {
  readonly batchId: string;
  readonly messages: readonly SentMessage[];
  /** Number of records in all messages. */
  readonly records: number;
  /** The service said no, and will do so again. */
  refused(): void;
  /** The client takes it for ended. */
  ended(): void;
}

/** Looks on at what a client sends. */
export class Conduct {
  /** What it must not do, and did. */
  readonly misdeeds: string[] = [];
  readonly #refused = new Set<string>();
  readonly #open = new Map<string, number>();

  /** A stream is opened. */
  stream(encoded: readonly Uint8Array[]): SentStream {
    // What is on its way is on its way: later changes to the sender's memory must not reach it.
    const messages = encoded.map((bytes) => readMessage(SyncRecordsRequest.decode(bytes.slice())));
    const [first] = messages;
    const batchId = first?.batchId ?? "";
    const label = first?.message.labels[0];
    const what = `${batchId} ${label}`;
    if (encoded.some(({ length }) => length >= MESSAGE_LIMIT_BYTES)) this.misdeeds.push(`${what}: too large`);
    // Windows without a record are all alike: two of them are no repetition.
    if (label !== undefined && this.#refused.has(what))
      this.misdeeds.push(`${what}: sent again after it was refused for good`);
    const open = (this.#open.get(batchId) ?? 0) + 1;
    this.#open.set(batchId, open);
    if (open > 1) this.misdeeds.push(`${what}: ${open} streams of one batch at the same time`);
    return {
      batchId,
      messages,
      records: messages.reduce((sum, { message }) => sum + message.keys.length, 0),
      refused: () => void this.#refused.add(what),
      ended: () => void this.#open.set(batchId, (this.#open.get(batchId) ?? 1) - 1),
    };
  }
}
