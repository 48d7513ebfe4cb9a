import { lutimes, readdir } from "node:fs/promises";
import { join } from "node:path";
import { SyncProtocolError } from "../../errors.js";
import type { Logger } from "../../logger.js";
import { LEASE_MS } from "../lease.js";
import { entryName, type JournalEntry, type JournaledBatch, readEntry, writeEntry } from "./journal-entry.js";
import { acquire, breakLock, type HeldLock, lastSignOfLife, STALE_MS } from "./journal-lock.js";
import { isSurelyDead, ownIdentity } from "./journal-owner.js";
import { codeOf, makePrivateDirectory, removeFile } from "./private-files.js";

/** After so long without a sign of life a batch's lease has ended by itself. */
const FORGOTTEN_MS = LEASE_MS + STALE_MS;

/** How the orphans of an installation are ended. */
export interface Recovery extends Pick<JournaledBatch, "endpoint" | "installationId"> {
  /** Aborts a batch on the server. */
  readonly abort: (batchId: string) => Promise<void>;
}

/**
 * The batches that the runs of a directory have open, one file each: a process that was killed thereby ends its own
 * batch at its next start, in place of waiting until the lease is over.
 *
 * - An entry is locked as long as its run lives; the lock has a heartbeat of 15 seconds. Without one for 60 seconds the
 *   owner counts as dead. On the same Linux machine and in the same container its death shows at once.
 * - Only batches that stand in the journal are aborted, and only those of the same endpoint and installation.
 * - A suspended owner may be alive when it is taken for dead: the server refuses what it sends then, because its batch
 *   was aborted, and it erases nothing but its own entry.
 * - The journal only helps: where it cannot be written or read, that is logged, and the run goes on.
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
      this.#warn(
        "a batch could not be written down; if this process is killed its lock ends with the lease",
        {
          batchId,
          error,
        },
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
      this.#warn("the journal's entry of a batch could not be erased", { batchId: batch.batchId, error });
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
  async recover(recovery: Recovery): Promise<readonly string[]> {
    const aborted: string[] = [];
    for (const name of await this.#names()) {
      const path = join(this.#directory, name);
      try {
        if (!/^[0-9a-f]{64}\.json$/.test(name)) await this.#sweep(path, name);
        else aborted.push(...(await this.#recoverEntry(path, recovery)));
      } catch (error) {
        // One entry that is a link, or cannot be read, must not keep the others from being recovered.
        this.#warn("an entry of the journal cannot be used and is left alone", { path, error });
      }
    }
    return aborted;
  }

  async #recoverEntry(path: string, recovery: Recovery): Promise<readonly string[]> {
    const found = await readEntry(path);
    if (found.kind === "none" || found.kind === "foreign") return [];
    const lastSign = Math.max(found.writtenAt, (await lastSignOfLife(path)) ?? 0);
    const forgotten = Date.now() - lastSign > FORGOTTEN_MS;
    if (found.kind === "unusable") {
      this.#warn("an entry of the journal is damaged and is left alone", { path });
      if (forgotten) await this.#erase(path);
      return [];
    }
    const { entry } = found;
    if (entry.endpoint !== recovery.endpoint || entry.installationId !== recovery.installationId) return [];
    if (forgotten) {
      await this.#erase(path);
      return [];
    }
    return this.#open.has(path) ? [] : this.#recoverOrphan(path, entry, recovery);
  }

  async #recoverOrphan(
    path: string,
    { owner, batchId }: JournalEntry,
    { abort }: Recovery,
  ): Promise<string[]> {
    if (owner !== undefined && (await isSurelyDead(owner))) await breakLock(path);
    const lock = await acquire(path, () => {});
    if (lock === undefined) return [];
    try {
      // Its owner may have ended it while the lock was being got.
      if ((await readEntry(path)).kind !== "entry") return [];
      await abort(batchId).catch((error: unknown) => {
        if (!isOver(error)) throw error;
      });
      await removeFile(path);
      this.#logger.info("saas-management: the batch of a process that died was aborted", { batchId });
      return [batchId];
    } catch (error) {
      this.#warn("the batch of a process that died could not be aborted; its lock ends with the lease", {
        batchId,
        error,
      });
      return [];
    } finally {
      await lock.release();
    }
  }

  /** Removes what is left of entries: locks without one, and files that were not finished. */
  async #sweep(path: string, name: string): Promise<void> {
    const entry = /^([0-9a-f]{64}\.json)(\.lock|\.[0-9a-f]{12}\.tmp)$/.exec(name)?.[1];
    if (entry === undefined) return;
    const lock = join(this.#directory, entry);
    const lastSign = await lastSignOfLife(lock);
    if (lastSign !== undefined && Date.now() - lastSign <= FORGOTTEN_MS) return;
    if (name.endsWith(".tmp")) await removeFile(path);
    else if ((await readEntry(lock)).kind === "none") await breakLock(lock);
  }

  async #erase(path: string): Promise<void> {
    await removeFile(path);
    await breakLock(path);
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      this.#warn("the journal cannot be read; batches of processes that were killed end with their lease", {
        error,
      });
      return [];
    }
  }

  #pathOf(batch: JournaledBatch): string {
    return join(this.#directory, entryName(batch));
  }

  #warn(message: string, details: Readonly<Record<string, unknown>>): void {
    this.#logger.warn(`saas-management: ${message}`, details);
  }
}

/** Whether the service refuses to abort a batch because it has ended. */
function isOver(error: unknown): boolean {
  if (!(error instanceof SyncProtocolError)) return false;
  return error.grpcStatus === "NOT_FOUND" || error.grpcStatus === "FAILED_PRECONDITION";
}
