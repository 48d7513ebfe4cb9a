import { Readable } from "node:stream";
import type { Collection } from "@saas-management/sdk";
import { fromCsv } from "@saas-management/sdk/sources";
import { expect, test } from "vitest";
import { formatPreview } from "../../src/sync/preview/report.js";
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

/** The references of a collection: field, number of dangling records, and the first of them. */
async function referencesOf(previewed: ReturnType<typeof preview>, collection: Collection) {
  const { collections } = await previewed;
  return collections[collection]?.references.map(({ field, dangling, first }) => [
    field,
    dangling,
    ...first.map(({ id, missingId }) => `${id ?? "?"} ${missingId ?? "?"}`),
  ]);
}

test("lists dangling references with the locations of their records", async () => {
  const lines = ["sourceId,sourceAccountId", "l1,nobody", "l2,u0", "l3,no one"];
  const licenses = fromCsv(Readable.from([Buffer.from(lines.join("\n"))]), {
    map: ({ sourceId = "", sourceAccountId = "" }) => license(sourceId, sourceAccountId),
    name: "licenses.csv",
  });
  const previewed = await preview(["accounts", "licenses"], async (batch) => {
    const writer = batch.writer("licenses");
    for await (const some of licenses) await writer.write(some);
    await writer.write(license("l4", "no place"));
    await writer.end();
    await batch.write("accounts", accounts(["u0"]));
  });
  const [first] = previewed.collections.licenses?.references ?? [];
  expect(first?.first).toEqual([
    { index: 0, id: "l1", location: "licenses.csv:2", missingId: "nobody" },
    { index: 2, id: "l3", location: "licenses.csv:4", missingId: "no one" },
    { index: 3, id: "l4", location: undefined, missingId: "no place" },
  ]);
  expect(formatPreview(previewed)).toContain('- licenses[2] "l3" (licenses.csv:4) refers to "no one"');
});

test("gives a dangling reference no location of an earlier write", async () => {
  const used = (sourceActorId: string) => ({ id: sourceActorId, sourceActorId, lastActivity: AT });
  const file = fromCsv(Readable.from([Buffer.from("actor\na1\na2\n")]), {
    map: ({ actor = "" }) => used(actor),
    name: "usage.csv",
  });
  const previewed = await preview(["accounts"], async (batch) => {
    await batch.write("accounts", []);
    await batch.write("usage", file);
    await batch.write("usage", [used("b1")]);
  });
  const [first] = previewed.collections.usage?.references ?? [];
  expect(new Map(first?.first.map(({ missingId, location }) => [missingId, location]))).toEqual(
    new Map([
      ["a1", "usage.csv:2"],
      ["a2", "usage.csv:3"],
      ["b1", undefined],
    ]),
  );
});

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
    expect((await previewed).collections.licenses?.references).toEqual([
      {
        field: "sourceAccountId",
        searched: ["accounts"],
        notSearched: [],
        dangling: 2,
        missingIds: 1,
        first: [{ index: 1, id: "l2", missingId: "nobody" }],
      },
      {
        field: "sourcePlanId",
        searched: ["plans"],
        notSearched: [],
        dangling: 1,
        missingIds: 1,
        first: [{ index: 3, id: "l4", missingId: "no plan" }],
      },
    ]);
    // The service accepts dangling references.
    expect((await previewed).refusals).toEqual([]);
    expect(formatPreview(await previewed)).toContain(
      '  sourceAccountId: 2 records dangling, 1 id not in accounts\n  - licenses[1] "l2" refers to "nobody"',
    );
  },
);

test("finds employees whose manager is missing, in any directory", async () => {
  const microsoft = { id: "m1", displayName: "M", userPrincipalName: "m@example.com" };
  const people = [employee("e1", "m1"), employee("e2", "e3"), employee("e3", "e3"), employee("e4", "gone")];
  const previewed = preview(["employees"], async (batch) => {
    await batch.write("employees", [...people, { microsoft }]);
  });
  expect(await referencesOf(previewed, "employees")).toEqual([["managerId", 1, "e4 gone"]]);
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
  expect(await referencesOf(previewed, "groupMembers")).toEqual([
    ["sourceGroupId", 1, "3 g2"],
    ["sourceMemberId", 1, "4 u9"],
  ]);
  expect(await referencesOf(previewed, "devices")).toEqual([["sourceOwnerId", 1, "d2 e2"]]);
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
  expect(await referencesOf(previewed, "usage")).toEqual([
    ["sourceActorId", 1, "2 u1"],
    ["sourcePlanId", 1, "2 p2"],
  ]);
  expect(await referencesOf(previewed, "externallyDiscoveredUsage")).toEqual([["sourceActorId", 1, "? u1"]]);
  for (const name of ["auditLogs", "aiUsage", "aiCost"] as const)
    expect(await referencesOf(previewed, name)).toEqual([["sourceActorId", 1, "1 u1"]]);
});

test("checks references only to collections that the run writes, and says so", async () => {
  const previewed = await preview(["accounts", "licenses"], async (batch) => {
    await batch.write("accounts", accounts(["u0"]));
    await batch.write("licenses", [license("l1", "u0", "p9")]);
    await batch.write("usage", [{ id: "1", sourceActorId: "u9", lastActivity: AT }]);
  });
  expect(previewed.collections.licenses?.references[1]).toMatchObject({
    searched: [],
    notSearched: ["plans"],
    dangling: 0,
  });
  expect(previewed.collections.usage?.references[0]).toMatchObject({
    searched: ["accounts"],
    notSearched: ["employees"],
    dangling: 1,
  });
  const text = formatPreview(previewed);
  expect(text).toContain("sourcePlanId: not checked, because this run does not write plans");
  expect(text).toContain("1 id not in accounts, unless in employees, which this run does not write");
});

test("reports no reference to an invalid record, which is reported itself", async () => {
  const previewed = preview(["accounts", "licenses", "plans"], async (batch) => {
    await batch.write("plans", [plan("p1")]);
    // @ts-expect-error an invalid record
    await batch.write("accounts", [{ id: "u0", name: 7 }]);
    await batch.write("licenses", [license("l1", "u0")]);
  });
  expect(await referencesOf(previewed, "licenses")).toEqual([
    ["sourceAccountId", 0],
    ["sourcePlanId", 0],
  ]);
});

test("counts all of many dangling references, and lists the first by index", async () => {
  const count = 15_000;
  const previewed = preview(["accounts", "licenses", "plans"], async (batch) => {
    await batch.write(
      "licenses",
      ids(count).map((id) => license(id, id)),
    );
    // The last 100 are missing, after those that are kept with their ids.
    await batch.write("accounts", accounts(ids(count - 100)));
    await batch.write("plans", [plan("p1")]);
  });
  const [reference] = (await previewed).collections.licenses?.references ?? [];
  expect(reference).toMatchObject({ dangling: 100, missingIds: 100 });
  expect(reference?.first.map(({ index }) => index)).toEqual(
    Array.from({ length: 20 }, (_, i) => count - 100 + i),
  );
  expect(reference?.first[0]).toEqual({ index: count - 100, id: undefined, missingId: undefined });
  expect(formatPreview(await previewed)).toContain(`\n  - licenses[${count - 100}]\n`);
});
