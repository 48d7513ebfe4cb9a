import { calendarDate, InvalidInputError } from "@saas-management/sdk/graphql";
import { expect, test } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { answer } from "../support/http-server.js";

const DONE = answer({ data: { changeVendorsState: { updatedCount: 2, errors: null } } });
const STATE = { state: "SANCTIONED" } as const;

test("converts a Date to its day in UTC", () => {
  expect(calendarDate(new Date("2026-03-01T23:59:59.999Z"))).toBe("2026-03-01");
  expect(calendarDate(new Date("2026-03-01T00:30:00+02:00"))).toBe("2026-02-28");
});

test.each([new Date(Number.NaN), new Date(8.64e15), "2026-01-01", undefined, null, 5, {}])(
  "rejects the calendar date %j",
  (value) => {
    expect(() => Reflect.apply(calendarDate, undefined, [value])).toThrow(InvalidInputError);
  },
);

test("sends date strings and null in filters unchanged", async () => {
  const { client, server } = await connectClient(DONE);
  const where = { lastUsed: { in: ["0001-01-01", null], neq: null }, application: { name: { eq: "5" } } };
  await rejection(client.applications({ where }).toArray());
  expect(server.requests[0]?.body.variables["where"]).toEqual(where);
});

test("rejects a Date in a filter and in the input of a mutation, with its path", async () => {
  const { client, server } = await connectClient(DONE);
  const date = new Date("2026-12-31T23:00:00Z");
  const where = { and: [{ contractDetails: { renewal: { upcomingDate: { value: { gte: date } } } } }] };
  const path = "where.and[0].contractDetails.renewal.upcomingDate.value.gte";
  const list = async () => Reflect.apply(client.licensePlans, client, [{ where }]);
  expect(await rejection(list())).toMatchObject({ code: "INVALID_INPUT", issues: [{ path }] });
  const input = { name: "Renewal", state: "PRE", deadline: date };
  expect(await rejection(Reflect.apply(client.createProcurementCase, client, [input]))).toMatchObject({
    code: "INVALID_INPUT",
    issues: [{ path: "input.deadline" }],
  });
  expect(server.requests).toEqual([]);
  // A caller's document may use a different scalar.
  await client.request("query Own($at: DateTime) { a(at: $at) }", { at: date });
  expect(server.requests[0]?.body.variables).toEqual({ at: date.toISOString() });
});

test.each([
  [{ vendor: { name: { startsWith: "Ac", eq: null, in: ["Acme", null] } } }],
  [{ vendor: { name: { eq: "Acme", contains: undefined } }, or: undefined }],
])("changes the state of the vendors that match %j", async (where) => {
  const { client, server } = await connectClient(DONE);
  expect(await client.changeVendorsState(STATE, where)).toEqual({ updatedCount: 2 });
  expect(server.requests[0]?.body.variables).toEqual({
    input: STATE,
    where: JSON.parse(JSON.stringify(where)),
  });
});

test('changes the state of every vendor only if the filter is "all"', async () => {
  const { client, server } = await connectClient(DONE);
  await client.changeVendorsState(STATE, "all");
  expect(server.requests.map(({ body }) => body.variables)).toEqual([{ input: STATE }]);
  for (const where of [undefined, null, "", "ALL"])
    expect(await rejection(Reflect.apply(client.changeVendorsState, client, [STATE, where]))).toBeInstanceOf(
      InvalidInputError,
    );
  expect(server.requests).toHaveLength(1);
});

const NAMED = { vendor: { name: { eq: "Acme" } } };
test.each<[string, object]>([
  ["where", {}],
  ["where", { vendor: undefined }],
  ["where", []],
  ["where", new Map([["vendor", "Acme"]])],
  ["where.vendor", { vendor: {} }],
  ["where.vendor", { vendor: null }],
  ["where.vendor.name", { vendor: { name: {} } }],
  ["where.vendor.name", { vendor: { name: null } }],
  ["where.vendor.name.eq", { vendor: { name: { eq: undefined, startsWith: undefined } } }],
  ["where.vendor.name", { vendor: { name: new Map([["eq", "Acme"]]) } }],
  ["where.and", { and: [] }],
  ["where.or", { or: [] }],
  ["where.or[1]", { or: [NAMED, {}] }],
  ["where.or[0]", { or: [null, NAMED] }],
  ["where.or[1]", { or: [NAMED, () => NAMED] }],
  ["where.and[0].vendor.name.contains", { and: [{ vendor: { name: { contains: undefined } } }, NAMED] }],
  ["where.vendor.or[0].name.eq", { vendor: { or: [{ name: { eq: undefined } }] } }],
  ["where.vendor.name.in", { vendor: { name: { in: [] } } }],
  ["where.vendor.name.in", { vendor: { name: { in: new Set(["Acme"]) } } }],
  ["where.vendor.name.in[0]", { vendor: { name: { in: [Symbol("Acme")] } } }],
  ["where.vendor.name.nin", { vendor: { name: { nin: [] } } }],
  ["where.vendor.name.nin", { vendor: { name: { nin: ["", null] } } }],
  ["where.vendor.name.nin[1]", { vendor: { name: { nin: ["Acme", undefined] } } }],
  ["where.vendor.name.startsWith", { vendor: { name: { startsWith: "" } } }],
  ["where.vendor.name.contains", { vendor: { name: { contains: "" } } }],
  ["where.vendor.name.contains", { vendor: { name: { contains: null } } }],
  ["where.vendor.name.endsWith", { vendor: { name: { endsWith: "" } } }],
  ["where.vendor.name.neq", { vendor: { name: { neq: null } } }],
  ["where.vendor.name.neq", { vendor: { name: { neq: "" } } }],
])("rejects a change to vendors whose filter has no condition at %s: %j", async (path, where) => {
  const { client, server } = await connectClient(DONE);
  const error = await rejection(client.changeVendorsState(STATE, where));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ issues: [{ path }] });
  expect(server.requests).toHaveLength(0);
});
