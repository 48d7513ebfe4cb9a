import { calendarDate, InvalidInputError, renewalBetween } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";
import { connectClient, rejection } from "../support/http-client.js";
import { json } from "../support/http-server.js";

describe("calendarDate", () => {
  it("takes the day of a Date in UTC", () => {
    expect(calendarDate(new Date("2026-03-01T23:59:59.999Z"))).toBe("2026-03-01");
    expect(calendarDate(new Date("2026-03-01T00:30:00+02:00"))).toBe("2026-02-28");
  });

  it("takes a text that is a date", () => {
    expect(calendarDate("2024-02-29")).toBe("2024-02-29");
    expect(calendarDate("0001-01-01")).toBe("0001-01-01");
  });

  it.each([
    "2026-02-29",
    "2026-13-01",
    "2026-1-1",
    "01.02.2026",
    "2026-01-01T00:00:00Z",
    "",
    "+012026-01-01",
  ])("refuses the text %j", (text) => {
    expect(() => calendarDate(text)).toThrow(InvalidInputError);
  });

  it.each([undefined, null, 5, {}, { format: () => "2026-01-01", getTime: () => 5 }])(
    "refuses what is neither a Date nor a text: %j",
    (value) => {
      // @ts-expect-error the types refuse it too
      expect(() => calendarDate(value)).toThrow(InvalidInputError);
    },
  );

  it("refuses a Date that is none, or beyond four digits of years", () => {
    expect(() => calendarDate(new Date(Number.NaN))).toThrow(InvalidInputError);
    expect(() => calendarDate(new Date(8.64e15))).toThrow(InvalidInputError);
  });
});

describe("renewalBetween", () => {
  it("is a filter on the next renewal, both days included", () => {
    expect(renewalBetween("2026-01-01", new Date("2026-03-31T12:00:00Z"))).toEqual({
      contractDetails: { renewal: { upcomingDate: { value: { gte: "2026-01-01", lte: "2026-03-31" } } } },
    });
    expect(() => renewalBetween("2026-01-01", "2026-01-01")).not.toThrow();
  });

  it("refuses days in the wrong order", () => {
    expect(() => renewalBetween("2026-03-31", "2026-01-01")).toThrow(InvalidInputError);
  });
});

describe("a Date in place of a calendar date", () => {
  const deadline = new Date("2026-12-31T23:00:00Z");
  const advice =
    "must be a calendar date such as 2026-12-31, got a Date: calendarDate(date) makes one of it.";

  it("is refused in a filter, with its path, before anything is sent", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: {} }));
    const where = { and: [{ contractDetails: { renewal: { upcomingDate: { value: { gte: deadline } } } } }] };
    const path = "where.and.0.contractDetails.renewal.upcomingDate.value.gte";
    const read = () => Reflect.apply(client.licensePlans, client, [{ where }]);
    expect(read).toThrow(InvalidInputError);
    expect(read).toThrow(`${path} ${advice}`);
    expect(server.requests).toEqual([]);
  });

  it("is refused in the input of a mutation, with its path, before anything is sent", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: {} }));
    const input = { name: "Renewal", state: "PRE", deadline };
    const create = client.safe.createProcurementCase;
    const error = await rejection(Reflect.apply(create, client.safe, [input]));
    expect(error).toMatchObject({
      code: "INVALID_INPUT",
      message: `input.deadline ${advice}`,
      issues: [{ path: "input.deadline" }],
    });
    expect(server.requests).toEqual([]);
  });

  it("is sent as it is in a document of your own, whose service may have such a type", async () => {
    const { client, server } = await connectClient((_, response) => json(response, { data: { a: 1 } }));
    await client.request("query Own($at: DateTime) { a(at: $at) }", { at: deadline });
    expect(server.requests[0]?.body.variables).toEqual({ at: deadline.toISOString() });
  });
});
