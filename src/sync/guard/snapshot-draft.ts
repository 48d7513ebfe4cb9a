import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import type { CollectionLedger, LedgerDraft } from "../ledger/collection-ledger.js";
import type { Lines } from "../ledger/entry.js";
import type { History, PastSnapshot } from "../ledger/history.js";

/** The ids of a snapshot on their way to the ledger, if there is one: while one batch is written. */
export class SnapshotDraft {
  readonly #ledger: CollectionLedger | undefined;
  /** Fires when the batch has ended; then nothing more is saved. */
  readonly #ended: AbortSignal | undefined;
  #draft: LedgerDraft | undefined;

  constructor(ledger: CollectionLedger | undefined, ended?: AbortSignal) {
    this.#ledger = ledger;
    this.#ended = ended;
  }

  /**
   * Starts to store the ids.
   * @param token That of the batch.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async begin(token: string): Promise<void> {
    try {
      this.#draft = await this.#ledger?.draft(token);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** As {@link LedgerDraft.write}. */
  write(lines: Uint8Array, done: () => void): void {
    this.#draft?.write(lines, done);
  }

  async save(past: PastSnapshot | undefined): Promise<void> {
    try {
      this.#ended?.throwIfAborted();
      await this.#draft?.save(past);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** Reads the ids, when they were saved. */
  async *lines(): Lines {
    if (this.#draft !== undefined) yield* this.#draft.read();
  }

  async promote(history: History | undefined): Promise<void> {
    await this.#draft?.promote(history);
  }

  async discard(): Promise<void> {
    await this.#draft?.discard();
  }

  #unwritable(cause: unknown): SaasManagementError {
    if (cause instanceof SaasManagementError) return cause;
    return new ConfigurationError(
      `The ledger could not store the ids of ${this.#ledger?.scope.collection}; nothing was completed. See the error's cause. For a fileLedger, check its directory and the free disk space.`,
      { cause },
    );
  }
}
