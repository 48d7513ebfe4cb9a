import { BatchInProgressError, TimeoutError } from "../../core/errors/index.js";
import { bestEffort, lockedError } from "../../sync/call.js";
import type { SyncConfiguration } from "../../sync/options.js";
import { type InstallationLedger, type LedgerEntry, randomToken } from "./installation-ledger.js";
import {
  isBatch,
  isGone,
  journalEntry,
  journalOf,
  OVER_MS,
  PreparedStarts,
  putOwned,
  readOwned,
  STALE_MS,
} from "./journal-entries.js";

const HEARTBEAT_MS = 2500;

/** Ends a batch on the service. @returns its state: `aborted`, or what the service says if it had ended before */
export type EndBatch = (batchId: string) => Promise<string>;

/** A batch of which heartbeats tell. */
interface Beating {
  readonly token: string;
  readonly batchId: string;
}

/** Tokens of the batches that runs of this process have open. They are alive even if a heartbeat was late. */
const OPEN = new Set<string>();

/**
 * The open batches of an installation's runs, so that the next run can abort the batch of a process that was killed
 * instead of waiting for the end of its lease. The latest heartbeat of a batch counts.
 *
 * - Only batches of the journal are aborted, and only those of the same endpoint and installation.
 * - A suspended owner is considered dead. When it wakes up, the service refuses its messages: its batch was aborted.
 * - A start is noted before it is sent, see {@link PreparedStarts}.
 * - The journal only helps: if it fails or does not answer within 5 seconds, a warning is logged and the run goes on.
 */
export class Journal {
  readonly #ledger: InstallationLedger | undefined;
  readonly #configuration: Pick<SyncConfiguration, "clock" | "logger">;
  readonly #starts: PreparedStarts;
  #open: Beating | undefined;
  /** The only entry of the open batch, until its first heartbeat. */
  #first: LedgerEntry | undefined;
  #opening: Promise<void> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #stopHeartbeat: () => void = () => {};
  #recovering: Promise<void> | undefined;
  #answers = true;
  #warned = false;

  /** @param ledger Undefined if the run has none; then nothing is noted. */
  constructor(
    ledger: InstallationLedger | undefined,
    configuration: Pick<SyncConfiguration, "clock" | "logger">,
  ) {
    this.#ledger = ledger;
    this.#configuration = configuration;
    this.#starts = new PreparedStarts(configuration.clock);
  }

  /**
   * Notes that StartSyncBatch is sent next. Never rejects.
   * @returns forgets it: the batch was not started, or was aborted
   */
  readonly noteStart = async (): Promise<() => Promise<void>> => {
    await this.#attempt("could not note a start", {}, (ledger) => this.#starts.prepare(ledger));
    return () => this.#forgetStart();
  };

  readonly startEndsInMs = (): number => this.#starts.endsInMs;

  /** Returns an error that tells which start of another process may hold the lock; otherwise the same error. */
  explain(error: unknown): unknown {
    const left = this.#starts.describeLeft();
    if (left === undefined || !(error instanceof BatchInProgressError)) return error;
    return lockedError(error, `${error.message} ${left}`);
  }

