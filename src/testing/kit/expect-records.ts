import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import { InvalidInputError } from "../../core/errors/index.js";
import { describeType, isObject } from "../../core/validate.js";
import {
  COLLECTIONS,
  type Collection,
  isCollection,
  unknownCollectionError,
} from "../../sync/collections.js";
import { stringIn } from "../../sync/encoding/record-id.js";
import type { RecordTypes } from "../../sync/generated/records.js";
import { count, quoted } from "../../sync/report-text.js";
import { differingFields } from "./effect/compare.js";

const SHOWN = 10;

/** The records of one collection by id; records without one by their position. */
type Keyed = ReadonlyMap<string, object>;

/**
 * Compares records with expected ones, such as those of a golden file, in any order. Dates equal ISO 8601 strings in UTC,
 * and `null` equals an absent field.
 * @throws {AssertionError} they differ; the message names collections, ids and fields, and `actual` and `expected`, which
 *   test runners show, hold the records that differ
 * @throws {InvalidInputError} an argument is not an object of collections
 */
export function expectRecords(
  actual: { readonly [C in keyof RecordTypes]?: readonly RecordTypes[C][] | undefined },
  expected: { readonly [C in keyof RecordTypes]?: readonly RecordTypes[C][] | undefined },
): void {
  const [given, wanted] = [readRecords("actual", actual), readRecords("expected", expected)];
  const lines: string[] = [];
  const shown = { actual: {}, expected: {} };
  for (const name of new Set([...wanted.keys(), ...given.keys()])) {
    const [now, then] = [given.get(name) ?? new Map(), wanted.get(name) ?? new Map()];
    const differing = [...new Set([...then.keys(), ...now.keys()])].filter(
      (id) => !isDeepStrictEqual(now.get(id), then.get(id)),
    );
    if (differing.length === 0) continue;
    lines.push(...collectionLines(name, now, then, differing));
    Object.assign(shown.actual, { [name]: pick(now, differing) });
    Object.assign(shown.expected, { [name]: pick(then, differing) });
  }
  if (lines.length === 0) return;
  throw new AssertionError({
    message: ["The records differ from the expected ones.", ...lines].join("\n"),
    ...shown,
    operator: "expectRecords",
    stackStartFn: expectRecords,
  });
}

function collectionLines(name: string, now: Keyed, then: Keyed, differing: readonly string[]): string[] {
  const equal = [...then.keys()].length - differing.filter((id) => then.has(id)).length;
  const rest = differing.length - SHOWN;
  return [
    `${name}: ${count(differing.length)} differ, ${count(equal)} are equal`,
    ...differing.slice(0, SHOWN).map((id) => `  ${describe(id, now.get(id), then.get(id))}`),
    ...(rest > 0 ? [`  and ${count(rest)} more`] : []),
  ];
}

function describe(id: string, now: object | undefined, then: object | undefined): string {
  if (now === undefined) return `- ${id} is missing`;
  if (then === undefined) return `+ ${id} is not expected`;
  const { emptied, changed } = differingFields(then, now);
  const parts = [
    changed.length === 0 ? "" : `differs in ${changed.join(", ")}`,
    emptied.length === 0 ? "" : `lacks ${emptied.join(", ")}`,
  ].filter((part) => part !== "");
  return `~ ${id} ${parts.join("; ") || "differs in empty fields"}`;
}

function pick(records: Keyed, ids: readonly string[]): object {
  return Object.fromEntries(ids.flatMap((id) => (records.has(id) ? [[id, records.get(id)]] : [])));
}

function readRecords(name: string, records: unknown): ReadonlyMap<Collection, Keyed> {
  if (!isObject(records) || Array.isArray(records))
    throw new InvalidInputError(
      `expectRecords: ${name} must be an object of arrays by collection, got ${describeType(records)}.`,
    );
  const keyed = new Map<Collection, Keyed>();
  for (const [collection, list] of Object.entries(records)) {
    if (!isCollection(collection)) throw unknownCollectionError(collection);
    if (list === undefined) continue;
    if (!Array.isArray(list))
      throw new InvalidInputError(
        `expectRecords: ${name}.${collection} must be an array, got ${describeType(list)}.`,
      );
    keyed.set(collection, keyedById(collection, list));
  }
  return keyed;
}

function keyedById(collection: Collection, list: readonly unknown[]): Keyed {
  const keyed = new Map<string, object>();
  for (const [index, record] of list.entries()) {
    const id = stringIn(record, COLLECTIONS[collection]);
    const label = id === undefined ? `record ${index + 1}` : quoted(id);
    // A second record with an id is another one, as its author sees it.
    keyed.set(keyed.has(label) ? `${label}, again at ${index + 1}` : label, plain(record));
  }
  return keyed;
}

/** As JSON has it, without empty fields. */
function plain(record: unknown): object {
  const copy: unknown = JSON.parse(
    JSON.stringify(record, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : (value ?? undefined),
    ) ?? "{}",
  );
  return isObject(copy) ? copy : {};
}
