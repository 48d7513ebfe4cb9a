import { isObject } from "../../../../core/validate.js";
import { COLLECTIONS, type Collection, isCollection } from "../../../../sync/collections.js";
import { fieldsOf } from "../../../../sync/encoding/record-id.js";
import type { PassedBlock, PlainRecords, StruckRecords } from "./record-fault.js";

/** A collection that a fault strikes. */
export interface Spot {
  readonly collection: Collection;
  readonly records: readonly object[];
}

/** The collections that the clean run wrote, the largest first. */
export function spotsOf(clean: PlainRecords, model?: "snapshot" | "event"): readonly Spot[] {
  return Object.keys(clean)
    .filter(isCollection)
    .filter((collection) => model === undefined || COLLECTIONS[collection].model === model)
    .map((collection) => ({ collection, records: clean[collection] ?? [] }))
    .filter(({ records }) => records.length > 0)
    .sort((a, b) => b.records.length - a.records.length);
}

/** The largest snapshot, if it has as many records as the guard needs for a judgement. */
export function largestSnapshot(clean: PlainRecords, least: number): Spot | undefined {
  const [spot] = spotsOf(clean, "snapshot");
  return spot !== undefined && spot.records.length >= least ? spot : undefined;
}

/** Changes the records of one collection. `change` returns undefined to leave a record out, and itself to leave it alone. */
export function changing(
  { collection }: Spot,
  what: string,
  change: (record: object, index: number) => unknown,
): StruckRecords {
  return {
    cause: `${collection}: ${what}`,
    pass: ({ collection: own, records, index }) => {
      if (own !== collection) return records;
      const passed = records.map((record, i) => change(record, index + i));
      if (passed.every((record, i) => record === records[i])) return records;
      // What is not an object is passed on too: the SDK must refuse it.
      return passed.filter((record): record is object => record !== undefined);
    },
  };
}

/** Changes the fields of a record, also of one that has them under the name of a variant. */
export function withFields(
  record: object,
  collection: Collection,
  change: (fields: Readonly<Record<string, unknown>>) => object,
): object {
  const { variants } = COLLECTIONS[collection];
  const variant = variants.find((name) => isObject(Reflect.get(record, name)));
  const fields = { ...fieldsOf(record, COLLECTIONS[collection]) };
  return variant === undefined ? change(fields) : { ...record, [variant]: change(fields) };
}

export function idFieldOf({ collection }: Spot): string {
  return COLLECTIONS[collection].idField ?? "id";
}

/** The field that most records have a value of this type in, other than the id. */
export function filledField({ collection, records }: Spot, type: "string" | "boolean"): string | undefined {
  const counts = new Map<string, number>();
  for (const record of records)
    for (const [name, value] of Object.entries(fieldsOf(record, COLLECTIONS[collection]) ?? {}))
      if (typeof value === type && value !== "" && !name.toLowerCase().endsWith("id"))
        counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Passes so many records of a collection, and throws then. */
export function failing({ collection }: Spot, after: number, message: string): StruckRecords {
  const fail = () => {
    throw new Error(message);
  };
  return {
    cause: `${collection}: the source failed after ${after} records`,
    pass: ({ collection: own, records, index }: PassedBlock) => {
      if (own !== collection || index + records.length <= after) return records;
      return index < after ? records.slice(0, after - index) : fail();
    },
    end: (own) => (own === collection ? fail() : []),
  };
}
