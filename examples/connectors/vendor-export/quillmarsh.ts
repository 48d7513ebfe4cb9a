import type { RecordOf } from "@saas-management/sdk";
import { filled } from "../fields.js";
import { readRecords } from "./csv.js";

const USERS = ["id", "name", "email", "username", "roles", "active"] as const;
const PLANS = ["plan_id", "product", "plan", "paid_seats", "consumed_seats"] as const;
const ASSIGNMENTS = ["assignment_id", "user_id", "plan_id", "billable"] as const;

/** The users of Quillmarsh's products. */
export function accounts(file: URL): AsyncIterable<RecordOf<"accounts">[]> {
  return readRecords(file, { columns: USERS }, (row) => ({
    generic: filled({
      id: row.required("id"),
      name: row.text("name"),
      email: row.address("email"),
      username: row.text("username"),
      active: row.flag("active", "true", "false"),
      roles: row.list("roles", "|"),
    }),
  }));
}

/** The plans that the company has with Quillmarsh, and their seats. */
export function plans(file: URL): AsyncIterable<RecordOf<"plans">[]> {
  return readRecords(file, { columns: PLANS }, (row) => ({
    generic: filled({
      id: row.required("plan_id"),
      externalPlanName: row.required("plan"),
      externalProductName: row.text("product"),
      details: {
        model: "SEAT_BASED",
        seatBased: filled({ paidSeats: row.count("paid_seats"), consumedSeats: row.count("consumed_seats") }),
      },
    }),
  }));
}

/** Who holds which seat. */
export function licenses(file: URL): AsyncIterable<RecordOf<"licenses">[]> {
  return readRecords(file, { columns: ASSIGNMENTS }, (row) => ({
    generic: {
      sourceId: row.required("assignment_id"),
      sourceAccountId: row.required("user_id"),
      sourcePlanId: row.required("plan_id"),
      billable: row.requiredFlag("billable", "true", "false"),
    },
  }));
}
