import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import type { CollectionLedger, LedgerDraft } from "../ledger/collection-ledger.js";
import type { Lines } from "../ledger/entry.js";
import type { History, PastSnapshot } from "../ledger/history.js";

/** The ids of a snapshot on their way to the ledger, if there is one: while one batch sends it. */
export class SnapshotDraft {
  readonly #ledger: CollectionLedger | undefined;
  #draft: LedgerDraft | undefined;

  constructor(ledger: CollectionLedger | undefined) {
    this.#ledger = ledger;
  }

  /**
   * Starts to store the ids.
   * @param token That of the batch.
   * @throws {ConfigurationError} the ledger cannot be written
   */
  async begin(token: string, lines: Lines, past: PastSnapshot | undefined): Promise<void> {
    try {
      this.#draft = await this.#ledger?.draft(token, lines, past);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  async save(): Promise<void> {
    try {
      await this.#draft?.save();
    } catch (error) {
      throw this.#unwritable(error);
    }
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
