import type { Collection } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { previewOf as preview } from "../support/connector.js";
import { accounts, ids } from "../support/test-service.js";

const AT = "2026-01-01T00:00:00Z";

function license(id: string, sourceAccountId: string, sourcePlanId = "p1") {
  return { sourceId: id, sourceAccountId, sourcePlanId, billable: true };
}

function plan(id: string) {
  return { id, externalPlanName: id, details: { model: "SEAT_BASED" as const, seatBased: {} } };
}

function employee(id: string, managerId?: string) {
  return { id, fullName: id, managerId };
}

/** The fields of a collection with dangling references, and their numbers. */
async function danglingOf(previewed: ReturnType<typeof preview>, collection: Collection) {
  const { collections } = await previewed;
  return collections[collection]?.dangling.map(({ field, count }) => [field, count]);
}

test.each(["before", "after"])(
  "finds licenses whose account or plan is missing, written %s accounts and plans",
  async (order) => {
    const licenses = [
      license("l1", "u0"),
      license("l2", "nobody"),
      license("l3", "nobody"),
      license("l4", "u1", "no plan"),
      license("l5", "späte Benutzerin"),
    ];
    const previewed = preview(["accounts", "plans", "licenses"], async (batch) => {
      if (order === "before") await batch.write("licenses", licenses);
      await batch.write("accounts", accounts(["u0", "u1", "späte Benutzerin"]));
      await batch.write("plans", [plan("p1")]);
      if (order === "after") await batch.write("licenses", licenses);
    });
    expect(await danglingOf(previewed, "licenses")).toEqual([
      ["sourceAccountId", 2],
      ["sourcePlanId", 1],
    ]);
    // The service accepts dangling references.
    expect((await previewed).refusals).toEqual([]);
    expect(`${await previewed}`).toContain(
      "  sourceAccountId: 2 records with an id that the run does not write",
    );
  },
);

test("finds employees whose manager is missing, in any directory", async () => {
  const microsoft = { id: "m1", displayName: "M", userPrincipalName: "m@example.com" };
  const people = [employee("e1", "m1"), employee("e2", "e3"), employee("e3", "e3"), employee("e4", "gone")];
  const previewed = preview(["employees"], async (batch) => {
    await batch.write("employees", [...people, { microsoft }]);
  });
  expect(await danglingOf(previewed, "employees")).toEqual([["managerId", 1]]);
});

test("finds members and devices whose group, account or employee is missing", async () => {
  const member = (id: string, sourceGroupId: string, sourceMemberId: string) => ({
    id,
    sourceGroupId,
    sourceMemberId,
  });
  const snapshots = ["accounts", "employees", "groups", "groupMembers", "devices"] as const;
  const previewed = preview(snapshots, async (batch) => {
    await batch.write("groupMembers", [
      member("1", "g1", "u0"),
      member("2", "g1", "e1"),
      member("3", "g2", "u0"),
      member("4", "g1", "u9"),
    ]);
    await batch.write("accounts", accounts(["u0"]));
    await batch.write("employees", [employee("e1")]);
    await batch.write("groups", [{ id: "g1", name: "Admins" }]);
    await batch.write("devices", [
      { id: "d1", sourceOwnerId: "e1" },
      { id: "d2", sourceOwnerId: "e2" },
      { id: "d3" },
    ]);
  });
  expect(await danglingOf(previewed, "groupMembers")).toEqual([
    ["sourceGroupId", 1],
    ["sourceMemberId", 1],
  ]);
  expect(await danglingOf(previewed, "devices")).toEqual([["sourceOwnerId", 1]]);
});

test("finds events whose actor or plan is missing", async () => {
  const previewed = preview(["accounts", "employees", "plans"], async (batch) => {
    await batch.write("accounts", accounts(["u0"]));
    await batch.write("employees", []);
    await batch.write("plans", [plan("p1")]);
    await batch.write("usage", [
      { id: "1", sourceActorId: "u0", sourcePlanId: "p1", lastActivity: AT },
      { id: "2", sourceActorId: "u1", sourcePlanId: "p2", lastActivity: AT },
    ]);
    const actor = { sourceActorId: "u1" };
    await batch.write("externallyDiscoveredUsage", [{ ...actor, lastActivity: AT }]);
    await batch.write("auditLogs", [{ id: "1", action: "login", eventTime: AT, ...actor }]);
    await batch.write("aiUsage", [{ id: "1", lastActivity: AT, ...actor }]);
    await batch.write("aiCost", [{ id: "1", amount: "1", currency: "EUR", costTime: AT, ...actor }]);
  });
  expect(await danglingOf(previewed, "usage")).toEqual([
    ["sourceActorId", 1],
    ["sourcePlanId", 1],
  ]);
  expect(await danglingOf(previewed, "externallyDiscoveredUsage")).toEqual([["sourceActorId", 1]]);
  for (const name of ["auditLogs", "aiUsage", "aiCost"] as const)
    expect(await danglingOf(previewed, name)).toEqual([["sourceActorId", 1]]);
});

test("checks references only to collections that the run writes", async () => {
  const previewed = preview(["accounts", "licenses"], async (batch) => {
    await batch.write("accounts", accounts(["u0"]));
    await batch.write("licenses", [license("l1", "u0", "p9")]);
    await batch.write("usage", [{ id: "1", sourceActorId: "u9", lastActivity: AT }]);
  });
  expect(await danglingOf(previewed, "licenses")).toEqual([]);
  expect(await danglingOf(previewed, "usage")).toEqual([["sourceActorId", 1]]);
});

test("reports an invalid record, but no reference to it", async () => {
  const previewed = preview(["accounts", "licenses", "plans"], async (batch) => {
    await batch.write("plans", [plan("p1")]);
    // @ts-expect-error an invalid record
    await batch.write("accounts", [{ id: "u0", name: 7 }]);
    await batch.write("licenses", [license("l1", "u0")]);
  });
  expect(await danglingOf(previewed, "licenses")).toEqual([]);
});

test("counts all of many dangling references", async () => {
  const count = 15_000;
  const previewed = preview(["accounts", "licenses", "plans"], async (batch) => {
    await batch.write(
      "licenses",
      ids(count).map((id) => license(id, id)),
    );
    await batch.write("accounts", accounts(ids(count - 100)));
    await batch.write("plans", [plan("p1")]);
  });
  expect(await danglingOf(previewed, "licenses")).toEqual([["sourceAccountId", 100]]);
});
