/** The vendor's items one by one, whether a page has many of them or each has an answer of its own. */
import { createHash } from "node:crypto";
import { isPlainObject } from "../../../core/validate.js";
import { jsonOf, withBody } from "../structure/body.js";
import { type JsonPath, leavesOf, valueAt, withValueAt } from "../structure/json-path.js";
import type { Plan } from "./kind.js";
import { noticedPages } from "./pages.js";
import type { View } from "./view.js";

export interface Entry {
  readonly exchange: number;
  /** Where the item is in the body. */
  readonly path: JsonPath;
  readonly value: unknown;
}

/** The items with most fields: of the main listing, or the details of its items. */
export function entriesOf({ recording, structure, main }: View): readonly Entry[] {
  const items: readonly Entry[] = (main?.pages ?? []).flatMap(({ exchange, items: values }) =>
    values.map((value, index) => ({ exchange, path: [...(main?.list ?? []), index], value })),
  );
  const details = structure.details.flatMap((exchange): readonly Entry[] => {
    const page = recording[exchange];
    return page === undefined ? [] : [{ exchange, path: [], value: jsonOf(page) }];
  });
  return fieldsIn(details[0]?.value) > fieldsIn(items[0]?.value) ? details : items;
}

function fieldsIn(value: unknown): number {
  return isPlainObject(value) ? Object.keys(value).length : 0;
}

/** As many of the items as the guard notices: of whole pages, or of details in succession. */
export function someEntries(view: View, entries: readonly Entry[]): readonly Entry[] {
  const { main } = view;
  if (main !== undefined && entries[0]?.path.length !== 0) {
    const exchanges = new Set(noticedPages(view, main).map((position) => main.pages[position]?.exchange));
    return entries.filter(({ exchange }) => exchanges.has(exchange));
  }
  return entries.slice(0, Math.max(5, Math.ceil(entries.length * 0.35)));
}

/** A plan that changes items. */
export function changing(
  view: View,
  entries: readonly Entry[],
  at: string,
  change: (item: unknown, index: number) => unknown,
): Plan {
  const changed = [...view.recording];
  for (const [index, { exchange, path, value }] of entries.entries()) {
    const page = changed[exchange];
    if (page === undefined) continue;
    changed[exchange] = withBody(page, { json: withValueAt(jsonOf(page), path, change(value, index)) });
  }
  return { at, exchanges: changed };
}

type FieldType = "string" | "boolean" | "number";

/** Paths at which all items have a value of a type, e-mail addresses and names first; ids are left out. */
export function fieldsOf(view: View, entries: readonly Entry[], type: FieldType): readonly JsonPath[] {
  const [first] = entries;
  const id = idPathOf(view, entries)?.join("\n");
  const paths = [...leavesOf(first?.value)]
    .map(({ path }) => path)
    .filter((path) => path.every((key) => typeof key === "string") && path.join("\n") !== id)
    .filter((path) => !/(^|_)id$|Id$/.test(`${path.at(-1)}`))
    .filter((path) =>
      entries.every(({ value }) => {
        const field = valueAt(value, path);
        return typeof field === type && field !== "";
      }),
    );
  const rank = (path: JsonPath) =>
    /mail/i.test(`${path.at(-1)}`) ? 0 : /name/i.test(`${path.at(-1)}`) ? 1 : 2;
  return paths.sort((one, other) => rank(one) - rank(other));
}

export function idPathOf({ main }: View, entries: readonly Entry[]): JsonPath | undefined {
  const id = main?.id;
  return id !== undefined && entries.every(({ value }) => valueAt(value, id) !== undefined) ? id : undefined;
}

export function fieldLabel(path: JsonPath): string {
  return path.join(".");
}

/** A number that is always the same for a text, as eight hexadecimal digits. */
export function shortDigest(value: unknown): string {
  return createHash("sha256").update(`${value}`).digest("hex").slice(0, 8);
}
