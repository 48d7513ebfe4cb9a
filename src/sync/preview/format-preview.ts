import type { InputIssue } from "../../core/errors/index.js";
import { escapeControls } from "../../core/redact.js";
import type { CollectionName } from "../collections.js";
import { collectionEntries } from "../collections.js";
import { count } from "../progress.js";
import type {
  CollectionPreview,
  DanglingReference,
  DuplicateIds,
  ReferencePreview,
  SnapshotChanges,
  SyncPreview,
} from "./sync-preview.js";

/** Most examples on a line. */
const SHOWN = 5;

/**
 * Writes a preview as lines of text for a terminal or a log. Of records it shows ids and places, never the contents.
 * @returns the lines, without a line feed at the end
 */
export function formatPreview(preview: SyncPreview): string {
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

function linesOf(name: CollectionName, preview: CollectionPreview): string[] {
  const { records, messages, bytes, invalid, issues, duplicates, references, changes } = preview;
  return [
    `${name}: ${many(records, "record")}, ${many(messages, "message")}, ${many(bytes, "byte")}`,
    ...(changes === undefined ? [] : [`  ${changesLine(changes)}`]),
    ...(invalid === 0 ? [] : [`  invalid: ${many(invalid, "record")}`]),
    ...(duplicates === undefined ? [] : duplicateLines(duplicates)),
    ...issues.map((issue) => `  - ${issueLine(issue)}`),
    ...references.flatMap((reference) => referenceLines(name, reference)),
  ];
}

function changesLine({ baseline, known, added, kept, removed, firstRemoved }: SnapshotChanges): string {
  if (baseline === "off") return "changes: not known without a ledger";
  if (baseline === "unreadable") return "changes: not known, because the ledger cannot be read";
  const gone = list(firstRemoved.map(quoted), removed);
  const unclear = baseline === "unclear" ? "; whether the last run was completed is not clear" : "";
  const first = known === 0 && baseline === "none" ? "; the ledger knows nothing of it yet" : "";
  return `changes: ${count(added)} added, ${count(kept)} kept, ${count(removed)} removed${gone}${unclear}${first}`;
}

function duplicateLines({ same, different, first }: DuplicateIds): string[] {
  if (same + different === 0) return [];
  const ids = list(
    first.map(({ id }) => quoted(id)),
    same + different,
  );
  return [
    `  duplicate ids: ${count(same)} with the same contents, ${count(different)} with different contents${ids}`,
  ];
}

function issueLine(issue: InputIssue): string {
  const { collection, path, expected } = issue;
  return `${placeLine(collection, issue)}${path === "" ? "" : ` ${path}`}: expected ${expected}`;
}

function referenceLines(name: CollectionName, reference: ReferencePreview): string[] {
  const { field, searched, notSearched, dangling, missingIds, first } = reference;
  if (searched.length === 0)
    return [`  ${field}: not checked, because this run does not write ${notSearched.join(" or ")}`];
  if (dangling === 0) return [];
  const elsewhere =
    notSearched.length === 0 ? "" : `, unless in ${notSearched.join(" or ")}, which this run does not write`;
  return [
    `  ${field}: ${many(dangling, "record")} dangling, ${many(missingIds, "id")} not in ${searched.join(" or ")}${elsewhere}`,
    ...first.slice(0, SHOWN).map((record) => `  - ${danglingLine(name, record)}`),
  ];
}

function danglingLine(name: CollectionName, reference: DanglingReference): string {
  const from = placeLine(name, reference);
  const { missingId } = reference;
  return missingId === undefined ? from : `${from} refers to ${quoted(missingId)}`;
}

/** Which record it is, and where it comes from. */
function placeLine(
  collection: string | undefined,
  { index, id, location }: InputIssue | DanglingReference,
): string {
  const place = location === undefined ? "" : ` (${location})`;
  return `${collection}[${index}]${id === undefined ? "" : ` ${quoted(id)}`}${place}`;
}

/** The first of so many, behind a colon. */
function list(shown: readonly string[], all: number): string {
  if (shown.length === 0) return "";
  const some = shown.slice(0, SHOWN);
  return `: ${some.join(", ")}${all > some.length ? ", …" : ""}`;
}

/** An id, so that it shows where it begins and ends. */
function quoted(id: string): string {
  return JSON.stringify(id);
}

function many(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
