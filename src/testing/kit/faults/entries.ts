/** The vendor's items, whether a page has many of them or each has an answer of its own. */
import { jsonOf, withBody } from "../structure/edit.js";
import { type JsonPath, valueAt, withValueAt } from "../structure/json-path.js";
import {
  type FaultKind,
  isNoticedByGuard,
  kindsOf,
  NOTICED_ITEMS,
  NOTICED_SHARE,
  type Plan,
  type View,
} from "./fault.js";
import { ITEM_FAULTS, type ItemFault, isFewerFields } from "./items.js";

interface Entry {
  readonly exchange: number;
  /** Where the item is in the body. */
  readonly path: JsonPath;
  readonly value: unknown;
}

export const ENTRIES: readonly FaultKind[] = kindsOf(ITEM_FAULTS, planOf);

function planOf(view: View, [, where, , plan]: ItemFault): Plan | undefined {
  const entries = entriesOf(view);
  const values = entries.map(({ value }) => value);
  const { id: own } = view.main ?? {};
  const id =
    own !== undefined && values.every((value) => valueAt(value, own) !== undefined) ? own : undefined;
  const planned = entries.length < NOTICED_ITEMS ? undefined : plan({ values, id, pick: view.pick });
  if (planned === undefined) return undefined;
  const struck = where.startsWith("all")
    ? entries
    : where.startsWith("some")
      ? someOf(view, entries)
      : oneOf(view, entries);
  const changed = [...view.recording];
  let count = 0;
  for (const { exchange, path, value } of struck) {
    const page = changed[exchange];
    const other = planned.change(value, values.indexOf(value));
    if (page === undefined || other === value) continue;
    count += 1;
    changed[exchange] = withBody(page, { json: withValueAt(jsonOf(page), path, other) });
  }
  // Fewer changes than the guard notices look like people who left and others who came.
  if (where !== "one" && (count < NOTICED_ITEMS || count < entries.length * NOTICED_SHARE)) return undefined;
  return { at: planned.at, exchanges: changed, seenByGuardOnly: where.endsWith("valid") };
}

/** The items with most fields: of the main listing, or the details of its items. */
function entriesOf({ recording, structure, main }: View): readonly Entry[] {
  const items: readonly Entry[] = (main?.pages ?? []).flatMap(({ exchange, items: values }) =>
    values.map((value, index) => ({ exchange, path: [...(main?.list ?? []), index], value })),
  );
  const details = structure.details.flatMap((exchange): readonly Entry[] => {
    const page = recording[exchange];
    return page === undefined ? [] : [{ exchange, path: [], value: jsonOf(page) }];
  });
  return isFewerFields(items[0]?.value, details[0]?.value) ? details : items;
}

/** As many of the items as the guard notices: of whole pages, or of details in succession. */
function someOf(view: View, entries: readonly Entry[]): readonly Entry[] {
  const { main } = view;
  if (main === undefined || entries[0]?.path.length === 0)
    return entries.slice(0, Math.max(NOTICED_ITEMS, Math.ceil(entries.length * 0.35)));
  const start = view.pick(main.pages.map((_, position) => position)) ?? 0;
  const some: Entry[] = [];
  for (const { exchange } of [...main.pages.slice(start), ...main.pages.slice(0, start)]) {
    if (isNoticedByGuard(main, some.length)) break;
    some.push(...entries.filter((entry) => entry.exchange === exchange));
  }
  return some;
}

function oneOf(view: View, entries: readonly Entry[]): readonly Entry[] {
  const entry = view.pick(entries);
  return entry === undefined ? [] : [entry];
}
