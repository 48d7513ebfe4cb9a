/**
 * The vendor export connector: streams the CSV files that admin consoles export, and maps their rows to records. There
 * is one module per source.
 */
import { defineConnector, type GenericEmployee, type RecordOf } from "@saas-management/sdk";
import * as brambleboard from "./brambleboard.js";
import { employees } from "./hr-export.js";
import * as quillmarsh from "./quillmarsh.js";
import * as tuschgruen from "./tuschgruen.js";
import { usage } from "./usage-log.js";

/** Which exports to read. Only Brambleboard was exported again the next month. */
export type Month = "this month" | "next month";

/** The collections of one vendor. Each call reads its file again. */
export interface VendorExport {
  readonly vendor: string;
  accounts(): AsyncIterable<readonly RecordOf<"accounts">[]>;
  plans(): AsyncIterable<readonly RecordOf<"plans">[]>;
  licenses(): AsyncIterable<readonly RecordOf<"licenses">[]>;
  /** @param asOf see `UsageLogOptions` */
  usage(asOf?: Date): AsyncIterable<readonly RecordOf<"usage">[]>;
}

/** @param folder of the CSV files, with a trailing slash */
export function employeeExport(folder: URL): AsyncIterable<readonly GenericEmployee[]> {
  return employees(new URL("hr-export.csv", folder));
}

/** The connector of the HR export. @param folder of the CSV files, with a trailing slash */
export function employeeConnector(folder: URL) {
  return defineConnector({
    snapshots: ["employees"],
    run: (batch) => batch.write("employees", employeeExport(folder)),
  });
}

/** The connector of one vendor. @param asOf see `UsageLogOptions` */
export function vendorConnector(source: VendorExport, asOf: Date) {
  return defineConnector({
    snapshots: ["accounts", "plans", "licenses"],
    async run(batch) {
      await batch.write("accounts", source.accounts());
      await batch.write("plans", source.plans());
      await batch.write("licenses", source.licenses());
      await batch.write("usage", source.usage(asOf));
    },
  });
}

/** @param folder of the CSV files, with a trailing slash */
export function vendorExports(folder: URL, month: Month = "this month"): VendorExport[] {
  const file = (name: string) => new URL(`${name}.csv`, folder);
  const usageOf =
    (...products: string[]) =>
    (asOf?: Date) =>
      usage(file("usage-log"), { products, asOf });
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
