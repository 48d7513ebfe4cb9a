import { InvalidInputError } from "../../../core/errors/index.js";
import { suggestKey } from "../../../core/validate.js";
import { counted } from "../../../sync/report-text.js";
import type { Exchange } from "../cassette/cassette.js";
import { ANSWERS } from "../faults/answers.js";
import {
  type FaultKind,
  itemsOf,
  type NamedFault,
  NOTICED_ITEMS,
  type PlainRecords,
  type Plan,
  type VendorFault,
  viewOf,
} from "../faults/fault.js";
import { ENTRIES } from "../faults/items.js";
import { LAYOUTS } from "../faults/layouts.js";
import { LISTINGS } from "../faults/listings.js";
import { FEWEST, RECORD_FAULTS, snapshotsIn } from "../faults/record-faults.js";
import type { RunSetup } from "../run/run.js";
import { readStructure } from "../structure/read-structure.js";
import type { Recording, Structure } from "../structure/structure.js";
import type { ResolvedKitOptions } from "./options.js";

/** What the clean run revealed about the source. */
export interface Source {
  /** Undefined without a recording. */
  readonly recording: readonly Exchange[] | undefined;
  readonly records: PlainRecords;
}

/** A row of the report. */
export interface Row extends NamedFault, Pick<VendorFault, "excuses"> {
  readonly kind: "clean" | "unread" | "fault";
  /** The fault for the run; undefined if the source has no place for it; a string is another reason not to run it. */
  inject(source: Source): Pick<RunSetup, "injected" | "records"> | string | undefined;
}

const CLEAN: Row = {
  name: "no-fault",
  summary: "two runs without a fault have the same effect",
  kind: "clean",
  inject: () => ({}),
};
const UNREAD: Row = {
  name: "unread-page",
  summary: "the connector reads each listing to its end",
  kind: "unread",
  inject: () => ({}),
};

/**
 * The rows of a report: the same for every recording, apart from their summaries.
 * @throws {InvalidInputError} no fault has a name given in `only` or `except`
 */
export function rowsOf(
  caller: string,
  { cassette, only, except, seed }: ResolvedKitOptions,
  recording: readonly Exchange[] = [],
): readonly Row[] {
  const rows = cassette === undefined ? recordRows() : vendorRows(recording, seed);
  const names = rows.map(({ name }) => name);
  for (const [option, given] of Object.entries({ only: only ?? [], except: Object.keys(except) })) {
    const unknown = given.find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw new InvalidInputError(
        `${caller}: ${option} names ${JSON.stringify(unknown)}, which isn't a fault of this source.${suggestKey(unknown, names)} Run all faults once to see their names.`,
      );
  }
  return rows.filter(({ name }) => only?.includes(name) ?? true);
}

function recordRows(): readonly Row[] {
  const faults = RECORD_FAULTS.map((fault): Row => {
    const inject: Row["inject"] = (source) => {
      const records = fault.inject(source.records);
      return records && { records };
    };
    return { ...fault, kind: "fault", inject };
  });
  return [CLEAN, ...faults];
}

function vendorRows(exchanges: readonly Exchange[], seed: number): readonly Row[] {
  const faults = vendorFaults(exchanges, seed).map((fault): Row => {
    const inject: Row["inject"] = ({ recording }) => {
      const injected = recording && fault.inject(recording);
      return typeof injected === "object" ? { injected } : injected;
    };
    return { ...fault, kind: "fault", inject };
  });
  return [CLEAN, UNREAD, ...faults];
}

/**
 * The catalogue leaves these out, because neither a connector nor the guard could tell them from correct answers:
 *
 * - yesterday's complete answer, and missing items that the totals don't count either
 * - a few changed ids
 * - damaged texts that are still valid (`ZoÃ«`), wrong values of the right type, times in another zone or in the future
 * - the same item twice with different contents: only the vendor knows which one is right
 */
const CATALOGUE: readonly FaultKind[] = [...ANSWERS, ...LAYOUTS, ...LISTINGS, ...ENTRIES];

/**
 * The faults of the catalogue. All recordings have the same faults; the seed picks what a fault changes, and the
 * fault's summary names it. A fault that doesn't apply to the recording stays in the list and changes nothing.
 */
export function vendorFaults(recording: Recording, seed: number): readonly VendorFault[] {
  return CATALOGUE.map(({ name, summary, excuses, plan }) => {
    const inject = (exchanges: Recording) => {
      const planned = plan(viewOf(exchanges, seed, name));
      return typeof planned === "object" && isInert(planned, exchanges) ? undefined : planned;
    };
    const planned = inject(recording);
    return {
      name,
      summary: typeof planned === "object" ? `${summary}: ${planned.at}` : summary,
      excuses,
      inject,
    };
  });
}

/** Whether the fault left all recorded answers unchanged. */
function isInert({ exchanges, answer }: Plan, recording: Recording): boolean {
  return (
    answer === undefined &&
    recording.every(
      (exchange, index) =>
        exchange === exchanges[index] || JSON.stringify(exchange) === JSON.stringify(exchanges[index]),
    )
  );
}

/** Describes what most faults change, and what size they need. */
export function describeSource({ recording, records }: Source): string {
  return recording === undefined ? describeRecords(records) : describeListings(readStructure(recording));
}

function describeRecords(clean: PlainRecords): string {
  const [largest, ...others] = snapshotsIn(clean);
  if (largest === undefined) return "The connector wrote no snapshots, and faults change only those.";
  const { collection, records } = largest;
  const few = records.length < FEWEST ? ` Most of them need ${FEWEST} records.` : "";
  return `Faults change the largest snapshot: ${collection}, ${counted(records.length, "record")}${rest(
    "not",
    others.map((one) => one.collection),
  )}.${few}`;
}

function describeListings({ listings: [largest, ...others] }: Structure): string {
  if (largest === undefined)
    return "The recording has no listing (a list of objects in JSON), which most faults change.";
  const items = itemsOf(largest).length;
  const pages = largest.pages.length;
  const few = [
    ...(pages < 2 ? ["2 pages"] : []),
    ...(items < NOTICED_ITEMS ? [`${NOTICED_ITEMS} items`] : []),
  ].join(" or ");
  const size = `${counted(items, "item")} on ${counted(pages, "page")}`;
  const needed = few === "" ? "" : ` Many of them need ${few}.`;
  return `Faults change the largest listing: ${largest.name}, ${size}${rest(
    "few change",
    others.map(({ name }) => name),
  )}.${needed}`;
}

function rest(how: string, others: readonly string[]): string {
  return others.length === 0 ? "" : `; ${how} ${others.join(", ")}`;
}
