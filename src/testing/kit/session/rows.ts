import { InvalidInputError } from "../../../core/errors/index.js";
import { suggestKey } from "../../../core/validate.js";
import type { CaseSetup } from "../case/setup.js";
import type { Exchange } from "../cassette/cassette.js";
import type { NamedFault, PlainRecords, RecordFault, VendorFault } from "../faults/fault.js";
import { RECORD_FAULTS } from "../faults/record-faults.js";
import { vendorFaults } from "../faults/vendor-faults.js";
import type { ResolvedKitOptions } from "./options.js";

/** What the clean run says about the source. */
export interface Source {
  /** Undefined for a source that was not recorded. */
  readonly recording: readonly Exchange[] | undefined;
  readonly records: PlainRecords;
}

/** A row of the report. */
export interface Row extends NamedFault, Pick<VendorFault, "excuses"> {
  readonly kind: "clean" | "against" | "fault";
  /** What the case meets; undefined if the source has nothing that it could strike. */
  strike(source: Source): CaseSetup | undefined;
}

const CLEAN: Row = {
  name: "no-fault",
  summary: "two runs without a fault have the same effect",
  kind: "clean",
  strike: () => ({}),
};
const AGAINST: Row = {
  name: "against",
  summary: "the other version of the connector has the same effect",
  kind: "against",
  strike: () => ({}),
};

/**
 * The rows of a report, by their options; those of a recording are the same ones for each recording, with other summaries.
 * @throws {InvalidInputError} `only` has a name that no fault has
 */
export function rowsOf(
  caller: string,
  { cassette, against, only, seed }: ResolvedKitOptions,
  recording: readonly Exchange[] = [],
): readonly Row[] {
  const rows: readonly Row[] = [
    CLEAN,
    ...(against === undefined ? [] : [AGAINST]),
    ...(cassette === undefined ? RECORD_FAULTS.map(recordRow) : vendorFaults(recording, seed).map(vendorRow)),
  ];
  if (only === undefined) return rows;
  const names = rows.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InvalidInputError(
      `${caller}: only names ${JSON.stringify(unknown)}, which is no fault of this source.${suggestKey(unknown, names)} Run all of them once to see their names.`,
    );
  return rows.filter(({ name }) => only.includes(name));
}

function vendorRow(fault: VendorFault): Row {
  const strike: Row["strike"] = ({ recording }) => {
    const struck = recording && fault.strike(recording);
    return struck && { struck };
  };
  return { ...fault, kind: "fault", strike };
}

function recordRow(fault: RecordFault): Row {
  const strike: Row["strike"] = (source) => {
    const records = fault.strike(source.records);
    return records && { records };
  };
  return { ...fault, kind: "fault", strike };
}
