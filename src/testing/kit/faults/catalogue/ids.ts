/** The ids of the items are written in another way. */
import { valueAt, withValueAt } from "../../structure/json-path.js";
import { changing, type Entry, entriesOf, idPathOf, someEntries } from "../entries.js";
import type { FaultKind } from "../kind.js";
import type { View } from "../view.js";

const FEWEST = 5;

const everywhere = (_: View, entries: readonly Entry[]): readonly Entry[] => entries;

function ids(
  name: string,
  summary: string,
  change: (id: string | number) => unknown,
  some: (view: View, entries: readonly Entry[]) => readonly Entry[] = everywhere,
  isPlausible = true,
): FaultKind {
  return {
    name,
    summary,
    plan(view) {
      const entries = entriesOf(view);
      const path = idPathOf(view, entries);
      if (path === undefined || entries.length < FEWEST) return undefined;
      const changed = (item: unknown) => {
        const id = valueAt(item, path);
        return typeof id === "string" || typeof id === "number" ? change(id) : id;
      };
      const struck = some(view, entries).filter(({ value }) => changed(value) !== valueAt(value, path));
      // Fewer changed ids than the guard notices look like people who left and others who came.
      if (struck.length < FEWEST || struck.length < entries.length * 0.3) return undefined;
      const plan = changing(view, struck, path.join("."), (item) => withValueAt(item, path, changed(item)));
      // Ids of another type, and equal ones, can be told by each connector.
      return isPlausible ? { ...plan, seenByGuardOnly: true } : plan;
    },
  };
}

const upper = (id: string | number) => {
  const text = `${id}`;
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
};
const prefixed = (id: string | number) => `usr_${id}`;
const padded = (id: string | number) => ` ${id} `;
const otherType = (id: string | number) =>
  typeof id === "number" ? `${id}` : Number.isSafeInteger(Number(id)) ? Number(id) : id;

export const IDS: readonly FaultKind[] = [
  ids("ids-in-other-case", "all ids are in another case", upper),
  ids("ids-in-other-case-on-pages", "the ids of some pages are in another case", upper, someEntries),
  ids("ids-prefixed", "all ids have a prefix", prefixed),
  ids("ids-prefixed-on-pages", "the ids of some pages have a prefix", prefixed, someEntries),
  ids("ids-padded", "all ids have spaces around them", padded),
  ids("ids-padded-on-pages", "the ids of some pages have spaces around them", padded, someEntries),
  ids(
    "ids-of-other-type",
    "numbers became strings, or strings of digits numbers, in all ids",
    otherType,
    everywhere,
    false,
  ),
  ids("ids-all-equal", "all items have the same id", () => "0", everywhere, false),
];
