import { linkAbort } from "../../core/abort.js";
import { BatchInProgressError, TimeoutError } from "../../core/errors/index.js";
import { bestEffort, hasEnded, lockedError, withinGrace } from "../../sync/call.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { type InstallationLedger, type LedgerEntry, randomToken } from "./installation-ledger.js";
import {
  isBatch,
  isGone,
  journalEntry,
  journalOf,
  LeftStarts,
  OVER_MS,
  putOwned,
  readOwned,
  STALE_MS,
} from "./journal-entries.js";

const HEARTBEAT_MS = 2500;

/** How long a run waits for the abort of an orphan, in milliseconds. */
const RECOVERY_MS = 30_000;

/** How to abort batches of other processes. */
interface AbortCall {
  readonly abort: (batchId: string, signal: AbortSignal) => Promise<void>;
  /** Fires when the run is ended from outside. */
  readonly ended: AbortSignal;
}

/** What a run keeps in the journal, from before its StartSyncBatch until the batch has ended. */
interface OwnBatch {
  readonly token: string;
  /** The entries that it has stored but not deleted; the last one counts. */
  entries: readonly LedgerEntry[];
}

/** Tokens of the open batches of this process. These batches are alive even if a heartbeat was late. */
const OPEN = new Set<string>();

/**
 * The open batches of an installation's runs. If a process was killed, the next run can abort its batch, and needn't
 * wait for the lease to end. The latest heartbeat of a batch counts.
 *
 * - Only batches in the journal are aborted, and only those of the same endpoint and installation.
 * - A suspended owner is considered dead. When it wakes up, the service refuses its messages, because its batch was
 *   aborted.
 * - A start is recorded before it is sent, see {@link LeftStarts}.
 * - No run depends on the journal: if it fails or takes more than 5 seconds, the run logs a warning and continues.
 */
export class Journal {
  readonly #ledger: InstallationLedger | undefined;
  readonly #configuration: Pick<SyncConfiguration, "clock" | "logger">;
  readonly #call: AbortCall;
  readonly #starts: LeftStarts;
  #own: OwnBatch | undefined;
  #opening: Promise<void> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #stopHeartbeat: () => void = () => {};
  #recovering: Promise<void> | undefined;
  /** Batches of this run that failed and could not be aborted, with their errors. Each may still hold the lock. */
  readonly #unreleased = new Map<string, unknown>();
  #answers = true;
  #warned = false;

  /** @param ledger Undefined if the run has none; then nothing is recorded. */
  constructor(
    ledger: InstallationLedger | undefined,
    configuration: Pick<SyncConfiguration, "clock" | "logger">,
    call: AbortCall,
  ) {
    this.#ledger = ledger;
    this.#call = call;
    this.#configuration = configuration;
    this.#starts = new LeftStarts(configuration.clock);
  }

  /**
   * Records that StartSyncBatch is about to be sent. Never rejects.
   * @returns a function that removes the record; call it if the batch was not started, or was aborted
   */
  readonly noteStart = async (): Promise<() => Promise<void>> => {
    const own: OwnBatch = { token: randomToken(), entries: [] };
    this.#own = own;
    await this.#attempt("could not note a start", {}, (ledger) => this.#renew(ledger, own, "start", {}));
    return () =>
      this.#attempt("could not remove the note of a start", {}, (ledger) => ledger.delete(own.entries));
  };

  readonly startEndsInMs = (): number => this.#starts.endsInMs;

  /** Adds to the error of a held lock which batch or start may hold it. Returns other errors unchanged. */
  explain(error: unknown): unknown {
    if (!(error instanceof BatchInProgressError)) return error;
    const [own] = this.#unreleased;
    const left = this.#starts.describe();
    if (own === undefined) return left === undefined ? error : lockedError(error, `${error.message} ${left}`);
    const [batchId, cause] = own;
    const message = `A batch of this installation is in progress. It may be batch ${batchId} of this run, which failed and could not be aborted. Its lock ends 15 minutes after its last accepted message.`;
    return lockedError(error, message, { mayBeOwn: true, cause });
  }

