import type { Collection } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { previewOf as preview } from "../support/connector.js";
import { discovered, employee, inMicrosoft, license, plan, usage } from "../support/records.js";
import { accounts, ids } from "../support/test-service.js";

/** The fields of a collection with dangling references, and their numbers. */
async function danglingOf(previewed: ReturnType<typeof preview>, collection: Collection) {
  const { collections } = await previewed;
  return collections[collection]?.dangling.map(({ field, count }) => [field, count]);
}

test.each(["before", "after"])(
  "finds licenses whose account or plan is missing, if licenses are written %s accounts and plans",
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
  const people = [employee("e1", "m1"), employee("e2", "e3"), employee("e3", "e3"), employee("e4", "gone")];
  const previewed = preview(["employees"], async (batch) => {
    await batch.write("employees", [...people, inMicrosoft({ id: "m1", fullName: "M" })]);
  });
  expect(await danglingOf(previewed, "employees")).toEqual([["managerId", 1]]);
});

test("finds events whose actor or plan is missing", async () => {
  const previewed = preview(["accounts", "employees", "plans"], async (batch) => {
    await batch.write("accounts", accounts(["u0"]));
    await batch.write("employees", []);
    await batch.write("plans", [plan("p1")]);
    await batch.write("usage", [
      { ...usage("1"), sourcePlanId: "p1" },
      { ...usage("2"), sourceActorId: "u1", sourcePlanId: "p2" },
    ]);
    await batch.write("externallyDiscoveredUsage", [discovered("u1")]);
  });
  expect(await danglingOf(previewed, "usage")).toEqual([
    ["sourceActorId", 1],
    ["sourcePlanId", 1],
  ]);
  expect(await danglingOf(previewed, "externallyDiscoveredUsage")).toEqual([["sourceActorId", 1]]);
});

test("checks references only to collections that the run writes", async () => {
  const previewed = preview(["accounts", "licenses"], async (batch) => {
    await batch.write("accounts", accounts(["u0"]));
    await batch.write("licenses", [license("l1", "u0", "p9")]);
    await batch.write("usage", [{ ...usage("1"), sourceActorId: "u9" }]);
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
