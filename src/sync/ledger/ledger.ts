import { InvalidInputError } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";

/** Whose ids are meant: one snapshot collection of one installation of one service. */
export interface LedgerScope {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  /** Id of the installation. */
  readonly installationId: string;
  /** Name of the collection. */
  readonly collection: SnapshotCollection;
}

/** A set of ids that the service may have as the last completed snapshot. */
export interface KnownIds {
  /**
   * - `completed`: of the last snapshot that is known to be completed.
   * - `unclear`: of a later one that may have been completed: the process died, or the answer was lost.
   */
  readonly state: "completed" | "unclear";
  /** The ids, as lines in pieces of any size. Read as a stream; throws if the ids are damaged. */
  lines(): AsyncIterable<Uint8Array>;
}

/** Collects the ids of one snapshot while it is written. */
export interface LedgerDraft {
  /**
   * Takes whole lines, some thousand ids at a time; the bytes belong to the draft from now on. Called during a write, so
   * it must be quick. It may throw, or `save` may throw later. If it returns a promise, the next lines do not wait for
   * it, but `save` does.
   */
  write(lines: Uint8Array): void;
  /**
   * Everything that was written so far, as whole lines in pieces of any size. Read if the run is held because there was
   * nothing to compare with: then these ids are approved.
   */
  read(): AsyncIterable<Uint8Array>;
  /**
   * Saves the ids durably as `unclear`: when it resolves, they must survive a crash. CompleteSyncBatch is sent next.
   */
  save(): Promise<void>;
  /**
   * The batch was completed: the saved ids replace everything that was known, atomically. A later batch may have saved
   * its ids meanwhile, which stay, or may have been completed: then nothing is replaced.
   */
  promote(): Promise<void>;
  /** The batch was not completed: forgets the ids of this draft. */
  discard(): Promise<void>;
}

/** Why a collection is held. */
export type HoldReason = "removals" | "no-baseline" | "unreadable-ledger";

/** What a held run leaves behind for a person to approve. */
export interface PendingApproval {
  /** The value for `approve`. */
  readonly id: string;
  /** Why the collection was held. */
  readonly reason: HoldReason;
  /** When it expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /**
   * The ids that would be removed, as lines in pieces of any size. If the reason is not `removals`, the ids that would be
   * removed are not known: these are the ids of the held run, and an approval makes them the new baseline.
   */
  lines(): AsyncIterable<Uint8Array>;
}

/**
 * Remembers the ids of the last completed snapshots, for the removal guard to compare with.
 *
 * {@link fileLedger} stores them in a directory. Implement this interface for another store, such as a database; ids are
 * passed as lines (`linesOfIds`, `idsOfLines`). All calls for an installation are made while its lock is held, except
 * `promote`, `release` and `discard`, which are made when the batch has ended. A call that fails holds the run: a ledger
 * that cannot be read never counts as an empty one. A run that is ended does not wait for a call, and waits at most 5
 * seconds for those that are made after the end of its batch.
 */
export interface Ledger {
  /**
   * What is stored instead of an id, such as a hash, without line feeds and backslashes. It must stay the same for the
   * same id as long as the ledger exists. @default the id itself
   */
  readonly keyOf?: ((scope: LedgerScope, id: Uint8Array) => Uint8Array) | undefined;
  /** Every set of ids that the service may have; empty if there was no snapshot yet. */
  known(scope: LedgerScope): Promise<readonly KnownIds[]>;
  /**
   * Starts to collect the ids of a snapshot. If that takes long, the batch may have ended meanwhile and another one may
   * have drafts here, which must stay as they are.
   */
  draft(scope: LedgerScope, batchId: string): Promise<LedgerDraft>;
  /**
   * Stores a pending approval and replaces an earlier one of this scope.
   * @returns where a person can read the ids, such as a path; undefined if they cannot
   */
  hold(scope: LedgerScope, approval: PendingApproval): Promise<string | undefined>;
  /** The pending approval of this scope; undefined if there is none. */
  held(scope: LedgerScope): Promise<PendingApproval | undefined>;
  /** Forgets the pending approval, which was used. */
  release(scope: LedgerScope): Promise<void>;
}

/**
 * Checks the option `ledger`.
 * @returns undefined for `"none"`
 * @throws {InvalidInputError} it is neither a ledger nor `"none"`
 */
export function requireLedger(ledger: unknown): Ledger | undefined {
  if (ledger === "none") return undefined;
  if (isLedger(ledger)) return ledger;
  throw new InvalidInputError(
    'ledger must be fileLedger(directory), another ledger, or "none". Without a ledger, nothing keeps a truncated snapshot from removing records.',
  );
}

function isLedger(value: unknown): value is Ledger {
  if (typeof value !== "object" || value === null) return false;
  const methods = ["known", "draft", "hold", "held", "release"];
  if (!["undefined", "function"].includes(typeof Reflect.get(value, "keyOf"))) return false;
  return methods.every((name) => typeof Reflect.get(value, name) === "function");
}

/** The directory of a ledger that has one. */
export function directoryOf(ledger: Ledger | "none"): string | undefined {
  if (ledger === "none" || !("directory" in ledger)) return undefined;
  return typeof ledger.directory === "string" ? ledger.directory : undefined;
}
