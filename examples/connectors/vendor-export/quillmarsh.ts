import type { RecordOf } from "@saas-management/sdk";
import { readRows } from "./rows.js";

const USERS = ["id", "name", "email", "username", "roles", "active"] as const;
const PLANS = ["plan_id", "product", "plan", "paid_seats", "consumed_seats"] as const;
const ASSIGNMENTS = ["assignment_id", "user_id", "plan_id", "billable"] as const;

export function accounts(file: URL): AsyncIterable<readonly RecordOf<"accounts">[]> {
  return readRows(file, { columns: USERS }, (row) => ({
    id: row.required("id"),
    name: row.text("name"),
    email: row.email("email"),
    username: row.text("username"),
    active: row.flag("active", "true", "false"),
    roles: row.list("roles", "|"),
  }));
}

export function plans(file: URL): AsyncIterable<readonly RecordOf<"plans">[]> {
  return readRows(file, { columns: PLANS }, (row) => ({
    id: row.required("plan_id"),
    externalPlanName: row.required("plan"),
    externalProductName: row.text("product"),
    details: {
      model: "SEAT_BASED",
      seatBased: { paidSeats: row.count("paid_seats"), consumedSeats: row.count("consumed_seats") },
    },
  }));
}

export function licenses(file: URL): AsyncIterable<readonly RecordOf<"licenses">[]> {
  return readRows(file, { columns: ASSIGNMENTS }, (row) => ({
    sourceId: row.required("assignment_id"),
    sourceAccountId: row.required("user_id"),
    sourcePlanId: row.required("plan_id"),
    billable: row.requiredFlag("billable", "true", "false"),
  }));
}
