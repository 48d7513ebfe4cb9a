import { status } from "@grpc/grpc-js";
import type { ApiKey } from "../keys.js";
import { authorize } from "./authorize.js";
import type { Batch } from "./batch.js";
import { decodeRecordsMessage } from "./message.js";
import { Refusal } from "./refusal.js";
import type { SyncState } from "./sync-state.js";

/** One call of SyncRecords: its messages are applied one by one, and what was applied stays. */
export class RecordStream {
  readonly #state: SyncState;
  readonly #key: ApiKey;
  readonly #number: number;
  #batch: Batch | undefined;
  #accepted = 0;

  /** @param number Position in the order in which streams were opened, from 1. */
  constructor(state: SyncState, key: ApiKey, number: number) {
    this.#state = state;
    this.#key = key;
    this.#number = number;
  }

  /** Records that were applied, over all messages. */
  get accepted(): number {
    return this.#accepted;
  }

  /**
   * Applies one message, or refuses it and changes nothing.
   * @param bytes The encoded SyncRecordsRequest.
   */
  apply(bytes: Uint8Array): void {
    authorize(this.#key);
    const { batchId, collection } = decodeRecordsMessage(bytes);
    const found = this.#state.find(batchId, this.#key.workspace);
    const { batch } = found;
    if (this.#batch !== undefined && this.#batch !== batch) {
      throw new Refusal(
        status.INVALID_ARGUMENT,
        "The messages of one stream belong to one batch, and this one names another `batch_id`.",
      );
    }
    this.#batch = batch;
    this.#state.write(found, this.#number, collection);
    this.#accepted += collection.value.records.length;
  }

  /** The call has ended, in whatever way: its batch may be completed. */
  close(): void {
    if (this.#batch !== undefined) this.#state.endStream(this.#batch, this.#number);
  }
}
