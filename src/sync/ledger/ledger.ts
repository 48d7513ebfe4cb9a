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
   * - `unclear`: of a later one, of which nobody knows whether it was completed: the process died, or the answer was
   *   lost.
   */
  readonly state: "completed" | "unclear";
  /** The ids, as lines in pieces of any size. Read as a stream; a piece that is wrong throws. */
  lines(): AsyncIterable<Uint8Array>;
}

/** Takes down the ids of one snapshot while it is written. */
export interface LedgerDraft {
  /**
   * Takes whole lines in, some thousand ids at a time; the bytes are the draft's own from now on. Called in the middle
   * of a write, so it must be quick; what fails may be thrown here or by `save`. A promise that it returns is waited
   * for before `save` is called, and not before the next lines come.
   */
  write(lines: Uint8Array): void;
  /**
   * Everything that was written so far, as whole lines in pieces of any size. Read where the run is held because nothing
   * was there to compare with: an approval is of these ids then.
   */
  read(): AsyncIterable<Uint8Array>;
  /**
   * Keeps the ids durably as `unclear`: when it resolves, they must survive a crash. CompleteSyncBatch is sent next.
   */
  save(): Promise<void>;
  /**
   * The batch was completed: the saved ids replace everything that was known, at once or not at all. Where that takes
   * long, a later batch may have saved its ids meanwhile, which stay, or may have been completed: then nothing is
   * replaced.
   */
  promote(): Promise<void>;
  /** The batch is known not to have been completed: forgets the ids that were taken down by this draft. */
  discard(): Promise<void>;
}

/** Why a collection is held. */
export type HoldReason = "removals" | "no-baseline" | "unreadable-ledger";

/** What a held run leaves behind, so that a person can approve of it. */
export interface PendingApproval {
  /** What `approveRemovals` has to say. */
  readonly id: string;
  /** Why the collection was held. */
  readonly reason: HoldReason;
  /** When it is no longer good, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /**
   * The ids that would be removed, as lines in pieces of any size. Where the reason is not `removals`, what would be
   * removed is not known: these are the ids of the held run, which an approval takes as the new baseline.
   */
  lines(): AsyncIterable<Uint8Array>;
}

/**
 * Remembers the ids of the last completed snapshots: what the removal guard compares with.
 *
 * {@link fileLedger} keeps them in a directory. A ledger of your own, over a database for example, implements this
 * interface; ids come and go as lines (`linesOfIds`, `idsOfLines`). Every call about an installation is made while its
 * lock is held, but for `promote`, `release` and `discard`, which come when the batch has ended. A call that fails
 * holds the run: a ledger that cannot be read never counts as an empty one. A run that is ended waits for no call, and
 * up to 5 seconds for those that come when its batch has ended.
 */
export interface Ledger {
  /**
   * What is kept in place of an id, such as a digest, without line feeds and backslashes. It must be the same for the
   * same id for as long as the ledger lives. @default the id itself
   */
  readonly keyOf?: ((scope: LedgerScope, id: Uint8Array) => Uint8Array) | undefined;
  /** Every set of ids that the service may have; none where there was no snapshot yet. */
  known(scope: LedgerScope): Promise<readonly KnownIds[]>;
  /**
   * Begins to take down the ids of a snapshot. Where that takes long, the batch may have ended meanwhile and another one
   * may have its drafts here: they must stay as they are.
   */
  draft(scope: LedgerScope, batchId: string): Promise<LedgerDraft>;
  /**
   * Keeps a pending approval in place of an earlier one of this scope.
   * @returns where a person can read the ids, such as a path; undefined where they cannot
   */
  hold(scope: LedgerScope, approval: PendingApproval): Promise<string | undefined>;
  /** The pending approval of this scope; undefined where there is none. */
  held(scope: LedgerScope): Promise<PendingApproval | undefined>;
  /** The pending approval was used up: forgets it. */
  release(scope: LedgerScope): Promise<void>;
}
