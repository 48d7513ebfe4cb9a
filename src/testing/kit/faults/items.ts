/** Faults in single items, whether of a vendor's answers or of a source of records. */
import { createHash } from "node:crypto";
import { isPlainObject } from "../../../core/validate.js";
import { jsonOf, withBody } from "../structure/edit.js";
import { isWithin, type JsonPath, leavesOf, valueAt, withValueAt } from "../structure/json-path.js";
import { type FaultKind, isNoticedByGuard, kindsOf, NOTICED_ITEMS, type Plan, type View } from "./fault.js";

/** The items of a source. */
export interface Items {
  readonly values: readonly unknown[];
  /** Path of the id in all items. */
  readonly id: JsonPath | undefined;
  pick<Place>(places: readonly Place[]): Place | undefined;
}

export type ItemFault = readonly [
  name: string,
  /** Which items change: all, some (as many as the guard notices), or one. Only a guard notices "valid" changes. */
  where: "all" | "all valid" | "some" | "some valid" | "one",
  summary: string,
  /** @returns undefined if the fault doesn't apply to the items */
  plan: (items: Items) => ItemPlan | undefined,
];

interface ItemPlan {
  /** What changes, for example the name of a field. */
  readonly at: string;
  readonly change: (item: unknown, index: number) => unknown;
}

type Change = (item: unknown, path: JsonPath) => unknown;

export const ITEM_FAULTS: readonly ItemFault[] = [
  ["field-missing-in-some", "some", "a field is missing on some items", field("string", to(undefined))],
  ["field-null", "all valid", "a field is null on all items", field("string", to(null))],
  ["number-becomes-string", "all", "a number became a string", field("number", by(String))],
  ["unicode-cut", "one", "a text was cut in the middle of an emoji", field("string", by(cutEmoji))],
  ["ids-of-other-type", "all", "all ids are strings instead of numbers, or vice versa", ids(otherType)],
  ["item-without-id", "one", "an item has no id", ids(() => undefined)],
  ["other-tenant-in-some", "some valid", "some items belong to another tenant", otherTenant],
];

/** Changes a field that all items have; names and addresses first. */
function field(type: "string" | "boolean" | "number", change: Change): ItemFault[3] {
  return (items) => {
    const path = items.pick(fieldsOf(items, type).slice(0, 2));
    return path && { at: path.join("."), change: (item) => change(item, path) };
  };
}

function to(value: unknown): Change {
  return by(() => value);
}

function by(map: (value: unknown) => unknown): Change {
  return (item, path) => withValueAt(item, path, map(valueAt(item, path)));
}

function cutEmoji(value: unknown): unknown {
  return `${value}\ud83d`;
}

function ids(change: (id: string | number) => unknown): ItemFault[3] {
  return ({ id: path }) =>
    path && {
      at: path.join("."),
      change(item) {
        const id = valueAt(item, path);
        const changed = typeof id === "string" || typeof id === "number" ? change(id) : id;
        return changed === id ? item : withValueAt(item, path, changed);
      },
    };
}