  /** Warns once about another process's start that the run may be waiting for. */
  warnOfStart(): void {
    const left = this.#starts.describe();
    if (left === undefined || this.#warned) return;
    this.#warned = true;
    this.#configuration.logger.warn(`saas-management: waiting for the lock. ${left}`);
  }

  opened(batchId: string): Promise<void> {
    this.#opening = this.#attempt("could not note a batch", { batchId }, async (ledger, over) => {
      const own = this.#own ?? { token: randomToken(), entries: [] };
      this.#own = own;
      await this.#renew(ledger, own, "batch", { batchId });
      // Without a heartbeat, another process would take the batch for an orphan.
      if (over.aborted) return ledger.delete(own.entries);
      OPEN.add(own.token);
      this.#keepBeating(ledger, own, batchId);
      await this.#starts.forget(ledger);
    });
    return this.#opening;
  }

  /**
   * Records that the batch of the last `opened` call has ended. Never rejects.
   * @param left Why the batch failed; set if the service may still have it open. Then this or the next run aborts it.
   */
  async ended(batchId: string, left?: { readonly error: unknown }): Promise<void> {
    await this.#opening;
    if (left !== undefined) this.#unreleased.set(batchId, left.error);
    const own = this.#own;
    if (own === undefined) return;
    this.#own = undefined;
    this.#stopHeartbeat();
    await this.#attempt("could not note the end of a batch", { batchId }, async (ledger) => {
      await this.#beating;
      if (left === undefined) await ledger.delete(own.entries);
      else if (OPEN.has(own.token)) await this.#renew(ledger, own, "batch", { batchId }, STALE_MS);
    });
    OPEN.delete(own.token);
  }

  /**
   * Aborts the batches of dead processes, and those that this run could not abort before. Never rejects; takes at most
   * 5 seconds plus the time of the aborts. Failed aborts are retried while the run waits.
   */
  readonly releaseOrphans = (): Promise<void> => {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  };

  async #recover(): Promise<void> {
    const { logger } = this.#configuration;
    const left = new Map<string, string | undefined>();
    for (const batchId of this.#unreleased.keys()) left.set(batchId, undefined);
    await this.#attempt("could not be read", {}, async (ledger) => {
      const entries = (await journalOf(ledger)).filter(({ token }) => token !== this.#own?.token);
      await this.#starts.read(ledger, entries);
      for (const last of new Map(entries.filter(isBatch).map((entry) => [entry.token, entry])).values()) {
        const batchId = OPEN.has(last.token) ? undefined : await this.#orphanOf(ledger, last);
        if (batchId !== undefined) left.set(batchId, last.token);
      }
    });
    for (const [batchId, token] of left) {
      try {
        const batchState = await this.#abort(batchId);
        if (!this.#unreleased.delete(batchId))
          logger.info("saas-management: aborted the batch of a dead process", { batchId, batchState });
      } catch (error) {
        // The call itself and the next start already report a service that doesn't answer.
        if (!(error instanceof TimeoutError) && !this.#unreleased.has(batchId))
          logger.warn(
            "saas-management: could not abort the batch of a dead process; its lock ends with the lease",
            { batchId, error },
          );
        continue;
      }
      if (token !== undefined)
        await this.#attempt("could not remove the entry of a batch", { batchId }, (ledger) =>
          erase(ledger, token),
        );
    }
  }

  /** Aborts a batch that may have ended already. @returns the state of the batch, if the service names it */
  async #abort(batchId: string): Promise<string> {
    const { abort, ended } = this.#call;
    const end = (over: AbortSignal) => {
      const { controller, unlink } = linkAbort(over, ended);
      return abort(batchId, controller.signal).finally(unlink);
    };
    try {
      await withinGrace(this.#configuration.clock, end, RECOVERY_MS);
      return "aborted";
    } catch (error) {
      if (hasEnded(error)) return error.batchState ?? "unknown";
      throw error;
    }
  }

  /** Returns the id of a batch if its process is dead. Erases a batch whose lease has ended. */
  async #orphanOf(ledger: InstallationLedger, last: LedgerEntry): Promise<string | undefined> {
    const { clock, logger } = this.#configuration;
    const silentMs = clock.now() - last.sequence;
    try {
      // Undefined if the entry has been renewed or erased.
      const entry = await readOwned(ledger, last);
      // Checked first, because clocks jump, but a dead process stays dead.
      if (isGone(entry?.owner)) return entry?.batchId;
      if (silentMs <= OVER_MS) return silentMs >= STALE_MS ? entry?.batchId : undefined;
    } catch (error) {
      const { key } = last;
      if (silentMs <= OVER_MS) {
        logger.warn("saas-management: ignored an unusable journal entry", { key, error });
        return undefined;
      }
    }
    return void (await erase(ledger, last.token));
  }

  #keepBeating(ledger: InstallationLedger, own: OwnBatch, batchId: string): void {
    const { clock, logger } = this.#configuration;
    const beat = async () => {
      if ((await entriesOf(ledger, own.token)).length > 0)
        return this.#renew(ledger, own, "batch", { batchId });
      this.#own = undefined;
      logger.warn("saas-management: another process took this run for dead and may abort its batch", {
        batchId,
      });
    };
    const goOn = () => {
      if (this.#own === own) this.#keepBeating(ledger, own, batchId);
    };
    this.#stopHeartbeat = clock.after(HEARTBEAT_MS, () => {
      this.#beating = beat().then(goOn, goOn);
    });
  }

  /** Stores an entry, whose time may be in the past, then deletes the earlier ones. */
  async #renew(
    ledger: InstallationLedger,
    own: OwnBatch,
    kind: "start" | "batch",
    fields: { readonly batchId?: string },
    agoMs = 0,
  ): Promise<void> {
    const entry = journalEntry(ledger, kind, this.#configuration.clock.now() - agoMs, own.token);
    const before = own.entries.filter(({ key }) => key !== entry.key);
    own.entries = [...before, entry];
    await putOwned(ledger, entry, fields);
    await ledger.delete(before);
    own.entries = [entry];
  }

  /**
   * Once the journal has failed to answer, it isn't used again, because each call would block a thread of the process.
   */
  async #attempt(
    failure: string,
    details: { readonly batchId?: string },
    step: (ledger: InstallationLedger, over: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ledger = this.#ledger;
    if (!this.#answers || ledger === undefined) return;
    const message = `the journal ${failure}; if this process is killed, the lock of its batch ends with the lease`;
    await bestEffort(this.#configuration, { level: "warn", message, details }, (over) => {
      over.addEventListener("abort", () => {
        this.#answers = false;
      });
      return step(ledger, over);
    });
  }
}

async function entriesOf(ledger: InstallationLedger, token: string): Promise<readonly LedgerEntry[]> {
  return (await journalOf(ledger)).filter((entry) => isBatch(entry) && entry.token === token);
}

async function erase(ledger: InstallationLedger, token: string): Promise<void> {
  await ledger.delete(await entriesOf(ledger, token));
}
