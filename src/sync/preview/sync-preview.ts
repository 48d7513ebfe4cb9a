import type { InputIssue } from "../../core/errors/index.js";
import type { CollectionName, SnapshotCollection } from "../collections.js";
import type { HoldReason } from "../ledger/ledger.js";
import type { Baseline } from "../progress.js";

/** What a run would do, as far as it can be known without the service. */
export interface SyncPreview {
  /** Each collection that was written. */
  readonly collections: Partial<Record<CollectionName, CollectionPreview>>;
  /** Why a run with these records would not be completed, in sentences; none where it would be. */
  readonly refusals: readonly string[];
}

/** What a run would do with one collection. */
export interface CollectionPreview {
  /** Number of records that would be sent: all but those that `issues` are about. */
  readonly records: number;
  /** Number of SyncRecordsRequest messages. */
  readonly messages: number;
  /** Number of bytes of those messages, for a batch id of 36 characters. */
  readonly bytes: number;
  /** Number of records that are invalid or too large: the first of them would end the run. */
  readonly invalid: number;
  /**
   * What is wrong with the invalid records, and with those whose id came before with different contents, in their order
   * and with their places; at most `maxIssues` entries.
   */
  readonly issues: readonly InputIssue[];
  /** Ids that came twice; undefined where records of the collection have no id. */
  readonly duplicates: DuplicateIds | undefined;
  /** The fields that refer to other records, and whether those are there. */
  readonly references: readonly ReferencePreview[];
  /** What would change; undefined for events. */
  readonly changes: SnapshotChanges | undefined;
}

/** Ids that came twice or more. */
export interface DuplicateIds {
  /** Number of records whose id and contents were there before: a run counts and sends them. */
  readonly same: number;
  /** Number of records whose id was there before with different contents: a run refuses such a snapshot. */
  readonly different: number;
  /** The first of these records, up to 20. */
  readonly first: readonly DuplicateId[];
}

/** A record whose id was there before. */
export interface DuplicateId {
  /** Index of the record in its write, from 0. */
  readonly index: number;
  /** The id, at most 200 characters of it. */
  readonly id: string;
  /** Whether the record is the same as the one before it. */
  readonly contents: "same" | "different";
}

/** A field that refers to records of other collections. */
export interface ReferencePreview {
  /** Name of the field, such as `sourceAccountId`. */
  readonly field: string;
  /** The collections in which the ids were looked for; none where the run writes none of them: nothing was checked. */
  readonly searched: readonly SnapshotCollection[];
  /** Collections that the ids may lie in as well, and that this run does not write. */
  readonly notSearched: readonly SnapshotCollection[];
  /** Number of records that refer to an id that is not there. */
  readonly dangling: number;
  /** Number of different ids that are referred to and not there. */
  readonly missingIds: number;
  /** The first record of each missing id, up to 20. */
  readonly first: readonly DanglingReference[];
}

/** A record that refers to an id that is not there. */
export interface DanglingReference {
  /** Index of the record in its write, from 0. */
  readonly index: number;
  /**
   * Id of the record; undefined where it has none, or where too many references waited for their records to keep it.
   */
  readonly id: string | undefined;
  /**
   * Where the record comes from, such as `licenses.csv:17`; undefined where its source does not know, or where too many
   * references waited for their records to keep it.
   */
  readonly location: string | undefined;
  /** The id that is missing; undefined where too many references waited for their records to keep it. */
  readonly missingId: string | undefined;
}

/** What completing a snapshot would change, by the ids that the ledger knows. */
export interface SnapshotChanges {
  /** What the snapshot was compared with; with `off` and `unreadable` nothing was, and all ids count as added. */
  readonly baseline: Baseline;
  /** Number of ids that the ledger knows. */
  readonly known: number;
  /** Number of ids that would be added. */
  readonly added: number;
  /** Number of known ids that are there again. */
  readonly kept: number;
  /** Number of known ids that would be marked as removed; those of invalid records are among them. */
  readonly removed: number;
  /** Share of the known ids that would be removed, from 0 to 1; 0 where none is known. */
  readonly removedShare: number;
  /** The first ids that would be removed, up to 20, in the ledger's order. */
  readonly firstRemoved: readonly string[];
  /** Why the guard would hold the run; undefined where it would not. */
  readonly held: HoldReason | undefined;
}
