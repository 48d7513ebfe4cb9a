import { count, quoted } from "../../../sync/report-text.js";
import type { Change } from "./compare.js";

const SHOWN_IDS = 3;
const ID_LENGTH = 40;
const SHOWN_FIELDS = 4;

/** Says what changed, in words for a table: `removed 3 of 30 accounts ("a7", "a8", "a9")`. No contents of records. */
function describeChange({ kind, collection, ids, of, fields }: Change): string {
  const isMore = kind === "added" || kind === "doubled" || kind === "kept";
  const total = isMore ? count(ids.length) : `${count(ids.length)} of ${count(of)}`;
  const shownFields = fields.length === 0 ? "" : `: ${shorten(fields, SHOWN_FIELDS)}`;
  const named = ids.filter((id) => id !== "");
  const shownIds = named.length === 0 ? "" : ` (${shorten(named.map(shownId), SHOWN_IDS)})`;
  return `${kind} ${total} ${collection}${shownFields}${shownIds}`;
}

export function describeChanges(changes: readonly Change[]): string {
  return changes.map(describeChange).join("; ");
}

function shownId(id: string): string {
  return quoted(id.length > ID_LENGTH ? `${id.slice(0, ID_LENGTH)}…` : id);
}

function shorten(texts: readonly string[], most: number): string {
  const rest = texts.length - most;
  const shown = texts.slice(0, most).join(", ");
  return rest > 0 ? `${shown} and ${count(rest)} more` : shown;
}
