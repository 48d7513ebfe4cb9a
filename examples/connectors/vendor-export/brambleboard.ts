import type { RecordOf } from "@saas-management/sdk";
import { type ExportFormat, readRows } from "./rows.js";

/** The header comes after two title rows. */
const layout = <Column extends string>(...columns: Column[]): ExportFormat<Column> => ({
  columns,
  titleRows: 2,
});

const MEMBERS = layout("Member ID", "Display name", "E-Mail", "Role", "Status", "Seat");
const SEATS = layout("Plan ID", "Plan", "Product", "Seats purchased", "Seats assigned");

/** The free plan of guests. */
const GUEST_PLAN = "bb-guest";

/** An invited member who has not signed in yet is an inactive account. */
export function accounts(members: URL): AsyncIterable<readonly RecordOf<"accounts">[]> {
  return readRows(members, MEMBERS, (row) => ({
    id: row.required("Member ID"),
    name: row.text("Display name"),
    email: row.email("E-Mail"),
    active: row.flag("Status", "Active", "Invited"),
    roles: row.list("Role", ","),
    type: row.text("Role") === "Guest" ? "guest" : "member",
  }));
}

export function plans(seats: URL): AsyncIterable<readonly RecordOf<"plans">[]> {
  return readRows(seats, SEATS, (row) => ({
    id: row.required("Plan ID"),
    externalPlanName: row.required("Plan"),
    externalProductName: row.text("Product"),
    details: {
      model: "SEAT_BASED",
      seatBased: {
        paidSeats: row.count("Seats purchased"),
        consumedSeats: row.count("Seats assigned"),
      },
    },
  }));
}

/** Seats are a column of the member report. A member holds at most one seat, so the two ids make a stable id. */
export function licenses(members: URL): AsyncIterable<readonly RecordOf<"licenses">[]> {
  return readRows(members, MEMBERS, (row) => {
    const plan = row.text("Seat");
    if (plan === undefined) return undefined;
    const member = row.required("Member ID");
    return {
      sourceId: `${member}/${plan}`,
      sourceAccountId: member,
      sourcePlanId: plan,
      billable: plan !== GUEST_PLAN,
    };
  });
}
