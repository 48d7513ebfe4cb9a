import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SyncProtocolError } from "../../core/errors/index.js";
import type { Logger } from "../../core/logger.js";
import { hasEnded } from "../call.js";
import { LEASE_MS } from "../lease.js";
import { type JournalEntry, type JournaledBatch, readEntry } from "./journal-entry.js";
import { acquire, breakLock, lastSignOfLife, STALE_MS } from "./journal-lock.js";
import { isSurelyDead } from "./journal-owner.js";
import { codeOf, removeFile } from "./private-files.js";

/** After so long without a sign of life a batch's lease has ended by itself. */
const FORGOTTEN_MS = LEASE_MS + STALE_MS;

/** States of a batch that has ended, as the service tells them. */
const ENDED = ["completed", "aborted", "expired"] as const;

/** How the orphans of an installation are ended. */
export interface Recovery extends Pick<JournaledBatch, "endpoint" | "installationId"> {
  /** Aborts a batch on the server. */
  readonly abort: (batchId: string) => Promise<void>;
}

/** The entries that a recovery goes through. */
export interface JournalEntries {
  readonly directory: string;
  readonly logger: Logger;
  /** Whether this journal itself has the batch of the entry open. */
  readonly isOpen: (entry: string) => boolean;
}

/** One walk through a journal's entries: ends the batches of dead owners, and removes what is left of entries. */
export class JournalRecovery {
  readonly #directory: string;
  readonly #logger: Logger;
  readonly #isOpen: (entry: string) => boolean;
  readonly #recovery: Recovery;

  constructor({ directory, logger, isOpen }: JournalEntries, recovery: Recovery) {
    this.#directory = directory;
    this.#logger = logger;
    this.#isOpen = isOpen;
    this.#recovery = recovery;
  }

  /** @returns the ids of the batches that were aborted. Never rejects. */
  async run(): Promise<readonly string[]> {
    const aborted: string[] = [];
    for (const name of await this.#names()) {
      const path = join(this.#directory, name);
      try {
        if (!/^[0-9a-f]{64}\.json$/.test(name)) await this.#sweep(path, name);
        else aborted.push(...(await this.#recoverEntry(path)));
      } catch (error) {
        // One entry that is a link, or cannot be read, must not keep the others from being recovered.
        this.#logger.warn("saas-management: an entry of the journal cannot be used and is left alone", {
          path,
          error,
        });
      }
    }
    return aborted;
  }

  async #recoverEntry(path: string): Promise<readonly string[]> {
    const found = await readEntry(path);
    if (found.kind === "none" || found.kind === "foreign") return [];
    const lastSign = Math.max(found.writtenAt, (await lastSignOfLife(path)) ?? 0);
    const forgotten = Date.now() - lastSign > FORGOTTEN_MS;
    if (found.kind === "unusable") {
      this.#logger.warn("saas-management: an entry of the journal is damaged and is left alone", { path });
      if (forgotten) await this.#erase(path);
      return [];
    }
    const { entry } = found;
    const { endpoint, installationId } = this.#recovery;
    if (entry.endpoint !== endpoint || entry.installationId !== installationId) return [];
    if (forgotten) {
      await this.#erase(path);
      return [];
    }
    return this.#isOpen(path) ? [] : this.#recoverOrphan(path, entry);
  }

  async #recoverOrphan(path: string, { owner, batchId }: JournalEntry): Promise<readonly string[]> {
    if (owner !== undefined && (await isSurelyDead(owner))) await breakLock(path);
    const lock = await acquire(path, () => {});
    if (lock === undefined) return [];
    try {
      // Its owner may have ended it while the lock was being got.
      if ((await readEntry(path)).kind !== "entry") return [];
      const over = await this.#abort(batchId);
      await removeFile(path);
      if (over !== undefined) {
        this.#tellOver(batchId, over);
        return [];
      }
      this.#logger.info("saas-management: the batch of a process that died was aborted", { batchId });
      return [batchId];
    } catch (error) {
      this.#logger.warn(
        "saas-management: the batch of a process that died could not be aborted; its lock ends with the lease",
        { batchId, error },
      );
      return [];
    } finally {
      await lock.release();
    }
  }

  /** Resolves with what the service said where it refused, because the batch had ended before. */
  async #abort(batchId: string): Promise<SyncProtocolError | undefined> {
    try {
      await this.#recovery.abort(batchId);
      return undefined;
    } catch (error) {
      if (hasEnded(error)) return error;
      throw error;
    }
  }

  /** The process may have died after its completion: only what the service says is told. */
  #tellOver(batchId: string, { batchState: told }: SyncProtocolError): void {
    const batchState = ENDED.find((state) => state === told) ?? "unknown";
    this.#logger.info("saas-management: the batch of a process that died had ended before it was aborted", {
      batchId,
      batchState,
    });
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
      this.#logger.warn(
        "saas-management: the journal cannot be read; batches of processes that were killed end with their lease",
        { error },
      );
      return [];
    }
  }
}
