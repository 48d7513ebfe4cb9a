/**
 * Pushes the CSV export of a vendor's admin console: accounts, plans and licenses from one file.
 *
 *   cp node_modules/@saas-management/sdk/examples/push-csv.* .
 *   npx saas-management run push-csv.mts --first-run
 */
import { defineConnector, type RecordOf } from "@saas-management/sdk";
import { fromCsv, type RecordLocation } from "@saas-management/sdk/sources";

const FILE = new URL("push-csv.csv", import.meta.url);
const PAID_SEATS: Readonly<Record<string, number>> = { Team: 20, Business: 15, Gast: 50 };

/** Reads the file once per collection. If `map` returns undefined, the collection skips the row. */
const rows = <R,>(map: (row: Row, at: RecordLocation) => R | undefined) =>
  fromCsv(FILE, {
    delimiter: ";",
    columns: ["Benutzer-ID", "Anzeigename", "E-Mail", "Aktiv", "Tarif", "Seit"],
    map,
  });
type Row = Readonly<Record<"Benutzer-ID" | "Anzeigename" | "E-Mail" | "Aktiv" | "Tarif" | "Seit", string>>;

export const connector = defineConnector({
  snapshots: ["accounts", "plans", "licenses"],
  async run(batch) {
    await batch.write("accounts", rows(toAccount));
    await batch.write("plans", Object.entries(PAID_SEATS).map(toPlan));
    await batch.write("licenses", rows(toLicense));
  },
});

function toAccount(row: Row, at: RecordLocation): RecordOf<"accounts"> {
  return {
    id: row["Benutzer-ID"],
    // The console writes "Lovelace, Ada".
    name: row.Anzeigename.split(", ").reverse().join(" "),
    // Accounts and employees are matched by their addresses.
    email: row["E-Mail"].toLowerCase() || null,
    active: yesOrNo(row.Aktiv, at),
  };
}

function toPlan([name, paidSeats]: [string, number]): RecordOf<"plans"> {
  return { id: name, externalPlanName: name, details: { model: "SEAT_BASED", seatBased: { paidSeats } } };
}

function toLicense(row: Row, at: RecordLocation): RecordOf<"licenses"> | undefined {
  const { "Benutzer-ID": account, Tarif: plan } = row;
  if (plan === "") return undefined;
  // A row that makes no sense ends the run: if it were skipped, its license would be removed.
  if (!(plan in PAID_SEATS)) throw new Error(`${at.location} names an unknown plan.`);
  return {
    sourceId: `${account}/${plan}`,
    sourceAccountId: account,
    sourcePlanId: plan,
    billable: plan !== "Gast",
  };
}

function yesOrNo(word: string, at: RecordLocation): boolean {
  if (word !== "ja" && word !== "nein") throw new Error(`${at.location}: "Aktiv" must be ja or nein.`);
  return word === "ja";
}
