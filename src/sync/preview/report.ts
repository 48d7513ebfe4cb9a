/** What a preview reports, and its text. */
import type { InputIssue } from "../../core/errors/index.js";
import { escapeControls } from "../../core/redact.js";
import { type Collection, collectionEntries, type SnapshotCollection } from "../collections.js";
import type { HoldReason } from "../ledger/entry.js";
import { type Baseline, count } from "../progress.js";

/** What a run would do, as far as it can be known without the service. */
export interface RunPreview {
  /** Each collection that was written. */
  readonly collections: Partial<Record<Collection, CollectionPreview>>;
  /** Why a run with these records would not be completed, in sentences; empty if it would be. */
  readonly refusals: readonly string[];
}

/** What a run would do with one collection. */
export interface CollectionPreview {
  /** Number of records that would be sent: all except those in `issues`. */
  readonly records: number;
  /** Number of SyncRecordsRequest messages. */
  readonly messages: number;
  /** Number of bytes of those messages, for a batch id of 36 characters. */
  readonly bytes: number;
  /** Number of records that are invalid or too large. The first of them would end the run. */
  readonly invalid: number;
  /**
   * Problems of invalid records, and of records that repeat an id with different contents, in order and with locations;
   * at most `maxIssues` entries.
   */
  readonly issues: readonly InputIssue[];
  /** Repeated ids; undefined if records of the collection have no id. */
  readonly duplicates: DuplicateIds | undefined;
  /** The fields that refer to other records, and whether the run writes those. */
  readonly references: readonly ReferencePreview[];
  /** What would change; undefined for events. */
  readonly changes: SnapshotChanges | undefined;
}

/** Repeated ids. */
export interface DuplicateIds {
  /** Number of records with the id and contents of an earlier one: a run counts and sends them. */
  readonly same: number;
  /** Number of records with the id of an earlier one and different contents: a run refuses such a snapshot. */
  readonly different: number;
  /** The first of these records, up to 20. */
  readonly first: readonly DuplicateId[];
}

/** A record with the id of an earlier one. */
export interface DuplicateId {
  /** Index of the record in its write, from 0. */
  readonly index: number;
  /** The id, at most 200 characters of it. */
  readonly id: string;
  /** Whether the contents are those of the earlier record. */
  readonly contents: "same" | "different";
}

/** A field that refers to records of other collections. */
export interface ReferencePreview {
  /** Name of the field, such as `sourceAccountId`. */
  readonly field: string;
  /** The collections that were searched for the ids; if empty, nothing was checked. */
  readonly searched: readonly SnapshotCollection[];
  /** Collections that may also contain the ids, but that this run does not write. */
  readonly notSearched: readonly SnapshotCollection[];
  /** Number of records that refer to a missing id. */
  readonly dangling: number;
  /** Number of different missing ids. */
  readonly missingIds: number;
  /** The first record of each missing id, up to 20. */
  readonly first: readonly DanglingReference[];
}

/** A record that refers to a missing id. Beyond 10,000 waiting references only `index` is kept. */
export interface DanglingReference {
  /** Index of the record in its write, from 0. */
  readonly index: number;
  /** Id of the record; undefined if it has none, or if it was not kept. */
  readonly id: string | undefined;
  /** Location of the record, such as `licenses.csv:17`; undefined if its source has none, or if it was not kept. */
  readonly location: string | undefined;
  /** The missing id; undefined if it was not kept. */
  readonly missingId: string | undefined;
}

/** What completing a snapshot would change, by the ids in the ledger. */
export interface SnapshotChanges {
  /** What the snapshot was compared with. For `off` and `unreadable` nothing was, and all ids count as added. */
  readonly baseline: Baseline;
  /** Number of ids in the ledger. */
  readonly known: number;
  /** Number of ids that would be added. */
  readonly added: number;
  /** Number of known ids that would be kept. */
  readonly kept: number;
  /** Number of known ids that would be marked as removed, including those of invalid records. */
  readonly removed: number;
  /** Share of the known ids that would be removed, from 0 to 1; 0 if none is known. */
  readonly removedShare: number;
  /** The first ids that would be removed, up to 20, in the order of the ledger. */
  readonly firstRemoved: readonly string[];
  /** Why the guard would hold the run; undefined if it would not. */
  readonly held: HoldReason | undefined;
}

