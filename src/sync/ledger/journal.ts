import { lutimes } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../core/logger.js";
import { entryName, type JournaledBatch, writeEntry } from "./journal-entry.js";
import { acquire, type HeldLock } from "./journal-lock.js";
import { ownIdentity } from "./journal-owner.js";
import { JournalRecovery, type Recovery } from "./journal-recovery.js";
import { makePrivateDirectory, removeFile } from "./private-files.js";

/**
 * The batches that the runs of a directory have open, one file each: a process that was killed thereby ends its own
 * batch at its next start, in place of waiting until the lease is over.
 *
 * - An entry is locked as long as its run lives; the lock has a heartbeat of 15 seconds. Without one for 60 seconds the
 *   owner counts as dead. On the same Linux machine and in the same container its death shows at once.
 * - Only batches that stand in the journal are aborted, and only those of the same endpoint and installation.
 * - A suspended owner may be alive when it is taken for dead: the server refuses what it sends then, because its batch
 *   was aborted, and it erases nothing but its own entry.
 * - The journal only helps: where it cannot be written or read, or does not answer, that is logged, and the run goes on.
 */
export class Journal {
  readonly #directory: string;
  readonly #logger: Logger;
  /** Entries of batches that this journal has open. */
  readonly #open = new Map<string, HeldLock>();

  /** @param directory Directory of the ledger; the entries are in `journal` in it. */
  constructor(directory: string, logger: Logger) {
    this.#directory = join(directory, "journal");
    this.#logger = logger;
  }

  /** A batch was started. */
  async opened(batch: JournaledBatch): Promise<void> {
    const entry = this.#pathOf(batch);
    const { batchId } = batch;
    let lock: HeldLock | undefined;
    try {
      await makePrivateDirectory(this.#directory);
      // Locked first: an entry without a lock is an orphan's.
      lock = await acquire(entry, () => {
        this.#logger.warn("saas-management: another process took this batch for an orphan and may abort it", {
          batchId,
        });
      });
      if (lock === undefined) return;
      await writeEntry(entry, { ...batch, owner: await ownIdentity() });
      this.#open.set(entry, lock);
    } catch (error) {
      await lock?.release();
      this.#logger.warn(
        "saas-management: a batch could not be written down; if this process is killed its lock ends with the lease",
        { batchId, error },
      );
    }
  }

  /** A batch has ended on the server. */
  async closed(batch: JournaledBatch): Promise<void> {
    const entry = this.#pathOf(batch);
    const lock = this.#open.get(entry);
    if (lock === undefined) return;
    this.#open.delete(entry);
    try {
      await removeFile(entry);
    } catch (error) {
      this.#logger.warn("saas-management: the journal's entry of a batch could not be erased", {
        batchId: batch.batchId,
        error,
      });
    }
    await lock.release();
  }

  /** A batch could not be aborted: its entry stays, for the next run. */
  async abandoned(batch: JournaledBatch): Promise<void> {
    const entry = this.#pathOf(batch);
    const lock = this.#open.get(entry);
    if (lock === undefined) return;
    this.#open.delete(entry);
    const now = new Date();
    await lutimes(entry, now, now).catch(() => {});
    await lock.release();
  }

  /**
   * Aborts the batches of an installation whose owners are dead.
   * @returns their ids. Never rejects.
   */
  recover(recovery: Recovery): Promise<readonly string[]> {
    const isOpen = (entry: string) => this.#open.has(entry);
    const entries = { directory: this.#directory, logger: this.#logger, isOpen };
    return new JournalRecovery(entries, recovery).run();
  }

  #pathOf(batch: JournaledBatch): string {
    return join(this.#directory, entryName(batch));
  }
}
