/** Records for tests of mechanisms, with fields of the service's description. Another contract needs other records. */
import type { RecordOf } from "@saas-management/sdk";
import type { CreateProcurementCaseInput } from "@saas-management/sdk/graphql";

interface Person {
  readonly id: string;
  readonly fullName: string;
  readonly email?: string;
}

/** Accounts with these ids, or `u0`, `u1`, …, each slightly larger than `nameLength` bytes. */
export function accounts(which: number | readonly string[], nameLength = 100) {
  const all = typeof which === "number" ? ids(which) : which;
  return all.map((id) => ({ id, name: "n".repeat(nameLength) }));
}

/** Ids `u0`, `u1`, … */
export function ids(count: number, prefix = "u"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

export function plan(id: string, name = id) {
  return { id, externalPlanName: name, details: { model: "SEAT_BASED" as const, seatBased: {} } };
}

export function employee(id: string, managerId?: string) {
  return { id, fullName: id, managerId };
}

/** Employees in the models of two directories. */
export function inMicrosoft({ id, fullName: displayName, email = id }: Person): RecordOf<"employees"> {
  return { microsoft: { id, displayName, userPrincipalName: email } };
}
export function inBamboo({ id, fullName: displayName, email: workEmail }: Person): RecordOf<"employees"> {
  return { bambooHr: { id, displayName, workEmail } };
}

export function license(sourceId: string, sourceAccountId = "u0", sourcePlanId = "p1") {
  return { sourceId, sourceAccountId, sourcePlanId, billable: true };
}

export function usage(
  id: string,
  lastActivity: Date | string = "2026-01-01T00:00:00Z",
  sourceActorId = "u0",
) {
  return { id, sourceActorId, lastActivity };
}

/** Usage without an id. */
export function discovered(sourceActorId: string, lastActivity: Date | string = "2026-01-01T00:00:00Z") {
  return { sourceActorId, lastActivity };
}

/** Snapshots for tests that need several. */
export type Snapshot = "accounts" | "plans" | "employees";

const OF_SNAPSHOTS: { readonly [C in Snapshot]: (id: string) => RecordOf<C> } = {
  accounts: (id) => ({ id, name: id }),
  plans: (id) => plan(id),
  employees: (id) => employee(id),
};

export function recordsOf<const C extends Snapshot>(collection: C, all: readonly string[]): RecordOf<C>[] {
  return all.map((id) => OF_SNAPSHOTS[collection](id));
}

/** A mutation's input. */
export const NEW_CASE: CreateProcurementCaseInput = { name: "Renewal", state: "PRE" };
