/**
 * The vendor export connector: reads CSV files as admin consoles export them, and maps their rows to records.
 *
 * One file beside this one for each source. Every function reads its file anew, as a stream.
 */
import type { RecordOf } from "@saas-management/sdk";
import * as brambleboard from "./brambleboard.js";
import { employees } from "./hr-export.js";
import * as quillmarsh from "./quillmarsh.js";
import * as tuschgruen from "./tuschgruen.js";
import { usage } from "./usage-log.js";

export { CsvRowError } from "./row.js";

/** Which of the exports to read: this month's, or next month's where a console was exported twice. */
export type Month = "this month" | "next month";

/** What one vendor's console exports, as the collections of a sync batch. */
export interface VendorExport {
  /** The vendor's name. */
  readonly vendor: string;
  accounts(): AsyncIterable<RecordOf<"accounts">[]>;
  plans(): AsyncIterable<RecordOf<"plans">[]>;
  licenses(): AsyncIterable<RecordOf<"licenses">[]>;
  /** @param asOf Moves the log's times, so that the newest is of the day before; see `UsageLogOptions`. */
  usage(asOf?: Date): AsyncIterable<RecordOf<"usage">[]>;
}

/**
 * The employees of the HR export.
 *
 * @param folder Folder of the CSV files, with a slash at its end.
 */
export function employeeExport(folder: URL): AsyncIterable<RecordOf<"employees">[]> {
  return employees(new URL("hr-export.csv", folder));
}

/**
 * The exports of the three vendors. Only Brambleboard was exported again next month.
 *
 * @param folder Folder of the CSV files, with a slash at its end.
 */
export function vendorExports(folder: URL, month: Month = "this month"): VendorExport[] {
  const file = (name: string) => new URL(`${name}.csv`, folder);
  const usageOf =
    (...products: string[]) =>
    (asOf?: Date) =>
      usage(file("usage-log"), asOf === undefined ? { products } : { products, asOf });
  const suffix = month === "next month" ? "-next-month" : "";
  return [
    {
      vendor: "Tuschgrün",
      accounts: () => tuschgruen.accounts(file("tuschgruen-users")),
      plans: () => tuschgruen.plans(file("tuschgruen-plans")),
      licenses: () => tuschgruen.licenses(file("tuschgruen-assignments")),
      usage: usageOf("Tuschgrün Studio", "Tuschgrün Proof"),
    },
    {
      vendor: "Brambleboard",
      accounts: () => brambleboard.accounts(file(`brambleboard-members${suffix}`)),
      plans: () => brambleboard.plans(file(`brambleboard-seats${suffix}`)),
      licenses: () => brambleboard.licenses(file(`brambleboard-members${suffix}`)),
      usage: usageOf("Brambleboard"),
    },
    {
      vendor: "Quillmarsh",
      accounts: () => quillmarsh.accounts(file("quillmarsh-users")),
      plans: () => quillmarsh.plans(file("quillmarsh-plans")),
      licenses: () => quillmarsh.licenses(file("quillmarsh-assignments")),
      usage: usageOf("Quillmarsh CRM", "Quillmarsh Analytics"),
    },
  ];
}
