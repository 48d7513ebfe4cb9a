/** Sources that end early, or yield other records than they should, without an error. */
import type { RecordFault, StruckRecords } from "./record-fault.js";
import { changing, filledField, idFieldOf, largestSnapshot, type Spot, withFields } from "./spots.js";

/** Of so few records the guard's rules about ids hold a run that removes more than a quarter. */
const FEW = 12;
/** The rules about shares of values, and other people under known ids, need more. */
const MANY = 24;

type Fields = Readonly<Record<string, unknown>>;

export const ALTERED: readonly RecordFault[] = [
  loses("source-empty", "the source yields nothing", () => false),
  loses("source-ends-after-one", "the source ends after one record", (index) => index < 1),
  loses("source-ends-midway", "the source ends in the middle", (index, count) => index < count / 2),
  loses("source-starts-late", "the source begins in the middle", (index, count) => index >= count / 2),
  loses("every-other-lost", "the source yields every other record", (index) => index % 2 === 0),
  loses("last-third-lost", "the last third is missing", (index, count) => index < (count * 2) / 3),
  fields("ids-prefixed", "the ids have a prefix", FEW, (own, spot) => ({
    ...own,
    [idFieldOf(spot)]: `tenant-2:${own[idFieldOf(spot)]}`,
  })),
  fields("ids-of-half-prefixed", "half of the ids have a prefix", FEW, (own, spot, index) =>
    index % 2 === 0 ? own : { ...own, [idFieldOf(spot)]: `tenant-2:${own[idFieldOf(spot)]}` },
  ),
  fields("ids-reversed", "the ids are written in another form", FEW, (own, spot) => ({
    ...own,
    [idFieldOf(spot)]: `{${[...`${own[idFieldOf(spot)]}`].reverse().join("")}}`,
  })),
  fields("another-tenant", "the records are another tenant's", FEW, (own, spot, index) => ({
    ...Object.fromEntries(
      Object.entries(own).map(([name, value]) => [
        name,
        name.endsWith("mail") ? `x${index}@other.example` : value,
      ]),
    ),
    [idFieldOf(spot)]: `other-${index}`,
  })),
  field("field-missing", "a field is missing everywhere", FEW, "string", () => undefined),
  field("field-null", "a field is null everywhere", FEW, "string", () => null),
  field("field-empty", "a field is an empty string everywhere", FEW, "string", () => ""),
  field(
    "field-missing-in-half",
    "a field is missing in half of the records",
    FEW,
    "string",
    (value, index) => (index % 2 === 0 ? value : undefined),
  ),
  field("booleans-false", "a boolean is the opposite everywhere", MANY, "boolean", (value) =>
    typeof value === "boolean" ? !value : value,
  ),
  {
    name: "others-added",
    summary: "records of other tenants come at the end",
    strike: (clean) => adding(largestSnapshot(clean, FEW)),
  },
];

function loses(name: string, summary: string, keeps: (index: number, count: number) => boolean): RecordFault {
  return {
    name,
    summary,
    strike(clean) {
      const spot = largestSnapshot(clean, FEW);
      if (spot === undefined) return undefined;
      const { length } = spot.records;
      return changing(spot, summary, (record, index) => (keeps(index, length) ? record : undefined));
    },
  };
}

function fields(
  name: string,
  summary: string,
  least: number,
  change: (own: Fields, spot: Spot, index: number) => object,
): RecordFault {
  return {
    name,
    summary,
    strike(clean) {
      const spot = largestSnapshot(clean, least);
      if (spot === undefined) return undefined;
      return changing(spot, summary, (record, index) =>
        withFields(record, spot.collection, (own) => change(own, spot, index)),
      );
    },
  };
}

function field(
  name: string,
  summary: string,
  least: number,
  type: "string" | "boolean",
  change: (value: unknown, index: number) => unknown,
): RecordFault {
  return {
    name,
    summary,
    strike(clean) {
      const spot = largestSnapshot(clean, least);
      const struck = spot && filledField(spot, type);
      if (spot === undefined || struck === undefined) return undefined;
      return changing(spot, `${summary} (${struck})`, (record, index) =>
        withFields(record, spot.collection, (own) => ({ ...own, [struck]: change(own[struck], index) })),
      );
    },
  };
}

/** Twice as many as there are, and more than pass in any case. */
function adding(spot: Spot | undefined): StruckRecords | undefined {
  if (spot === undefined) return undefined;
  const { collection, records } = spot;
  const others = Array.from({ length: 2 * records.length + 60 }, (_, index) =>
    withFields(records[index % records.length] ?? {}, collection, (own) => ({
      ...own,
      [idFieldOf(spot)]: `other-${index}`,
    })),
  );
  return {
    cause: `${collection}: ${others.length} records of other tenants`,
    pass: ({ records: passed }) => passed,
    end: (own) => (own === collection ? others : []),
  };
}
