/** What can go wrong with any source of records. */
import { isObject } from "../../../core/validate.js";
import { COLLECTIONS, type Collection, isCollection } from "../../../sync/collections.js";
import { type JsonPath, valueAt, withValueAt } from "../structure/json-path.js";
import type { InjectedRecords, PlainRecords, RecordFault } from "./fault.js";
import { ITEM_FAULTS, type ItemFault } from "./items.js";

/** A collection that a fault changes. */
interface Spot {
  readonly collection: Collection;
  readonly records: readonly object[];
}

/** With this many records or more, the guard's rules about ids hold a run that removes more than a quarter of them. */
export const FEWEST = 12;

export const RECORD_FAULTS: readonly RecordFault[] = [
  fails("source-fails-at-start", "the source fails before the first record", () => 0),
  fails("source-fails-midway", "the source fails in the middle", (count) => Math.ceil(count / 2)),
  fails("source-fails-at-end", "the source fails after the last record", (count) => count),
  loses("source-empty", "the source yields nothing", () => false),
  loses("source-ends-midway", "the source ends in the middle", (index, count) => index < count / 2),
  loses("every-other-lost", "the source yields every other record", (index) => index % 2 === 0),
  row("others-added", "records of other tenants come at the end", added, FEWEST),
  ...ITEM_FAULTS.map(changes),
];

function row(
  name: string,
  summary: string,
  inject: (spot: Spot) => Omit<InjectedRecords, "cause"> | undefined,
  least = 1,
): RecordFault {
  return {
    name,
    summary,
    inject(clean) {
      const [spot] = snapshotsIn(clean);
      const injected = spot === undefined || spot.records.length < least ? undefined : inject(spot);
      return injected && { cause: `${spot?.collection}: ${summary}`, ...injected };
    },
  };
}

function fails(name: string, summary: string, after: (count: number) => number): RecordFault {
  const fail = () => {
    throw new Error("The source failed: a fault of the test kit.");
  };
  return row(name, summary, ({ collection, records: clean }) => {
    const most = after(clean.length);
    return {
      pass: ({ collection: own, records, index }) => {
        if (own !== collection || index + records.length <= most) return records;
        return index < most ? records.slice(0, most - index) : fail();
      },
      end: (own) => (own === collection ? fail() : []),
    };
  });
}

function loses(name: string, summary: string, keeps: (index: number, count: number) => boolean): RecordFault {
  const inject = (spot: Spot) =>
    changing(spot, (record, index) => (keeps(index, spot.records.length) ? record : undefined));
  return row(name, summary, inject, FEWEST);
}

function changes([name, where, summary, plan]: ItemFault): RecordFault {
  const inject = (spot: Spot) => {
    const { records } = spot;
    const planned = plan({ values: records, id: idPathOf(spot), pick: ([first]) => first });
    const middle = Math.floor(records.length / 2);
    const isHit = (index: number) =>
      where.startsWith("all") || (where.startsWith("some") ? index % 2 === 0 : index === middle);
    if (planned === undefined || planned.change(records[middle], middle) === records[middle])
      return undefined;
    return changing(spot, (record, index) => (isHit(index) ? planned.change(record, index) : record));
  };
  return row(name, summary, inject, FEWEST);
}

/** Changes the records of one collection. `change` returns undefined to drop a record, or the record to keep it. */
function changing(
  { collection }: Spot,
  change: (record: object, index: number) => unknown,
): Omit<InjectedRecords, "cause"> {
  return {
    pass: ({ collection: own, records, index }) => {
      if (own !== collection) return records;
      const passed = records.map((record, i) => change(record, index + i));
      if (passed.every((record, i) => record === records[i])) return records;
      // Values that aren't objects are passed on too, because the SDK must refuse them.
      return passed.filter((record): record is object => record !== undefined);
    },
  };
}

/** Adds twice as many records as there are, plus 60, because the guard never lets that many pass. */
function added(spot: Spot): Omit<InjectedRecords, "cause"> | undefined {
  const { collection, records } = spot;
  const path = idPathOf(spot);
  if (path === undefined) return undefined;
  const others = Array.from({ length: 2 * records.length + 60 }, (_, index) =>
    Object(withValueAt(records[index % records.length], path, `other-${index}`)),
  );
  return { pass: ({ records: passed }) => passed, end: (own) => (own === collection ? others : []) };
}

/** The snapshots that have records, the largest first. */
export function snapshotsIn(clean: PlainRecords): readonly Spot[] {
  return Object.keys(clean)
    .filter(isCollection)
    .filter((collection) => COLLECTIONS[collection].model === "snapshot")
    .map((collection) => ({ collection, records: clean[collection] ?? [] }))
    .filter(({ records }) => records.length > 0)
    .sort((a, b) => b.records.length - a.records.length);
}

/** Path of the id in all records, which may be below a variant's name. */
export function idPathOf({ collection, records }: Spot): JsonPath | undefined {
  const { idField = "id", variants } = COLLECTIONS[collection];
  const variant = variants.find((name) => isObject(valueAt(records[0], [name])));
  const path = variant === undefined ? [idField] : [variant, idField];
  return records.every((record) => valueAt(record, path) !== undefined) ? path : undefined;
}
