import type { RecordOf } from "@saas-management/sdk";
import { type ExportFormat, readRows } from "./rows.js";

/** Tuschgrün exports semicolons between cells, German headings, and "ja" or "nein". */
const layout = <Column extends string>(...columns: Column[]): ExportFormat<Column> => ({
  columns,
  delimiter: ";",
});

const USERS = layout("Benutzer-ID", "Anzeigename", "E-Mail", "Rolle", "Art", "Aktiv");
const PLANS = layout("Tarif-ID", "Produkt", "Tarif", "Gekaufte Plätze", "Belegte Plätze");
const ASSIGNMENTS = layout("Zuweisung", "Benutzer-ID", "Tarif-ID", "Kostenpflichtig");

export function accounts(file: URL): AsyncIterable<readonly RecordOf<"accounts">[]> {
  return readRows(file, USERS, (row) => ({
    id: row.required("Benutzer-ID"),
    name: firstNameFirst(row.text("Anzeigename")),
    email: row.email("E-Mail"),
    active: row.flag("Aktiv", "ja", "nein"),
    roles: row.list("Rolle", ","),
    type: row.text("Art"),
  }));
}

export function plans(file: URL): AsyncIterable<readonly RecordOf<"plans">[]> {
  return readRows(file, PLANS, (row) => ({
    id: row.required("Tarif-ID"),
    externalPlanName: row.required("Tarif"),
    externalProductName: row.text("Produkt"),
    details: {
      model: "SEAT_BASED",
      seatBased: {
        paidSeats: row.count("Gekaufte Plätze"),
        consumedSeats: row.count("Belegte Plätze"),
      },
    },
  }));
}

export function licenses(file: URL): AsyncIterable<readonly RecordOf<"licenses">[]> {
  return readRows(file, ASSIGNMENTS, (row) => ({
    sourceId: row.required("Zuweisung"),
    sourceAccountId: row.required("Benutzer-ID"),
    sourcePlanId: row.required("Tarif-ID"),
    billable: row.requiredFlag("Kostenpflichtig", "ja", "nein"),
  }));
}

/** Turns "Müller, Anna" into "Anna Müller". */
function firstNameFirst(name: string | undefined): string | undefined {
  return name?.replace(/^([^,]+),\s*([^,]+)$/, "$2 $1");
}
