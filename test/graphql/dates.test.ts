import { calendarDate, InvalidInputError, renewalBetween } from "@saas-management/sdk/graphql";
import { describe, expect, it } from "vitest";

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
