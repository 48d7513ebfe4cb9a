import { germanDate } from "./days.js";
import type { Employee } from "./employees.js";
import { randomFor } from "./random.js";
import { assigned, externals, People, seatsOf } from "./seats.js";
import { type CsvStyle, csvText } from "./text.js";
import { accountsOf, asWritten, type PlanOnSale, type VendorExport, withAccounts } from "./vendor.js";

const TEAM: PlanOnSale = {
  id: "TG-STUDIO-TEAM",
  product: "Tuschgrün Studio",
  name: "Studio Team",
  seats: { paid: 140, regular: 84, idle: 13, never: 5, leavers: 5, externals: 10, nobody: 1 },
};
const SOLO: PlanOnSale = {
  id: "TG-STUDIO-SOLO",
  product: "Tuschgrün Studio",
  name: "Studio Einzelplatz",
  seats: { paid: 12, regular: 8, idle: 3, never: 1, leavers: 0, externals: 0, nobody: 0 },
};
const PROOF: PlanOnSale = {
  id: "TG-PROOF",
  product: "Tuschgrün Proof",
  name: "Proof Reviewer",
  seats: { paid: 200, regular: 118, idle: 26, never: 11, leavers: 4, externals: 5, nobody: 0 },
};

/** People who left and whose accounts were closed: they are in the user list and hold no seat. */
const CLOSED_ACCOUNTS = 6;

const STYLE: CsvStyle = { delimiter: ";", lineEnd: "\r\n", byteOrderMark: true };

/** Designers who also review: they hold a seat of both products. */
const REVIEWING_DESIGNERS = 40;

/** The design suite of a German vendor: semicolons, German headings and dates, "Nachname, Vorname". */
export function tuschgruen(employees: readonly Employee[]): VendorExport {
  const random = randomFor("tuschgruen");
  const designers = new People(
    employees,
    ["Industrial Design & UX", "Mechanical Design", "Marketing & Communications"],
    random,
  );
  const engineers = new People(employees, ["Optics, Coatings & Materials", "Quality"], random);
  const agencies = externals(TEAM.seats.externals, random);

  const team = seatsOf(TEAM, designers, agencies);
  const solo = seatsOf(SOLO, designers, []);
  const both = team.flatMap(({ holder }) => holder ?? []).slice(0, REVIEWING_DESIGNERS);
  const reviewers = {
    present(count: number) {
      const alsoDesigners = both.splice(0, count);
      return [...alsoDesigners, ...engineers.present(count - alsoDesigners.length)];
    },
    leavers: (count: number) => engineers.leavers(count),
  };
  const proof = seatsOf(PROOF, reviewers, agencies.slice(0, PROOF.seats.externals));
  const closed = new Set(designers.leavers(CLOSED_ACCOUNTS));
  const seats = [...team, ...solo, ...proof];
  const accounts = accountsOf([...seats.flatMap(({ holder }) => holder ?? []), ...closed], (index) =>
    String(200_417 + index * 7),
  );
  const usedSeats = withAccounts(seats, accounts, () => String(random.int(190_000, 199_999)));

  const users = accounts.map(({ id, holder }) => [
    id,
    `${holder.lastName}, ${holder.firstName}`,
    asWritten(holder.email, random),
    random.chance(0.03) ? "Administrator" : "Mitglied",
    holder.external ? "Gast" : "Intern",
    closed.has(holder) ? "nein" : "ja",
    germanDate(holder.since),
  ]);
  const plans = [TEAM, SOLO, PROOF].map(({ id, product, name, seats }) => {
    return [id, product, name, String(seats.paid), String(assigned(seats))];
  });
  const assignments = random.shuffled(usedSeats).map(({ accountId, planId, holder }, index) => {
    return [
      `Z-${10_001 + index}`,
      accountId,
      planId,
      "ja",
      holder === undefined ? "" : germanDate(holder.since),
    ];
  });
  return {
    usedSeats,
    files: {
      "tuschgruen-users.csv": csvText(
        [["Benutzer-ID", "Anzeigename", "E-Mail", "Rolle", "Art", "Aktiv", "Angelegt am"], ...users],
        STYLE,
      ),
      "tuschgruen-plans.csv": csvText(
        [["Tarif-ID", "Produkt", "Tarif", "Gekaufte Plätze", "Belegte Plätze"], ...plans],
        STYLE,
      ),
      "tuschgruen-assignments.csv": csvText(
        [["Zuweisung", "Benutzer-ID", "Tarif-ID", "Kostenpflichtig", "Zugewiesen am"], ...assignments],
        STYLE,
      ),
    },
  };
}
