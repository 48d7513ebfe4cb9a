import type { RecordOf } from "@saas-management/sdk";
import { filled } from "../fields.js";
import { type CsvLayout, readRecords } from "./csv.js";

/** What Tuschgrün exports has semicolons between the cells, German headings and "ja" or "nein". */
const layout = <Column extends string>(...columns: Column[]): CsvLayout<Column> => ({
  columns,
  delimiter: ";",
});

const USERS = layout("Benutzer-ID", "Anzeigename", "E-Mail", "Rolle", "Art", "Aktiv");
const PLANS = layout("Tarif-ID", "Produkt", "Tarif", "Gekaufte Plätze", "Belegte Plätze");
const ASSIGNMENTS = layout("Zuweisung", "Benutzer-ID", "Tarif-ID", "Kostenpflichtig");

/** The users of Tuschgrün's products. */
export function accounts(file: URL): AsyncIterable<RecordOf<"accounts">[]> {
  return readRecords(file, USERS, (row) => ({
    generic: filled({
      id: row.required("Benutzer-ID"),
      name: firstNameFirst(row.text("Anzeigename")),
      email: row.address("E-Mail"),
      active: row.flag("Aktiv", "ja", "nein"),
      roles: row.list("Rolle", ","),
      type: row.text("Art"),
    }),
  }));
}

/** The plans that the company has with Tuschgrün, and their seats. */
export function plans(file: URL): AsyncIterable<RecordOf<"plans">[]> {
  return readRecords(file, PLANS, (row) => ({
    generic: filled({
      id: row.required("Tarif-ID"),
      externalPlanName: row.required("Tarif"),
      externalProductName: row.text("Produkt"),
      details: {
        model: "SEAT_BASED",
        seatBased: filled({
          paidSeats: row.count("Gekaufte Plätze"),
          consumedSeats: row.count("Belegte Plätze"),
        }),
      },
    }),
  }));
}

/** Who holds which seat. */
export function licenses(file: URL): AsyncIterable<RecordOf<"licenses">[]> {
  return readRecords(file, ASSIGNMENTS, (row) => ({
    generic: {
      sourceId: row.required("Zuweisung"),
      sourceAccountId: row.required("Benutzer-ID"),
      sourcePlanId: row.required("Tarif-ID"),
      billable: row.requiredFlag("Kostenpflichtig", "ja", "nein"),
    },
  }));
}

/** "Müller, Anna" as "Anna Müller"; a name without a comma stays as it is. */
function firstNameFirst(name: string | undefined): string | undefined {
  return name?.replace(/^([^,]+),\s*([^,]+)$/, "$2 $1");
}
