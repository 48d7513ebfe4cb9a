/** Sources that fail, stall or yield what is not a record. */
import type { PlainRecords, RecordFault, StruckRecords } from "./record-fault.js";
import { changing, failing, filledField, idFieldOf, type Spot, spotsOf, withFields } from "./spots.js";

const FAILURE = "The source failed: a fault of the test kit.";
const SILENT_MS = 3 * 3_600_000;

export const FAILING: readonly RecordFault[] = [
  fails("source-fails-at-start", "the source fails before the first record", first, () => 0),
  fails("source-fails-after-one", "the source fails after one record", first, () => 1),
  fails("source-fails-midway", "the source fails in the middle", first, (count) => Math.ceil(count / 2)),
  fails("source-fails-at-end", "the source fails after the last record", first, (count) => count),
  fails("last-source-fails", "the source of the last collection fails", last, (count) =>
    Math.ceil(count / 2),
  ),
  refused(
    "null-record",
    "one record is null",
    (spot) => (index) => index === middle(spot),
    () => null,
  ),
  refused(
    "record-without-id",
    "one record has no id",
    (spot) => (index) => index === middle(spot),
    (record, spot) =>
      withFields(record, spot.collection, (fields) => ({ ...fields, [idFieldOf(spot)]: undefined })),
  ),
  refused(
    "record-with-empty-id",
    "one record has an empty id",
    (spot) => (index) => index === middle(spot),
    (record, spot) => withFields(record, spot.collection, (fields) => ({ ...fields, [idFieldOf(spot)]: "" })),
  ),
  refused(
    "ids-are-numbers",
    "the ids are numbers",
    () => () => true,
    (record, spot, index) =>
      withFields(record, spot.collection, (fields) => ({ ...fields, [idFieldOf(spot)]: 1000 + index })),
  ),
  refused(
    "type-changed",
    "a string is a number in one record",
    (spot) => (index) => index === middle(spot),
    (record, spot) =>
      withFields(record, spot.collection, (fields) => ({
        ...fields,
        [filledField(spot, "string") ?? "name"]: 7,
      })),
  ),
  waits("source-silent", "the source is silent for three hours", SILENT_MS),
];

function first(clean: PlainRecords): Spot | undefined {
  return spotsOf(clean)[0];
}

/** Undefined if there is one only. */
function last(clean: PlainRecords): Spot | undefined {
  return spotsOf(clean).slice(1).at(-1);
}

function middle({ records }: Spot): number {
  return Math.floor(records.length / 2);
}

function fails(
  name: string,
  summary: string,
  where: (clean: PlainRecords) => Spot | undefined,
  after: (count: number) => number,
): RecordFault {
  return {
    name,
    summary,
    strike(clean) {
      const spot = where(clean);
      return spot && failing(spot, after(spot.records.length), FAILURE);
    },
  };
}

function refused(
  name: string,
  summary: string,
  struck: (spot: Spot) => (index: number) => boolean,
  change: (record: object, spot: Spot, index: number) => unknown,
): RecordFault {
  return {
    name,
    summary,
    strike(clean) {
      const [spot] = spotsOf(clean, "snapshot");
      if (spot === undefined) return undefined;
      const isStruck = struck(spot);
      return changing(spot, summary, (record, index) =>
        isStruck(index) ? change(record, spot, index) : record,
      );
    },
  };
}

function waits(name: string, summary: string, ms: number): RecordFault {
  return {
    name,
    summary,
    strike(clean) {
      const spot = first(clean);
      if (spot === undefined) return undefined;
      return {
        cause: `${spot.collection}: ${summary}`,
        pass: async ({ collection, records, sleep }): Promise<readonly object[]> => {
          if (collection !== spot.collection) return records;
          await sleep(ms);
          return records;
        },
      } satisfies StruckRecords;
    },
  };
}
