import { pathToFileURL } from "node:url";
import { InvalidInputError } from "../../../core/errors/index.js";
import { suggestKey } from "../../../core/validate.js";
import type { CaseSetup } from "../case/setup.js";
import type { Exchange } from "../cassette/cassette.js";
import type { PlainRecords, RecordFault, VendorFault } from "../faults/fault.js";
import { RECORD_FAULTS } from "../faults/record-faults.js";
import { SERVICE_FAULTS } from "../faults/service/service-faults.js";
import { SIGNAL_FAULTS, type SignalFault } from "../faults/service/signal-faults.js";
import { vendorFaults } from "../faults/vendor-faults.js";
import type { ResolvedKitOptions } from "./options.js";

/** What the clean run says about the source. */
export interface Source {
  /** Undefined for a source that was not recorded. */
  readonly recording: readonly Exchange[] | undefined;
  readonly records: PlainRecords;
  /** How many windows of records the run sent. */
  readonly windows: number;
}

/** A row of the report. */
export interface Row {
  readonly fault: string;
  readonly summary: string;
  readonly kind: "clean" | "against" | "vendor" | "records" | "service";
  /** What the case meets; undefined if the source has nothing that it could strike. */
  strike(source: Source): CaseSetup | undefined;
  /** Why it cannot be run. */
  readonly notRun?: string;
  readonly excuses?: VendorFault["excuses"] | undefined;
}

const CLEAN = row(
  { name: "no-fault", summary: "two runs without a fault have the same effect" },
  "clean",
  () => ({}),
);
const AGAINST = row(
  { name: "against", summary: "the other version of the connector has the same effect" },
  "against",
  () => ({}),
);

/**
 * The rows of a report, by their options; those of a recording are the same ones for each recording, with other summaries.
 * @throws {InvalidInputError} `only` has a name that no fault has
 */
export function rowsOf(
  caller: string,
  { cassette, against, only, seed, module }: ResolvedKitOptions,
  recording: readonly Exchange[] = [],
): readonly Row[] {
  const target = module === undefined ? undefined : moduleUrl(module);
  const rows = [
    CLEAN,
    ...(against === undefined ? [] : [AGAINST]),
    ...(cassette === undefined ? RECORD_FAULTS.map(recordRow) : vendorFaults(recording, seed).map(vendorRow)),
    ...SERVICE_FAULTS.map((service) => row(service, "service", () => ({ service }))),
    ...SIGNAL_FAULTS.map((fault) => signalRow(fault, target)),
  ];
  if (only === undefined) return rows;
  const names = rows.map(({ fault }) => fault);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InvalidInputError(
      `${caller}: only names ${JSON.stringify(unknown)}, which is no fault of this source.${suggestKey(unknown, names)} Run all of them once to see their names.`,
    );
  return rows.filter(({ fault }) => only.includes(fault));
}

function row(
  { name, summary }: { readonly name: string; readonly summary: string },
  kind: Row["kind"],
  strike: Row["strike"],
): Row {
  return { fault: name, summary, kind, strike };
}

function vendorRow(fault: VendorFault): Row {
  const strike: Row["strike"] = ({ recording }) => {
    const struck = recording && fault.strike(recording);
    return struck && { struck };
  };
  return { ...row(fault, "vendor", strike), excuses: fault.excuses };
}

function recordRow(fault: RecordFault): Row {
  return row(fault, "records", (source) => {
    const records = fault.strike(source.records);
    return records && { records };
  });
}

function signalRow(fault: SignalFault, module: string | undefined): Row {
  if (module === undefined)
    return {
      ...row(fault, "service", () => undefined),
      notRun: "module is needed for processes of their own",
    };
  return row(fault, "service", ({ windows }) =>
    windows < fault.writes ? undefined : { child: { module, fault } },
  );
}

function moduleUrl(module: string | URL): string {
  if (module instanceof URL) return module.href;
  return URL.canParse(module) ? module : pathToFileURL(module).href;
}