  /** Warns once which start of another process the run may wait for. */
  warnOfStart(): void {
    const left = this.#starts.describeLeft();
    if (left === undefined || this.#warned) return;
    this.#warned = true;
    this.#configuration.logger.warn(`saas-management: waiting for the lock. ${left}`);
  }

  opened(batchId: string): Promise<void> {
    this.#opening = this.#attempt("could not note a batch", { batchId }, async (ledger, over) => {
      const batch = { token: randomToken(), batchId };
      this.#first = undefined;
      const first = await this.#renew(ledger, batch, []);
      // Without a heartbeat, another process would take the batch for an orphan.
      if (over.aborted) return ledger.delete([first]);
      OPEN.add(batch.token);
      this.#first = first;
      this.#open = batch;
      this.#keepBeating(ledger, batch);
      await this.#starts.forget(ledger);
      await this.#starts.forgetLeft(ledger);
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
    const batch = this.#open;
    if (batch === undefined) return;
    this.#open = undefined;
    this.#stopHeartbeat();
    await this.#attempt("could not note the end of a batch", { batchId }, async (ledger) => {
      await this.#beating;
      const own = this.#first === undefined ? await entriesOf(ledger, batch.token) : [this.#first];
      if (isReleased) await ledger.delete(own);
      else await this.#renew(ledger, batch, own, STALE_MS);
    });
    OPEN.delete(batch.token);
  }

  /** Aborts the batches of dead processes. Never rejects; takes at most 5 seconds and the time of the aborts. */
  recover(endBatch: EndBatch): Promise<void> {
    this.#recovering ??= this.#recover(endBatch).finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  async #recover(endBatch: EndBatch): Promise<void> {
    const { logger } = this.#configuration;
    const orphans = new Map<string, string>();
    await this.#attempt("could not be read", {}, async (ledger) => {
      const entries = await journalOf(ledger);
      await this.#starts.read(ledger, entries);
      for (const last of new Map(entries.filter(isBatch).map((entry) => [entry.token, entry])).values()) {
        const batchId = OPEN.has(last.token) ? undefined : await this.#orphanOf(ledger, last);
        if (batchId !== undefined) orphans.set(last.token, batchId);
      }
    });
    for (const [token, batchId] of orphans) {
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
      await this.#attempt("could not remove the entry of a batch", { batchId }, (ledger) =>
        erase(ledger, token),
      );
    }
  }

  async #forgetStart(): Promise<void> {
    if (!this.#starts.isOpen) return;
    await this.#attempt("could not remove the note of a start", {}, (ledger) => this.#starts.forget(ledger));
  }

  /** The id of a batch whose process is dead. Erases batches whose lease is over. */
  async #orphanOf(ledger: InstallationLedger, last: LedgerEntry): Promise<string | undefined> {
    const { clock, logger } = this.#configuration;
    const silentMs = clock.now() - last.sequence;
    try {
      // Undefined if it was renewed or erased meanwhile.
      const entry = await readOwned(ledger, last);
      // Asked first: clocks jump, and a process that is gone stays gone.
      if (isGone(entry?.owner)) return entry?.batchId;
      if (silentMs <= OVER_MS) return silentMs >= STALE_MS ? entry?.batchId : undefined;
    } catch (error) {
      const { key } = last;
      if (silentMs <= OVER_MS) {
        logger.warn("saas-management: ignored an unusable entry of the journal", { key, error });
        return undefined;
      }
    }
    return void (await erase(ledger, last.token));
  }

  #keepBeating(ledger: InstallationLedger, batch: Beating): void {
    const { clock, logger } = this.#configuration;
    const beat = async () => {
      this.#first = undefined;
      const before = await entriesOf(ledger, batch.token);
      if (before.length > 0) return void (await this.#renew(ledger, batch, before));
      this.#open = undefined;
      const { batchId } = batch;
      logger.warn("saas-management: another process considered this run dead and may abort its batch", {
        batchId,
      });
    };
    const goOn = () => {
      if (this.#open === batch) this.#keepBeating(ledger, batch);
    };
    this.#stopHeartbeat = clock.after(HEARTBEAT_MS, () => {
      this.#beating = beat().then(goOn, goOn);
    });
  }

  /** Puts a heartbeat, which may be some time ago, then deletes the earlier ones. */
  async #renew(
    ledger: InstallationLedger,
    { token, batchId }: Beating,
    before: readonly LedgerEntry[],
    agoMs = 0,
  ): Promise<LedgerEntry> {
    const entry = journalEntry(ledger, "batch", this.#configuration.clock.now() - agoMs, token);
    await putOwned(ledger, entry, { batchId });
    await ledger.delete(before.filter(({ key }) => key !== entry.key));
    return entry;
  }

  /** A journal that does not answer once is not used again: each call would block a thread of the process. */
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
