import { InvalidInputError } from "../../../core/errors/index.js";
import { type KeysOf, readOptions, suggestKey } from "../../../core/validate.js";
import type { GuardOptions } from "../../../sync/guard/rules.js";
import type { Exchange } from "../cassette/cassette.js";
import type { NamedFault, PlainRecords, VendorFault } from "../faults/fault.js";
import { RECORD_FAULTS } from "../faults/record-faults.js";
import { vendorFaults } from "../faults/vendor-faults.js";
import type { RunSetup } from "../run/run.js";

/** Options of {@link testConnector} and {@link describeConnector}. */
export interface KitOptions {
  /**
   * Path or URL of a recording that {@link recordVendor} made. The faults are then the vendor's, and nothing is asked over
   * the network.
   * @default none: the connector reads its real source, and the faults strike the records that it writes
   */
  readonly cassette?: string | URL | undefined;
  /** An integer of 0 or more: another one makes another choice of pages, items and ids. @default 1 */
  readonly seed?: number | undefined;
  /** Names of the faults to run. @default all */
  readonly only?: readonly string[] | undefined;
  /** The guard of the runs, as `run` takes it. @default the default rules */
  readonly guard?: GuardOptions | false | undefined;
}

const KIT_KEYS = { cassette: true, seed: true, only: true, guard: true } satisfies KeysOf<KitOptions>;

/** Options of the kit with defaults filled in. */
export interface ResolvedKitOptions extends Omit<KitOptions, "seed"> {
  readonly seed: number;
}

/** @throws {InvalidInputError} an option is unknown or has a wrong type */
export function readKitOptions(caller: string, options: KitOptions): ResolvedKitOptions {
  const { seed = 1, ...given } = readOptions(caller, options, KIT_KEYS);
  if (!Number.isInteger(seed) || seed < 0)
    throw new InvalidInputError(`${caller}: seed must be an integer of 0 or more.`);
  const cassette: unknown = given.cassette;
  if (
    cassette !== undefined &&
    (typeof cassette !== "string" || cassette === "") &&
    !(cassette instanceof URL)
  )
    throw new InvalidInputError(`${caller}: cassette must be the path or the URL of a file.`);
  const only: unknown = given.only;
  if (only !== undefined && !(Array.isArray(only) && only.every((name) => typeof name === "string")))
    throw new InvalidInputError(`${caller}: only must be an array of names of faults.`);
  return { ...given, seed };
}

/** What the clean run says about the source. */
export interface Source {
  /** Undefined for a source that was not recorded. */
  readonly recording: readonly Exchange[] | undefined;
  readonly records: PlainRecords;
}

/** A row of the report. */
export interface Row extends NamedFault, Pick<VendorFault, "excuses"> {
  readonly kind: "clean" | "unread" | "fault";
  /** What the run meets; undefined if the source has nothing that it could strike. */
  strike(source: Source): Pick<RunSetup, "struck" | "records"> | undefined;
}

const CLEAN: Row = {
  name: "no-fault",
  summary: "two runs without a fault have the same effect",
  kind: "clean",
  strike: () => ({}),
};
const UNREAD: Row = {
  name: "unread-page",
  summary: "the connector reads each listing to its end",
  kind: "unread",
  strike: () => ({}),
};

/**
 * The rows of a report, by their options; those of a recording are the same ones for each recording, with other summaries.
 * @throws {InvalidInputError} `only` has a name that no fault has
 */
export function rowsOf(
  caller: string,
  { cassette, only, seed }: ResolvedKitOptions,
  recording: readonly Exchange[] = [],
): readonly Row[] {
  const rows = cassette === undefined ? recordRows() : vendorRows(recording, seed);
  if (only === undefined) return rows;
  const names = rows.map(({ name }) => name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InvalidInputError(
      `${caller}: only names ${JSON.stringify(unknown)}, which is no fault of this source.${suggestKey(unknown, names)} Run all of them once to see their names.`,
    );
  return rows.filter(({ name }) => only.includes(name));
}

function recordRows(): readonly Row[] {
  const faults = RECORD_FAULTS.map((fault): Row => {
    const strike: Row["strike"] = (source) => {
      const records = fault.strike(source.records);
      return records && { records };
    };
    return { ...fault, kind: "fault", strike };
  });
  return [CLEAN, ...faults];
}

function vendorRows(exchanges: readonly Exchange[], seed: number): readonly Row[] {
  const faults = vendorFaults(exchanges, seed).map((fault): Row => {
    const strike: Row["strike"] = ({ recording }) => {
      const struck = recording && fault.strike(recording);
      return struck && { struck };
    };
    return { ...fault, kind: "fault", strike };
  });
  return [CLEAN, UNREAD, ...faults];
}
