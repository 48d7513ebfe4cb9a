import { isObject } from "../../../core/validate.js";
import type { Inspection } from "../../../reference-server/sync/inspect.js";
import { COLLECTIONS, type Collection, isCollection } from "../../../sync/collections.js";
import { count, quoted } from "../../../sync/report-text.js";

/**
 * How records of one collection differ from those of the clean run:
 *
 * - `removed`: marked as removed, but the clean run keeps them
 * - `lost`: never sent, but the clean run sends them
 * - `emptied`: no value in a field that has one in the clean run
 * - `changed`: with another value
 * - `doubled`: present twice, under another id or as another event
 * - `added`: unknown to the clean run
 * - `kept`: present, but the clean run removes them
 */
export interface Change {
  readonly kind: "removed" | "lost" | "emptied" | "changed" | "doubled" | "added" | "kept";
  readonly collection: Collection;
  /** Ids; `""` for events without one. */
  readonly ids: readonly string[];
  /** How many records the clean run leaves in the collection. */
  readonly of: number;
  /** Fields that were emptied or changed. */
  readonly fields: readonly string[];
}

interface Row {
  readonly id: string;
  readonly removed: boolean;
  readonly record: object;
}

interface Difference {
  readonly kind: Change["kind"];
  readonly id: string;
  readonly fields?: readonly string[];
}

/**
 * Compares the server's data with its data after the clean run.
 * @param volatile Fields that differ between clean runs too, such as `accounts.lastSeenAt`.
 */
export function compareEffects(
  effect: Inspection,
  clean: Inspection,
  volatile: ReadonlySet<string> = new Set(),
): readonly Change[] {
  return Object.keys(clean.snapshots)
    .filter(isCollection)
    .flatMap((collection) => {
      const rows: readonly Row[] = clean.snapshots[collection];
      const now: readonly Row[] = effect.snapshots[collection];
      const isSteady = (field: string) => !volatile.has(`${collection}.${field}`);
      const differences = [
        ...byId(now.filter(hasId), rows.filter(hasId), COLLECTIONS[collection].idField, isSteady),
        ...byContent(now.filter(lacksId), rows.filter(lacksId)),
      ];
      return changesOf(collection, differences, rows.filter(({ removed }) => !removed).length);
    });
}

const hasId = ({ id }: Row) => id !== "";
const lacksId = ({ id }: Row) => id === "";

function byId(
  actual: readonly Row[],
  clean: readonly Row[],
  idField: string | undefined,
  isSteady: (field: string) => boolean,
): Difference[] {
  const now = new Map(actual.map((row) => [row.id, row]));
  const differences: Difference[] = [];
  const expected = new Set<string>();
  const contents = new Map<string, string>();
  for (const { id, removed, record } of clean) {
    const row = now.get(id);
    const isThere = row !== undefined && !row.removed;
    expected.add(id);
    if (removed) {
      if (isThere) differences.push({ kind: "kept", id });
    } else if (!isThere) {
      differences.push({ kind: row === undefined ? "lost" : "removed", id });
    } else {
      contents.set(contentOf(record, idField), id);
      const { emptied, changed } = differingFields(record, row.record, isSteady);
      if (emptied.length > 0) differences.push({ kind: "emptied", id, fields: emptied });
      if (changed.length > 0) differences.push({ kind: "changed", id, fields: changed });
    }
  }
  for (const { id, removed, record } of actual) {
    if (removed || expected.has(id)) continue;
    differences.push({ kind: contents.has(contentOf(record, idField)) ? "doubled" : "added", id });
  }
  return differences;
}

/** Equal events without ids are separate observations, so they are counted. */
function byContent(actual: readonly Row[], clean: readonly Row[]): Difference[] {
  const counts = new Map<string, { clean: number; now: number }>();
  const countOf = ({ record }: Row) => {
    const content = contentOf(record, undefined);
    const count = counts.get(content) ?? { clean: 0, now: 0 };
    counts.set(content, count);
    return count;
  };
  for (const row of clean) countOf(row).clean += 1;
  for (const row of actual) countOf(row).now += 1;
  return [...counts.values()].flatMap((count) => {
    const kind = count.now < count.clean ? "lost" : count.clean === 0 ? "added" : "doubled";
    return Array.from({ length: Math.abs(count.now - count.clean) }, () => ({ kind, id: "" }) as const);
  });
}

function changesOf(collection: Collection, differences: readonly Difference[], of: number): Change[] {
  const kinds = [...new Set(differences.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const alike = differences.filter((difference) => difference.kind === kind);
    const fields = [...new Set(alike.flatMap(({ fields = [] }) => fields))];
    return { kind, collection, ids: alike.map(({ id }) => id), of, fields };
  });
}

const SHOWN_IDS = 3;
const ID_LENGTH = 40;
const SHOWN_FIELDS = 4;

/** Describes a change for a table, without contents of records: `removed 3 of 30 accounts ("a7", "a8", "a9")`. */
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

/** The values of a record by the path of their field, such as `email` or `microsoft.displayName`, each as JSON. */
export function fieldsOf(record: object, prefix = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(record)) {
    if (isEmpty(value)) continue;
    const path = `${prefix}${name}`;
    if (isObject(value) && !Array.isArray(value))
      for (const [inner, text] of fieldsOf(value, `${path}.`)) fields.set(inner, text);
    else fields.set(path, JSON.stringify(value));
  }
  return fields;
}

/** An empty string counts as empty: connectors write one for a field that they didn't find. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

/** Returns a record's contents without its id field, so records that differ in nothing else have the same text. */
function contentOf(record: object, idField: string | undefined): string {
  const fields = [...fieldsOf(record)].filter(([path]) => path.split(".").at(-1) !== idField);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fields that another version of a record lacks or has with other values. */
function differingFields(
  expected: object,
  actual: object,
  isSteady: (field: string) => boolean,
): { readonly emptied: readonly string[]; readonly changed: readonly string[] } {
  const [before, now] = [fieldsOf(expected), fieldsOf(actual)];
  const emptied = [...before.keys()].filter((path) => !now.has(path) && isSteady(path));
  const changed = [...now.keys()].filter((path) => before.get(path) !== now.get(path) && isSteady(path));
  return { emptied, changed };
}
