/**
 * Entries `journal.<time>.<token>.<kind>` of an installation, which name the process that stored them:
 *
 * - `batch`: a batch that the process has open, with its last heartbeat.
 * - `start`: StartSyncBatch is sent next. The entry is deleted once the batch is in the journal, or was provably not
 *   started.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "../../core/clock.js";
import { isCount, isText, objectOf } from "../../core/validate.js";
import { LEASE_MS } from "../../sync/options.js";
import { type InstallationLedger, type LedgerEntry, randomToken } from "./installation-ledger.js";
import { encodeValue, type Fields } from "./value.js";

/** After this long without a heartbeat, the owner is considered dead. */
export const STALE_MS = 10_000;
/** After this long, the service has ended the batch, even if its last message was sent just before the owner died. */
export const OVER_MS = LEASE_MS + STALE_MS;

const SUBJECT = "journal";

interface Owner {
  readonly host: string;
  /** Empty if the system doesn't provide it. */
  readonly bootId: string;
  readonly pid: number;
}

const isOwner = objectOf<Owner>({ host: isText, bootId: isText, pid: isCount });

interface OwnedEntry {
  /** Undefined if the entry doesn't name it. */
  readonly owner: Owner | undefined;
  readonly batchId: string | undefined;
}

/** Lists the entries; the one with the latest heartbeat comes last. */
export function journalOf(ledger: InstallationLedger): Promise<readonly LedgerEntry[]> {
  return ledger.entries(SUBJECT);
}

export function isBatch({ kind }: LedgerEntry): boolean {
  return kind === "batch";
}

export function journalEntry(
  ledger: InstallationLedger,
  kind: "batch" | "start",
  time: number,
  token = randomToken(),
): LedgerEntry {
  const entry = { subject: SUBJECT, sequence: Math.trunc(time), token, kind };
  return { ...entry, key: ledger.keyOf(entry) };
}

/** Stores an entry that names this process. The entry already exists if no time has passed since the last heartbeat. */
export async function putOwned(
  { store }: InstallationLedger,
  { key }: LedgerEntry,
  fields: Fields,
): Promise<void> {
  const owner: Owner = { host: hostname(), bootId: bootId(), pid: process.pid };
  await store.putIfAbsent(key, encodeValue(key, { ...owner, ...fields }));
}

/** @returns undefined if the entry has been deleted @throws {ConfigurationError} it is damaged */
export async function readOwned(
  ledger: InstallationLedger,
  { key }: LedgerEntry,
): Promise<OwnedEntry | undefined> {
  const fields = await ledger.read(key);
  const batchId = fields?.["batchId"];
  return (
    fields && { owner: isOwner(fields) ? fields : undefined, batchId: isText(batchId) ? batchId : undefined }
  );
}

/** A batch that is open in a run of this ledger, or was open when the run's process died. */
export interface OpenBatchEntry {
  readonly batchId: string;
  /** Process id and host. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly heartbeat: number;
  readonly isGone: boolean;
}

/** The installation's open batch with the latest heartbeat. Skips unreadable entries. */
export async function openBatch(ledger: InstallationLedger): Promise<OpenBatchEntry | undefined> {
  for (const entry of (await journalOf(ledger)).filter(isBatch).toReversed()) {
    const { owner, batchId } = (await readOwned(ledger, entry).catch(() => undefined)) ?? {};
    if (batchId === undefined || owner === undefined) continue;
    const heartbeat = entry.sequence;
    return { batchId, owner: `${owner.pid} on ${owner.host}`, heartbeat, isGone: isGone(owner) };
  }
  return undefined;
}

/** Whether a process is provably dead. */
export function isGone(owner: Owner | undefined): boolean {
  if (owner === undefined) return false;
  const { host, bootId: boot, pid } = owner;
  if (boot === "" || boot !== bootId() || host !== hostname()) return false;
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

let knownBootId: string | undefined;

/** Identifies the boot of the system, and the container that process ids belong to. Never changes for a process. */
function bootId(): string {
  try {
    knownBootId ??= `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    knownBootId = "";
  }
  return knownBootId;
}

interface LeftStart extends LedgerEntry, Pick<OwnedEntry, "owner"> {
  /** The latest time at which the batch can have started. */
  readonly begunBy: number;
}

/**
 * The StartSyncBatch calls that nobody waits for any more. If the answer is lost, or the process is killed before it
 * arrives, nobody knows the batch's id. But the next run can say what it is waiting for, and until when.
 */
export class LeftStarts {
  readonly #clock: Clock;
  #left: readonly LeftStart[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Deletes the starts from the journal, because this run has the lock. */
  async forget(ledger: InstallationLedger): Promise<void> {
    const left = this.#left;
    this.#left = [];
    await ledger.delete(left);
  }

  /** Finds the starts among journal entries, and deletes those whose lock has ended. */
  async read(ledger: InstallationLedger, entries: readonly LedgerEntry[]): Promise<void> {
    const left: LeftStart[] = [];
    const now = this.#clock.now();
    for (const entry of entries) {
      if (entry.kind !== "start") continue;
      // Of a damaged entry, only the time is known.
      const read = await readOwned(ledger, entry).catch(() => ({ owner: undefined }));
      const silentMs = now - entry.sequence;
      const isOver = silentMs > OVER_MS;
      const gone = isGone(read?.owner);
      // Checked first, because clocks jump, but a dead process stays dead. If its clock differed from ours, nobody
      // knows when its lock ends.
      if (gone)
        left.push({ ...entry, owner: read?.owner, begunBy: isOver ? now : Math.min(entry.sequence, now) });
      else if (isOver) await ledger.delete([entry]);
      else if (read !== undefined && silentMs >= STALE_MS)
        left.push({ ...entry, owner: read.owner, begunBy: entry.sequence });
    }
    this.#left = left;
  }

  /**
   * Milliseconds until the first lock of these starts may end. Its lease began after the start was recorded.
   */
  get endsInMs(): number {
    const lefts = this.#left.map(({ begunBy }) => begunBy + LEASE_MS - this.#clock.now());
    return Math.min(...lefts.filter((leftMs) => leftMs > 0));
  }

  /** Says what this run may be waiting for, and when the wait ends at the latest. */
  describe(): string | undefined {
    const last = this.#left.at(-1);
    if (last === undefined) return undefined;
    const { owner, begunBy } = last;
    const who = owner ? `Process ${owner.pid} on host ${JSON.stringify(owner.host)}` : "A process";
    const until = new Date(begunBy + OVER_MS).toISOString();
    return `${who} may have started a batch by ${new Date(begunBy).toISOString()} without learning its id, so it can't be aborted. Its lock ends at ${until} at the latest.`;
  }
}
