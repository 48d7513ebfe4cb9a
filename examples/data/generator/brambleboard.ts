import { americanDate, EXPORT_DAY } from "./days.js";
import type { Employee } from "./employees.js";
import { COMPANY } from "./organization.js";
import { type Random, randomFor } from "./random.js";
import { externals, type Holder, People, type Seat, seatsOf } from "./seats.js";
import { type CsvStyle, csvText, sortedBy } from "./text.js";
import { accountsOf, asWritten, type PlanOnSale, type VendorExport, withAccounts } from "./vendor.js";

const PRODUCT = "Brambleboard";
const BUSINESS: PlanOnSale = {
  id: "bb-business",
  product: PRODUCT,
  name: "Board Business",
  seats: { paid: 600, regular: 452, idle: 61, never: 22, leavers: 13, externals: 0, nobody: 0 },
};
const ENTERPRISE: PlanOnSale = {
  id: "bb-enterprise",
  product: PRODUCT,
  name: "Board Enterprise",
  seats: { paid: 80, regular: 58, idle: 8, never: 2, leavers: 4, externals: 0, nobody: 0 },
};
/** Guests are free, so the number of paid seats is empty. */
const GUEST: PlanOnSale = {
  id: "bb-guest",
  product: PRODUCT,
  name: "Board Guest",
  seats: { paid: 0, regular: 0, idle: 0, never: 0, leavers: 0, externals: 23, nobody: 0 },
};
const PLANS = [BUSINESS, ENTERPRISE, GUEST];

/** People who were invited and never signed in. */
const INVITED = 11;

/** Idle members who give up their seats next month, in addition to all who left the company. */
const IDLE_HANDED_BACK = 4;

const STYLE: CsvStyle = { delimiter: ",", lineEnd: "\n", quoteAll: true };

interface Member {
  readonly id: string;
  readonly holder: Holder;
  readonly seat: Seat | undefined;
  readonly name: string;
  readonly email: string;
  readonly role: string;
}

/**
 * The project boards of an American vendor: every cell quoted, title rows above the header, the seat as a column of the
 * member list. Exported twice: by next month IT has returned the seats of people who left and of a few others.
 */
export function brambleboard(employees: readonly Employee[]): VendorExport {
  const random = randomFor("brambleboard");
  const people = new People(
    employees,
    [
      "Optics, Coatings & Materials",
      "Mechanical Design",
      "Embedded Software",
      "Industrial Design & UX",
      "Quality",
      "Purchasing",
      "Marketing & Communications",
      "Finance",
      "Legal",
      "People",
      "IT Operations",
      "Data & Analytics",
    ],
    random,
  );
  const seats = PLANS.flatMap((plan) => seatsOf(plan, people, externals(plan.seats.externals, random)));
  const invited = people.present(INVITED);
  const members = membersOf([...seats.flatMap(({ holder }) => holder ?? []), ...invited], seats, random);

  const handedBack = members.filter(
    ({ seat }) => seat?.planId === BUSINESS.id && seat.habit === "idle" && !seat.holder?.left,
  );
  const leaving = new Set([
    ...members.filter(({ holder }) => holder.left),
    ...random.shuffled(handedBack).slice(0, IDLE_HANDED_BACK),
  ]);
  const remaining = members.filter((member) => !leaving.has(member));
  return {
    usedSeats: withAccounts(seats, members, () => ""),
    files: {
      "brambleboard-members.csv": memberReport(members, EXPORT_DAY),
      "brambleboard-seats.csv": seatReport(members, members, EXPORT_DAY),
      "brambleboard-members-next-month.csv": memberReport(remaining, NEXT_EXPORT_DAY),
      "brambleboard-seats-next-month.csv": seatReport(remaining, members, NEXT_EXPORT_DAY),
    },
  };
}

const NEXT_EXPORT_DAY = "2026-04-30";

function membersOf(holders: readonly Holder[], seats: readonly Seat[], random: Random): Member[] {
  const seatOf = new Map(seats.map((seat) => [seat.holder, seat]));
  const newId = () => `mbr_${random.text("abcdefghjkmnpqrstuvwxyz23456789", 8)}`;
  const members = accountsOf(holders, newId).map(({ id, holder }) => ({
    id,
    holder,
    seat: seatOf.get(holder),
    name: random.chance(0.04) ? "" : holder.name,
    email: asWritten(holder.email, random),
    role: holder.external ? "Guest" : random.chance(0.02) ? "Owner" : "Member",
  }));
  return sortedBy(members, ({ email }) => email.toLowerCase());
}

function memberReport(members: readonly Member[], day: string): string {
  const rows = members.map(({ id, holder, seat, name, email, role }) => {
    const state = seat === undefined ? "Invited" : "Active";
    return [seat?.planId ?? "", email, role, americanDate(holder.since), state, name, id];
  });
  return csvText(
    [
      ...titles("Members", day),
      ["Seat", "E-Mail", "Role", "Joined", "Status", "Display name", "Member ID"],
      ...rows,
    ],
    STYLE,
  );
}

/** The seats of each plan. Seats that were returned since an earlier member list are no longer paid. */
function seatReport(members: readonly Member[], before: readonly Member[], day: string): string {
  const taken = (list: readonly Member[], plan: string) =>
    list.filter(({ seat }) => seat?.planId === plan).length;
  const rows = PLANS.map(({ id, product, name, seats }) => {
    const purchased = seats.paid - (taken(before, id) - taken(members, id));
    return [name, seats.paid === 0 ? "" : String(purchased), String(taken(members, id)), product, id];
  });
  return csvText(
    [...titles("Seats", day), ["Plan", "Seats purchased", "Seats assigned", "Product", "Plan ID"], ...rows],
    STYLE,
  );
}

function titles(report: string, day: string): string[][] {
  return [[`${PRODUCT} Admin Console`], [`${report} of ${COMPANY}`, `Exported ${americanDate(day)}`]];
}