/** Most examples of one kind in a preview. */
export const MAX_EXAMPLES = 20;

/** Most examples of one kind in the text. */
const MAX_SHOWN = 5;

/**
 * Formats a preview as lines for a terminal or a log. They show ids and locations of records, never the contents.
 * @returns the lines, without a trailing line feed
 */
export function formatPreview(preview: RunPreview): string {
  const { collections, refusals } = preview;
  const lines = ["Preview: nothing was sent."];
  for (const [name, collection] of collectionEntries(collections)) lines.push(...linesOf(name, collection));
  lines.push(
    refusals.length === 0
      ? "A run would be completed."
      : `A run would not be completed. ${refusals.join(" ")}`,
  );
  return lines.map(escapeControls).join("\n");
}

function linesOf(name: Collection, preview: CollectionPreview): string[] {
  const { records, messages, bytes, invalid, issues, duplicates, references, changes } = preview;
  return [
    `${name}: ${counted(records, "record")}, ${counted(messages, "message")}, ${counted(bytes, "byte")}`,
    ...(changes === undefined ? [] : [`  ${changesLine(changes)}`]),
    ...(invalid === 0 ? [] : [`  invalid: ${counted(invalid, "record")}`]),
    ...(duplicates === undefined ? [] : duplicateLines(duplicates)),
    ...issues.map((issue) => `  - ${issueLine(issue)}`),
    ...references.flatMap((reference) => referenceLines(name, reference)),
  ];
}

function changesLine({ baseline, known, added, kept, removed, firstRemoved }: SnapshotChanges): string {
  if (baseline === "off") return "changes: unknown without a ledger";
  if (baseline === "unreadable") return "changes: unknown, because the ledger cannot be read";
  const examples = examplesOf(firstRemoved.map(quoted), removed);
  const unclear = baseline === "unclear" ? "; it is unclear whether the last run was completed" : "";
  const first = known === 0 && baseline === "none" ? "; the ledger has no ids of it yet" : "";
  return `changes: ${count(added)} added, ${count(kept)} kept, ${count(removed)} removed${examples}${unclear}${first}`;
}

function duplicateLines({ same, different, first }: DuplicateIds): string[] {
  if (same + different === 0) return [];
  const ids = first.map(({ id }) => quoted(id));
  return [
    `  duplicate ids: ${count(same)} with the same contents, ${count(different)} with different contents${examplesOf(ids, same + different)}`,
  ];
}

function issueLine(issue: InputIssue): string {
  const { collection, path, expected } = issue;
  return `${recordLine(collection, issue)}${path === "" ? "" : ` ${path}`}: expected ${expected}`;
}

function referenceLines(name: Collection, reference: ReferencePreview): string[] {
  const { field, searched, notSearched, dangling, missingIds, first } = reference;
  if (searched.length === 0)
    return [`  ${field}: not checked, because this run does not write ${notSearched.join(" or ")}`];
  if (dangling === 0) return [];
  const elsewhere =
    notSearched.length === 0 ? "" : `, unless in ${notSearched.join(" or ")}, which this run does not write`;
  return [
    `  ${field}: ${counted(dangling, "record")} dangling, ${counted(missingIds, "id")} not in ${searched.join(" or ")}${elsewhere}`,
    ...first.slice(0, MAX_SHOWN).map((record) => {
      const to = record.missingId === undefined ? "" : ` refers to ${quoted(record.missingId)}`;
      return `  - ${recordLine(name, record)}${to}`;
    }),
  ];
}

function recordLine(
  collection: string | undefined,
  { index, id, location }: InputIssue | DanglingReference,
): string {
  const suffix = location === undefined ? "" : ` (${location})`;
  return `${collection}[${index}]${id === undefined ? "" : ` ${quoted(id)}`}${suffix}`;
}

function examplesOf(examples: readonly string[], all: number): string {
  if (examples.length === 0) return "";
  const shown = examples.slice(0, MAX_SHOWN);
  return `: ${shown.join(", ")}${all > shown.length ? ", …" : ""}`;
}

/** Quotes show where an id begins and ends. */
function quoted(id: string): string {
  return JSON.stringify(id);
}

function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
