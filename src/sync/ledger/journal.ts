import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/clock.js";
import type { Logger } from "../../core/hooks.js";
import { withinGrace } from "../cleanup-grace.js";
import {
  entryName,
  HEARTBEAT_MS,
  isOrphan,
  isOutdated,
  readEntry,
  STALE_MS,
  setHeartbeat,
  writeEntry,
} from "./journal-entry.js";
import { codeOf, makePrivateDirectory, removeFile } from "./private-files.js";

/** What a journal needs. */
export interface JournalOptions {
  /** Directory of the ledger; undefined if it has none, and then nothing is written. */
  readonly directory: string | undefined;
  readonly endpoint: string;
  readonly installationId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Ends a batch on the service.
 * @returns its state: `aborted`, or what the service says if it had ended before
 */
export type EndBatch = (batchId: string) => Promise<string>;

/** Entries of batches that runs of this process have open. They are alive even if a heartbeat was late. */
const OPEN = new Set<string>();

/**
 * The open batches of a directory's runs, one file each, so that the next run can abort the batch of a process that was
 * killed instead of waiting for the end of its lease.
 *
 * - Only batches of the journal are aborted, and only those of the same endpoint and installation.
 * - A suspended owner is considered dead. When it wakes up, the service refuses its messages: its batch was aborted.
 * - The journal only helps: if it fails or does not answer within 5 seconds, a warning is logged and the run goes on.
 */
export class Journal {
  readonly #options: JournalOptions;
  #path: string | undefined;
  #opening: Promise<void> = Promise.resolve();
  #stopHeartbeat: () => void = () => {};
  #recovering: Promise<void> | undefined;
  #answers: boolean;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#answers = options.directory !== undefined;
  }

  /** Notes a batch that was started. Never rejects. */
  opened(batchId: string): Promise<void> {
    this.#opening = this.#attempt("could not note a batch", { batchId }, async (over) => {
      const { endpoint, installationId, clock } = this.#options;
      await makePrivateDirectory(this.#directory);
      const path = this.#entry(batchId);
      await writeEntry(path, { endpoint, installationId, batchId }, clock.now());
      // Without a heartbeat, another process would take the batch for an orphan.
      if (over.aborted) return removeFile(path);
      OPEN.add(path);
      this.#path = path;
      this.#beat(path, batchId);
    });
    return this.#opening;
  }

  /**
   * Notes that the batch of the last `opened` has ended. Never rejects.
   * @param isReleased whether the service is known to have ended it; otherwise the next run aborts it
   */
  async ended(batchId: string, isReleased: boolean): Promise<void> {
    await this.#opening;
    const path = this.#path;
    if (path === undefined) return;
    this.#path = undefined;
    this.#stopHeartbeat();
    await this.#attempt("could not note the end of a batch", { batchId }, async () => {
      if (isReleased) await removeFile(path);
      else await setHeartbeat(path, this.#options.clock.now() - STALE_MS);
    });
    OPEN.delete(path);
  }

  /** Aborts the batches of dead processes. Never rejects; takes at most 5 seconds and the time of the aborts. */
  recover(endBatch: EndBatch): Promise<void> {
    this.#recovering ??= this.#recover(endBatch).finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  async #recover(endBatch: EndBatch): Promise<void> {
    const { logger } = this.#options;
    const orphans: { readonly path: string; readonly batchId: string }[] = [];
    await this.#attempt("could not be read", {}, async () => {
      for (const name of await this.#names()) {
        const path = join(this.#directory, name);
        const batchId = await this.#orphanOf(path);
        if (batchId !== undefined) orphans.push({ path, batchId });
      }
    });
    for (const { path, batchId } of orphans) {
      try {
        const batchState = await endBatch(batchId);
        logger.info("saas-management: ended the batch of a process that died", { batchId, batchState });
      } catch (error) {
        logger.warn(
          "saas-management: could not abort the batch of a process that died; its lock ends with the lease",
          { batchId, error },
        );
        continue;
      }
      await this.#attempt("could not remove the entry of a batch", { batchId }, () => removeFile(path));
    }
  }

  /** The batch of an entry whose process is dead. Removes entries that are outdated. */
  async #orphanOf(path: string): Promise<string | undefined> {
    const { endpoint, installationId, clock, logger } = this.#options;
    try {
      const entry = await readEntry(path);
      if (entry === undefined || OPEN.has(path)) return undefined;
      const { heartbeat, content } = entry;
      const now = clock.now();
      if (isOutdated(heartbeat, now)) return void (await removeFile(path));
      if (content === undefined) throw new Error("the entry is damaged");
      const isOwn = content.endpoint === endpoint && content.installationId === installationId;
      return isOwn && isOrphan(content, heartbeat, now) ? content.batchId : undefined;
    } catch (error) {
      logger.warn("saas-management: ignored an unusable entry of the journal", { path, error });
      return undefined;
    }
  }

  #beat(path: string, batchId: string): void {
    const { clock, logger } = this.#options;
    const beat = async () => {
      try {
        await setHeartbeat(path, clock.now());
      } catch (error) {
        if (this.#path !== path || codeOf(error) !== "ENOENT") return;
        logger.warn("saas-management: another process considered this run dead and may abort its batch", {
          batchId,
        });
        return;
      }
      if (this.#path === path) this.#beat(path, batchId);
    };
    this.#stopHeartbeat = clock.after(HEARTBEAT_MS, () => void beat());
  }

  /** A journal that does not answer once is not used again: each call would block a thread of the process. */
  async #attempt(
    failure: string,
    details: { readonly batchId?: string },
    step: (over: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (!this.#answers) return;
    const { clock, logger } = this.#options;
    try {
      await withinGrace(clock, async (over) => {
        over.addEventListener("abort", () => {
          this.#answers = false;
        });
        await step(over);
      });
    } catch (error) {
      logger.warn(
        `saas-management: the journal ${failure}; if this process is killed, the lock of its batch ends with the lease`,
        { ...details, error },
      );
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#directory)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  get #directory(): string {
    return join(this.#options.directory ?? "", "journal");
  }

  #entry(batchId: string): string {
    return join(this.#directory, entryName({ endpoint: this.#options.endpoint, batchId }));
  }
}
