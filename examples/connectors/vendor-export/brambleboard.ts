import type { RecordOf } from "@saas-management/sdk";
import { filled } from "../fields.js";
import { type CsvLayout, readRecords } from "./csv.js";

/** Two rows above the heading say what the report is. */
const layout = <Column extends string>(...columns: Column[]): CsvLayout<Column> => ({
  columns,
  titleRows: 2,
});

const MEMBERS = layout("Member ID", "Display name", "E-Mail", "Role", "Status", "Seat");
const SEATS = layout("Plan ID", "Plan", "Product", "Seats purchased", "Seats assigned");

/** The plan of guests, who cost nothing. */
const GUEST_PLAN = "bb-guest";

/** The members of the company's boards. Who was invited and has not come yet is one that is not active. */
export function accounts(members: URL): AsyncIterable<RecordOf<"accounts">[]> {
  return readRecords(members, MEMBERS, (row) => ({
    generic: filled({
      id: row.required("Member ID"),
      name: row.text("Display name"),
      email: row.address("E-Mail"),
      active: row.flag("Status", "Active", "Invited"),
      roles: row.list("Role", ","),
      type: row.text("Role") === "Guest" ? "guest" : "member",
    }),
  }));
}

/** The plans that the company has with Brambleboard, and their seats. */
export function plans(seats: URL): AsyncIterable<RecordOf<"plans">[]> {
  return readRecords(seats, SEATS, (row) => ({
    generic: filled({
      id: row.required("Plan ID"),
      externalPlanName: row.required("Plan"),
      externalProductName: row.text("Product"),
      details: {
        model: "SEAT_BASED",
        seatBased: filled({
          paidSeats: row.count("Seats purchased"),
          consumedSeats: row.count("Seats assigned"),
        }),
      },
    }),
  }));
}

/**
 * Who holds which seat: a column of the member report. A member holds one seat at most, so the two ids together name
 * the assignment, and stay the same from one export to the next.
 */
export function licenses(members: URL): AsyncIterable<RecordOf<"licenses">[]> {
  return readRecords(members, MEMBERS, (row) => {
    const plan = row.text("Seat");
    if (plan === undefined) return undefined;
    const member = row.required("Member ID");
    return {
      generic: {
        sourceId: `${member}/${plan}`,
        sourceAccountId: member,
        sourcePlanId: plan,
        billable: plan !== GUEST_PLAN,
      },
    };
  });
}
