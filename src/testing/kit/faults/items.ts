/** Faults of items one by one, whether a vendor's answers or a source of records have them. */
import { createHash } from "node:crypto";
import { isPlainObject } from "../../../core/validate.js";
import { type JsonPath, leavesOf, valueAt, withValueAt } from "../structure/json-path.js";

/** The items of a source. */
export interface Items {
  readonly values: readonly unknown[];
  /** Where all of them have their id. */
  readonly id: JsonPath | undefined;
  pick<Place>(places: readonly Place[]): Place | undefined;
}

export interface ItemFault {
  readonly name: string;
  readonly summary: string;
  /** Which items are struck: all, as many as the guard notices, or one. */
  readonly which: "all" | "some" | "one";
  /** Whether each item stays valid, so that nothing but the guard can see it. */
  readonly seenByGuardOnly: boolean;
  /** @returns undefined if the items have nothing that it could strike */
  plan(items: Items): ItemPlan | undefined;
}

interface ItemPlan {
  /** What is struck, such as the name of a field. */
  readonly at: string;
  readonly change: (item: unknown, index: number) => unknown;
}

/** The guard compares names, addresses and booleans from 20 known records on. */
const FEWEST_COMPARED = 24;

type Marks = Pick<ItemFault, "which" | "seenByGuardOnly">;
const ALL: Marks = { which: "all", seenByGuardOnly: false };
const SOME: Marks = { which: "some", seenByGuardOnly: false };
const ONE: Marks = { which: "one", seenByGuardOnly: false };
const ALL_VALID: Marks = { which: "all", seenByGuardOnly: true };
const SOME_VALID: Marks = { which: "some", seenByGuardOnly: true };

export const ITEM_FAULTS: readonly ItemFault[] = [
  field("field-renamed", "a field is renamed on all items", ALL, "string", (item, path) =>
    withValueAt(
      withValueAt(item, [...path.slice(0, -1), `${path.at(-1)}_v2`], valueAt(item, path)),
      path,
      undefined,
    ),
  ),
  field("field-missing-in-some", "a field is missing on some items", SOME, "string", to(undefined)),
  field("field-empty", "a field is empty on all items", ALL_VALID, "string", to("")),
  field("field-empty-in-some", "a field is empty on some items", SOME_VALID, "string", to("")),
  field("field-null", "a field is null on all items", ALL_VALID, "string", to(null)),
  field(
    "string-becomes-object",
    "a string became an object with the string in it",
    ALL,
    "string",
    by(wrapped),
  ),
  field("number-becomes-string", "a number became a string", ALL, "number", by(String)),
  field("boolean-becomes-string", "a boolean became the string true or false", ALL, "boolean", by(String)),
  field(
    "unicode-cut",
    "a text was cut in the middle of an emoji",
    ONE,
    "string",
    by((value) => `${value}\ud83d`),
  ),
  ids("ids-in-other-case", "all ids are in another case", ALL_VALID, otherCase),
  ids("ids-prefixed", "all ids have a prefix", ALL_VALID, (id) => `usr_${id}`),
  ids("ids-prefixed-in-some", "the ids of some items have a prefix", SOME_VALID, (id) => `usr_${id}`),
  ids("ids-padded", "all ids have spaces around them", ALL_VALID, (id) => ` ${id} `),
  ids("ids-of-other-type", "all ids are strings instead of numbers, or the other way", ALL, otherType),
  ids("ids-all-equal", "all items have the same id", ALL, () => "0"),
  ids("item-without-id", "an item has no id", ONE, () => undefined),
  {
    name: "item-null",
    summary: "an item is null",
    ...ONE,
    plan: () => ({ at: "an item", change: () => null }),
  },
  { name: "other-tenant", summary: "all items are those of another tenant", ...ALL_VALID, plan: otherTenant },
  {
    name: "other-tenant-in-some",
    summary: "some items are another tenant's",
    ...SOME_VALID,
    plan: otherTenant,
  },
  { name: "fields-of-neighbors", summary: "each item has the id of the next", ...ALL_VALID, plan: neighbors },
];

/** Changes a field that all items have; names and addresses first. */
function field(
  name: string,
  summary: string,
  marks: Marks,
  type: "string" | "boolean" | "number",
  change: (item: unknown, path: JsonPath) => unknown,
): ItemFault {
  return {
    name,
    summary,
    ...marks,
    plan(items) {
      const path = items.pick(fieldsOf(items, type).slice(0, 2));
      return path && { at: path.join("."), change: (item) => change(item, path) };
    },
  };
}

function to(value: unknown): (item: unknown, path: JsonPath) => unknown {
  return by(() => value);
}

function by(map: (value: unknown) => unknown): (item: unknown, path: JsonPath) => unknown {
  return (item, path) => withValueAt(item, path, map(valueAt(item, path)));
}

function wrapped(value: unknown): unknown {
  return { value };
}

function ids(
  name: string,
  summary: string,
  marks: Marks,
  change: (id: string | number) => unknown,
): ItemFault {
  return {
    name,
    summary,
    ...marks,
    plan: ({ id: path }) =>
      path && {
        at: path.join("."),
        change(item) {
          const id = valueAt(item, path);
          const changed = typeof id === "string" || typeof id === "number" ? change(id) : id;
          return changed === id ? item : withValueAt(item, path, changed);
        },
      },
  };
}

/** An id in capitals, or in small letters if it is in capitals. */
export function otherCase(id: string | number): string {
  const text = `${id}`;
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

function otherType(id: string | number): string | number {
  if (typeof id === "number") return `${id}`;
  return Number.isSafeInteger(Number(id)) ? Number(id) : id;
}

/** Only names and addresses are others: dates and kinds remain valid. */
function otherTenant(items: Items): ItemPlan | undefined {
  const { id } = items;
  if (id === undefined) return undefined;
  const change = (item: unknown) => {
    const old = valueAt(item, id);
    const digest = shortDigest(old);
    return withValueAt(renamedPerson(item, old), id, typeof old === "number" ? parseInt(digest, 16) : digest);
  };
  return { at: "the items", change };
}

function neighbors(items: Items): ItemPlan | undefined {
  const { id, values } = items;
  const named = fieldsOf(items, "string").filter((path) => /name|mail/i.test(`${path.at(-1)}`));
  if (id === undefined || values.length < FEWEST_COMPARED || named.length < 2) return undefined;
  return {
    at: "the items",
    change: (item, index) => withValueAt(item, id, valueAt(values[(index + 1) % values.length], id)),
  };
}

/** Another person's names and addresses: always the same ones for an id. */
export function renamedPerson(item: unknown, id: unknown): unknown {
  const digest = shortDigest(id);
  return [...leavesOf(item)].reduce<unknown>((changed, { path, value }) => {
    const key = `${path.at(-1)}`;
    if (typeof value !== "string" || !/name|mail/i.test(key)) return changed;
    return withValueAt(changed, path, /mail/i.test(key) ? `${digest}@example.com` : `Person ${digest}`);
  }, item);
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

export function isFewerFields(value: unknown, other: unknown): boolean {
  const count = (item: unknown) => (isPlainObject(item) ? Object.keys(item).length : 0);
  return count(value) < count(other);
}

/** A number that is always the same for a text, as eight hexadecimal digits. */
function shortDigest(value: unknown): string {
  return createHash("sha256").update(`${value}`).digest("hex").slice(0, 8);
}
