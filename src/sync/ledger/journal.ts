import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.js";
import { annotate, BatchInProgressError, TimeoutError } from "../../core/errors/index.js";
import type { Logger } from "../../core/hooks.js";
import { withinGrace } from "../call.js";
import { LEASE_MS } from "../lease.js";
import { folderOf, listKeys } from "./entries.js";
import type { LedgerParts } from "./ledger.js";
import { isGone, putOwned, readOwned, STALE_MS } from "./owner.js";
import { PreparedStarts } from "./prepared-starts.js";
import type { Store } from "./store.js";

const HEARTBEAT_MS = 2500;

export interface JournalOptions {
  /** Undefined if the run has no ledger; then nothing is noted. */
  readonly ledger: LedgerParts | undefined;
  readonly endpoint: string;
  readonly installationId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Ends a batch on the service. @returns its state: `aborted`, or what the service says if it had ended before */
export type EndBatch = (batchId: string) => Promise<string>;

/** Batches that runs of this process have open. They are alive even if a heartbeat was late. */
const OPEN = new Set<string>();

/**
 * The open batches of an installation's runs, so that the next run can abort the batch of a process that was killed
 * instead of waiting for the end of its lease. An entry has the key `journal.<hash of the batch>.<heartbeat>`, whose
 * latest heartbeat counts, and names its owner.
 *
 * - Only batches of the journal are aborted, and only those of the same endpoint and installation.
 * - A suspended owner is considered dead. When it wakes up, the service refuses its messages: its batch was aborted.
 * - A start is noted before it is sent, see {@link PreparedStarts}.
 * - The journal only helps: if it fails or does not answer within 5 seconds, a warning is logged and the run goes on.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #starts: PreparedStarts;
  #open: string | undefined;
  /** The only key of the open batch, until its first heartbeat. */
  #firstKey: string | undefined;
  #opening: Promise<void> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #stopHeartbeat: () => void = () => {};
  #recovering: Promise<void> | undefined;
  #answers = true;
  #warned = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#starts = new PreparedStarts(folderOf(options), options.clock);
  }

  /**
   * Notes that StartSyncBatch is sent next. Never rejects.
   * @returns forgets it: the batch was not started, or was aborted
   */
  readonly noteStart = async (): Promise<() => Promise<void>> => {
    await this.#attempt("could not note a start", {}, (store) => this.#starts.prepare(store));
    return () => this.#forgetStart();
  };

  readonly startEndsInMs = (): number => this.#starts.endsInMs;

  /** Returns an error that tells which start of another process may hold the lock; otherwise the same error. */
  explain(error: unknown): unknown {
    const left = this.#starts.describeLeft();
    if (left === undefined || !(error instanceof BatchInProgressError)) return error;
    const { installationId, serverMessage, waitedMs, mayBeOwn, cause } = error;
    const details = {
      installationId,
      serverMessage,
      waitedMs,
      mayBeOwn,
      ...(cause !== undefined && { cause }),
    };
    return annotate(new BatchInProgressError(`${error.message} ${left}`, details), error);
  }

  /** Warns once which start of another process the run may wait for. */
  warnOfStart(): void {
    const left = this.#starts.describeLeft();
    if (left === undefined || this.#warned) return;
    this.#warned = true;
    this.#options.logger.warn(`saas-management: waiting for the lock. ${left}`);
  }

  opened(batchId: string): Promise<void> {
    this.#opening = this.#attempt("could not note a batch", { batchId }, async (store, over) => {
      const hash = this.#hash(batchId);
      this.#firstKey = undefined;
      this.#firstKey = await this.#renew(store, batchId, []);
      // Without a heartbeat, another process would take the batch for an orphan.
      if (over.aborted) return this.#erase(store, hash);
      OPEN.add(hash);
      this.#open = hash;
      this.#keepBeating(store, batchId);
      await this.#starts.forget(store);
      await this.#starts.forgetLeft(store);
    });
    return this.#opening;
  }

  /**
   * Notes that the batch of the last `opened` has ended. Never rejects.
   * @param isReleased whether the service is known to have ended it; otherwise the next run aborts it
   */
  async ended(batchId: string, isReleased: boolean): Promise<void> {
    await this.#opening;
    if (isReleased) await this.#forgetStart();
    const hash = this.#open;
    if (hash === undefined) return;
    this.#open = undefined;
    this.#stopHeartbeat();
    await this.#attempt("could not note the end of a batch", { batchId }, async (store) => {
      await this.#beating;
      const keys = this.#firstKey === undefined ? await this.#keysOf(store, hash) : [this.#firstKey];
      if (isReleased) for (const key of keys) await store.delete(key);
      else await this.#renew(store, batchId, keys, STALE_MS);
    });
    OPEN.delete(hash);
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
    const orphans: string[] = [];
    await this.#attempt("could not be read", {}, async (store, _, ledger) => {
      const keys = await this.#keysOf(store);
      await this.#starts.read(ledger, keys);
      for (const [hash, heartbeat] of heartbeatsOf(keys)) {
        const batchId = OPEN.has(hash) ? undefined : await this.#orphanOf(ledger, hash, heartbeat);
        if (batchId !== undefined) orphans.push(batchId);
      }
    });
    for (const batchId of orphans) {
      try {
        const batchState = await endBatch(batchId);
        logger.info("saas-management: ended the batch of a process that died", { batchId, batchState });
      } catch (error) {
        // A service that does not answer is named by the call itself.
        if (!(error instanceof TimeoutError))
          logger.warn(
            "saas-management: could not abort the batch of a process that died; its lock ends with the lease",
            { batchId, error },
          );
        continue;
      }
      const erase = (store: Store) => this.#erase(store, this.#hash(batchId));
      await this.#attempt("could not remove the entry of a batch", { batchId }, erase);
    }
  }

  async #forgetStart(): Promise<void> {
    if (!this.#starts.isOpen) return;
    await this.#attempt("could not remove the note of a start", {}, (store) => this.#starts.forget(store));
  }

  /** The id of a batch whose process is dead. Erases batches whose lease is over. */
  async #orphanOf(ledger: LedgerParts, hash: string, heartbeat: number): Promise<string | undefined> {
    const { clock, logger } = this.#options;
    const key = this.#key(hash, heartbeat);
    const silentMs = clock.now() - heartbeat;
    try {
      // Its last message may have been sent just before its owner died.
      if (silentMs > LEASE_MS + STALE_MS) return void (await this.#erase(ledger.store, hash));
      const entry = await readOwned(ledger, key);
      // Renewed or erased meanwhile.
      if (typeof entry?.batchId !== "string") return undefined;
      const { batchId } = entry;
      return silentMs >= STALE_MS || isGone(entry) ? batchId : undefined;
    } catch (error) {
      logger.warn("saas-management: ignored an unusable entry of the journal", { key, error });
      return undefined;
    }
  }

  #keepBeating(store: Store, batchId: string): void {
    const { clock, logger } = this.#options;
    const hash = this.#hash(batchId);
    const beat = async () => {
      this.#firstKey = undefined;
      const before = await this.#keysOf(store, hash);
      if (before.length > 0) return void (await this.#renew(store, batchId, before));
      this.#open = undefined;
      logger.warn("saas-management: another process considered this run dead and may abort its batch", {
        batchId,
      });
    };
    const goOn = () => {
      if (this.#open === hash) this.#keepBeating(store, batchId);
    };
    this.#stopHeartbeat = clock.after(HEARTBEAT_MS, () => {
      this.#beating = beat().then(goOn, goOn);
    });
  }

  /** Puts a heartbeat, which may be some time ago, then deletes the earlier ones. */
  async #renew(store: Store, batchId: string, before: readonly string[], agoMs = 0): Promise<string> {
    const key = this.#key(this.#hash(batchId), this.#options.clock.now() - agoMs);
    await putOwned(store, key, { batchId });
    for (const earlier of before) if (earlier !== key) await store.delete(earlier);
    return key;
  }

  async #erase(store: Store, hash: string): Promise<void> {
    for (const key of await this.#keysOf(store, hash)) await store.delete(key);
  }

  async #keysOf(store: Store, hash = ""): Promise<readonly string[]> {
    const keys: string[] = [];
    const prefix = `${folderOf(this.#options)}/journal.${hash}`;
    for await (const key of listKeys(store, prefix)) keys.push(key);
    return keys;
  }

  /** A journal that does not answer once is not used again: each call would block a thread of the process. */
  async #attempt(
    failure: string,
    details: { readonly batchId?: string },
    step: (store: Store, over: AbortSignal, ledger: LedgerParts) => Promise<void>,
  ): Promise<void> {
    const { clock, logger, ledger } = this.#options;
    if (!this.#answers || ledger === undefined) return;
    try {
      await withinGrace(clock, async (over) => {
        over.addEventListener("abort", () => {
          this.#answers = false;
        });
        await step(ledger.store, over, ledger);
      });
    } catch (error) {
      logger.warn(
        `saas-management: the journal ${failure}; if this process is killed, the lock of its batch ends with the lease`,
        { ...details, error },
      );
    }
  }

  /** Batch ids may contain any character. */
  #hash(batchId: string): string {
    const { endpoint, installationId } = this.#options;
    return createHash("sha256")
      .update(JSON.stringify([endpoint, installationId, batchId]))
      .digest("hex");
  }

  #key(hash: string, heartbeat: number): string {
    return `${folderOf(this.#options)}/journal.${hash}.${Math.trunc(heartbeat)}`;
  }
}

function heartbeatsOf(keys: readonly string[]): Map<string, number> {
  const latest = new Map<string, number>();
  for (const key of keys) {
    const [, hash, heartbeat] = /\.([0-9a-f]{64})\.(\d+)$/.exec(key) ?? [];
    if (hash !== undefined) latest.set(hash, Math.max(latest.get(hash) ?? 0, Number(heartbeat)));
  }
  return latest;
}
