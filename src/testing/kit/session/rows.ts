import { pathToFileURL } from "node:url";
import { InvalidInputError } from "../../../core/errors/index.js";
import { suggestKey } from "../../../core/validate.js";
import type { CaseSetup } from "../case/setup.js";
import type { Exchange } from "../cassette/cassette.js";
import type { VendorFault } from "../faults/fault.js";
import type { PlainRecords } from "../faults/record-fault.js";
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

const CLEAN: Row = {
  fault: "no-fault",
  summary: "two runs without a fault have the same effect",
  kind: "clean",
  strike: () => ({}),
};

const AGAINST: Row = {
  fault: "against",
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
  { cassette, against, only, seed, module }: ResolvedKitOptions,
  recording: readonly Exchange[] = [],
): readonly Row[] {
  const target = module === undefined ? undefined : moduleUrl(module);
  const rows = [
    CLEAN,
    ...(against === undefined ? [] : [AGAINST]),
    ...(cassette === undefined ? RECORD_FAULTS.map(recordRow) : vendorFaults(recording, seed).map(vendorRow)),
    ...SERVICE_FAULTS.map(
      (service): Row => ({
        fault: service.name,
        summary: service.summary,
        kind: "service",
        strike: () => ({ service }),
      }),
    ),
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

function vendorRow(fault: VendorFault): Row {
  const { name, summary, excuses } = fault;
  return {
    fault: name,
    summary,
    kind: "vendor",
    strike({ recording }) {
      const struck = recording && fault.strike(recording);
      return struck && { struck };
    },
    excuses,
  };
}

function recordRow(fault: (typeof RECORD_FAULTS)[number]): Row {
  return {
    fault: fault.name,
    summary: fault.summary,
    kind: "records",
    strike(source) {
      const records = fault.strike(source.records);
      return records && { records };
    },
  };
}

function signalRow(fault: SignalFault, module: string | undefined): Row {
  return {
    fault: fault.name,
    summary: fault.summary,
    kind: "service",
    ...(module === undefined ? { notRun: "module is needed for processes of their own" } : {}),
    strike: ({ windows }) =>
      module === undefined || windows < fault.writes ? undefined : { child: { module, fault } },
  };
}

function moduleUrl(module: string | URL): string {
  if (module instanceof URL) return module.href;
  return URL.canParse(module) ? module : pathToFileURL(module).href;
}
