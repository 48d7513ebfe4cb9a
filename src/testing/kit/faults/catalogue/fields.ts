/** Fields that are renamed, missing, empty, or of another type. */
import { type JsonPath, valueAt, withValueAt } from "../../structure/json-path.js";
import { changing, type Entry, entriesOf, fieldLabel, fieldsOf, someEntries } from "../entries.js";
import type { FaultKind } from "../kind.js";
import type { View } from "../view.js";

/** Fewer values than this are below every rule of the guard. */
const FEWEST = 5;

type Change = (item: unknown, path: JsonPath) => unknown;

function field(
  name: string,
  summary: string,
  type: "string" | "boolean" | "number",
  change: Change,
  some: (view: View, entries: readonly Entry[]) => readonly Entry[] = (_, entries) => entries,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const entries = entriesOf(view);
      const path = view.pick(fieldsOf(view, entries, type).slice(0, 2));
      if (path === undefined || entries.length < FEWEST) return undefined;
      const struck = some(view, entries);
      const plan = changing(view, struck, fieldLabel(path), (item) => change(item, path));
      // A field without a value is valid; one that is missing, or has another type, is not.
      return change === empty || change === nothing ? { ...plan, seenByGuardOnly: true } : plan;
    },
  };
}

const renamed: Change = (item, path) => {
  const name = `${path.at(-1)}_v2`;
  return withValueAt(withValueAt(item, [...path.slice(0, -1), name], valueAt(item, path)), path, undefined);
};
const to =
  (map: (value: unknown) => unknown): Change =>
  (item, path) =>
    withValueAt(item, path, map(valueAt(item, path)));
const missing = to(() => undefined);
const empty = to(() => "");
const nothing = to(() => null);

export const FIELDS: readonly FaultKind[] = [
  field("field-renamed-everywhere", "a field is renamed on all items", "string", renamed),
  field("field-renamed-on-pages", "a field is renamed on some pages", "string", renamed, someEntries),
  field("field-missing-everywhere", "a field is missing on all items", "string", missing),
  field("field-missing-on-pages", "a field is missing on some pages", "string", missing, someEntries),
  field("field-empty-everywhere", "a field is empty on all items", "string", empty),
  field("field-empty-on-pages", "a field is empty on some pages", "string", empty, someEntries),
  field("field-null-everywhere", "a field is null on all items", "string", nothing),
  field("field-null-on-pages", "a field is null on some pages", "string", nothing, someEntries),
  field(
    "string-becomes-object",
    "a string became an object with the string in it",
    "string",
    to((value) => ({ value })),
  ),
  field("number-becomes-string", "a number became a string", "number", to(String)),
  field("boolean-becomes-string", "a boolean became the string true or false", "boolean", to(String)),
  field("boolean-becomes-number", "a boolean became 1 or 0", "boolean", to(Number)),
  {
    name: "unicode-cut",
    summary: "a text was cut in the middle of an emoji",
    plan(view) {
      const entries = entriesOf(view);
      const [path] = fieldsOf(view, entries, "string");
      const entry = view.pick(entries);
      if (path === undefined || entry === undefined) return undefined;
      return changing(view, [entry], fieldLabel(path), (item) =>
        withValueAt(item, path, `${valueAt(item, path)}\ud83d`),
      );
    },
  },
];