/** An id in upper case, or in lower case if it already is in upper case. */
export function otherCase(id: string | number): string {
  const text = `${id}`;
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

function otherType(id: string | number): string | number {
  if (typeof id === "number") return `${id}`;
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

/** Changes only names and addresses: dates and kinds remain valid. */
function otherTenant(items: Items): ItemPlan | undefined {
  const { id } = items;
  if (id === undefined) return undefined;
  const change = (item: unknown) => {
    const old = valueAt(item, id);
    const digest = shortDigest(old);
    return withValueAt(renamedPerson(item, id), id, typeof old === "number" ? parseInt(digest, 16) : digest);
  };
  return { at: "the items", change };
}

/** Another person's names and addresses, always the same for an id. */
export function renamedPerson(item: unknown, id: JsonPath): unknown {
  const digest = shortDigest(valueAt(item, id));
  return [...leavesOf(item)].reduce<unknown>((changed, { path, value }) => {
    const key = `${path.at(-1)}`;
    if (typeof value !== "string" || !/name|mail/i.test(key) || isOfAnother(item, path, id)) return changed;
    return withValueAt(changed, path, /mail/i.test(key) ? `${digest}@example.com` : `Person ${digest}`);
  }, item);
}

/**
 * Whether a field belongs to something else with its own id, such as a member of a team or the user of a sign-in.
 * The same id with another name would be a contradiction, not another person.
 */
function isOfAnother(item: unknown, path: JsonPath, id: JsonPath): boolean {
  const inner = path.slice(1).map((_, index) => path.slice(0, index + 1));
  const has = (at: JsonPath, name: string) => valueAt(item, [...at, name]) !== undefined;
  const subject = `${path.at(-1)}`.replace(/[-_]?(display_?)?(name|e?-?mail)$/i, "");
  return (
    path.some((key) => typeof key === "number") ||
    inner.some((at) => !isWithin(id, at) && (has(at, "id") || has(at, "_id"))) ||
    (subject !== "" &&
      [`${subject}Id`, `${subject}_id`].some((name) => name !== id.at(-1) && has(path.slice(0, -1), name)))
  );
}

/** Paths at which all items have a value of a type, e-mail addresses and names first; ids are left out. */
function fieldsOf({ values, id }: Items, type: "string" | "boolean" | "number"): readonly JsonPath[] {
  const paths = [...leavesOf(values[0])]
    .map(({ path }) => path)
    .filter((path) => path.every((key) => typeof key === "string") && path.join("\n") !== id?.join("\n"))
    .filter((path) => !/(^|_)id$|Id$/.test(`${path.at(-1)}`))
    .filter((path) =>
      values.every((value) => {
        const found = valueAt(value, path);
        return typeof found === type && found !== "";
      }),
    );
  const rank = (path: JsonPath) =>
    /mail/i.test(`${path.at(-1)}`) ? 0 : /name/i.test(`${path.at(-1)}`) ? 1 : 2;
  return paths.sort((one, other) => rank(one) - rank(other));
}

function isFewerFields(value: unknown, other: unknown): boolean {
  const count = (item: unknown) => (isPlainObject(item) ? Object.keys(item).length : 0);
  return count(value) < count(other);
}

/** A number that is always the same for a text, as eight hexadecimal digits. */
function shortDigest(value: unknown): string {
  return createHash("sha256").update(`${value}`).digest("hex").slice(0, 8);
}

interface Entry {
  readonly exchange: number;
  /** Path of the item in the body. */
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
  const chosen = where.startsWith("all")
    ? entries
    : where.startsWith("some")
      ? someOf(view, entries)
      : oneOf(view, entries);
  const changed = [...view.recording];
  let count = 0;
  for (const { exchange, path, value } of chosen) {
    const page = changed[exchange];
    const other = planned.change(value, values.indexOf(value));
    if (page === undefined || other === value) continue;
    count += 1;
    changed[exchange] = withBody(page, { json: withValueAt(jsonOf(page), path, other) });
  }
  // If too few items change for the guard to notice, they look like people who joined and left.
  if (where !== "one" && !isNoticedByGuard(count, entries.length)) return undefined;
  return { at: planned.at, exchanges: changed, seenByGuardOnly: where.endsWith("valid") };
}

/** The items with the most fields: those of the main listing, or the details of its items. */
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

/** As many items as the guard notices: whole pages, or consecutive details. */
function someOf(view: View, entries: readonly Entry[]): readonly Entry[] {
  const { main } = view;
  if (main === undefined || entries[0]?.path.length === 0)
    return entries.slice(0, Math.max(NOTICED_ITEMS, Math.ceil(entries.length * 0.35)));
  const start = view.pick(main.pages.map((_, position) => position)) ?? 0;
  const some: Entry[] = [];
  for (const { exchange } of [...main.pages.slice(start), ...main.pages.slice(0, start)]) {
    if (isNoticedByGuard(some.length, entries.length)) break;
    some.push(...entries.filter((entry) => entry.exchange === exchange));
  }
  return some;
}

function oneOf(view: View, entries: readonly Entry[]): readonly Entry[] {
  const entry = view.pick(entries);
  return entry === undefined ? [] : [entry];
}
