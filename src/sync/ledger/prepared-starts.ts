import type { Clock } from "../../core/clock.js";
import { LEASE_MS } from "../lease.js";
import { randomToken } from "./entries.js";
import type { LedgerParts } from "./ledger.js";
import { isGone, type NamedOwner, putOwned, readOwned, STALE_MS } from "./owner.js";
import { deleteAll, type Store } from "./store.js";

interface LeftStart {
  readonly key: string;
  readonly at: number;
  readonly owner: NamedOwner;
}

/**
 * Starts that are under way. An entry `journal.start.<token>.<time>` is put before StartSyncBatch is sent, and deleted when
 * the batch is in the journal, or was provably not started. If a process is killed in between, or the answer is lost,
 * nobody knows the id of its batch, but the next run can say what it waits for, and until when.
 */
export class PreparedStarts {
  readonly #prefix: string;
  readonly #clock: Clock;
  #own: string | undefined;
  #left: readonly LeftStart[] = [];

  constructor(folder: string, clock: Clock) {
    this.#prefix = `${folder}/journal.start.`;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#own !== undefined;
  }

  async prepare(store: Store): Promise<void> {
    const key = `${this.#prefix}${randomToken()}.${Math.trunc(this.#clock.now())}`;
    this.#own = key;
    await putOwned(store, key, {});
  }

  /** Deletes the entry of the last `prepare`. */
  async forget(store: Store): Promise<void> {
    const key = this.#own;
    if (key === undefined) return;
    this.#own = undefined;
    await store.delete(key);
  }

  /** Deletes what others left: this run got the lock. */
  async forgetLeft(store: Store): Promise<void> {
    const left = this.#left;
    this.#left = [];
    await deleteAll(store, left);
  }

  /** Looks for starts that nobody waits for among the keys of the journal, and deletes those whose lock is over. */
  async read(ledger: LedgerParts, keys: readonly string[]): Promise<void> {
    const left: LeftStart[] = [];
    for (const key of keys) {
      if (!key.startsWith(this.#prefix)) continue;
      const at = Number(/\.(\d+)$/.exec(key)?.[1] ?? 0);
      const silentMs = this.#clock.now() - at;
      if (silentMs > LEASE_MS + STALE_MS) await ledger.store.delete(key);
      else if (key !== this.#own) {
        // Of a damaged entry, only its time is known.
        const owner = await readOwned(ledger, key).catch((): NamedOwner => ({}));
        if (owner !== undefined && (silentMs >= STALE_MS || isGone(owner))) left.push({ key, at, owner });
      }
    }
    this.#left = left;
  }

  /** In how many milliseconds the first lock may end that such a start holds: its lease began after the start was noted. */
  get endsInMs(): number {
    const lefts = this.#left.map(({ at }) => at + LEASE_MS - this.#clock.now());
    return Math.min(...lefts.filter((leftMs) => leftMs > 0));
  }

  /** What this run may wait for, and until when at most, in sentences. */
  describeLeft(): string | undefined {
    const last = this.#left.reduce<LeftStart | undefined>(
      (latest, start) => (latest === undefined || start.at > latest.at ? start : latest),
      undefined,
    );
    if (last === undefined) return undefined;
    const { host, pid } = last.owner;
    const isNamed = typeof host === "string" && typeof pid === "number";
    const who = isNamed ? `Process ${pid} on host ${JSON.stringify(host)}` : "A process";
    const until = new Date(last.at + LEASE_MS + STALE_MS).toISOString();
    return `${who} may have started a batch at ${new Date(last.at).toISOString()} without learning its id, so that batch cannot be aborted. Its lock ends at ${until} at the latest.`;
  }
}
