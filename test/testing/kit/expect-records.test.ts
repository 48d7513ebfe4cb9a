import { expect, test } from "vitest";
import { expectRecords } from "../../../src/testing/kit/expect-records.js";

const ann = { id: "a1", name: "Ann", email: "ann@example.com" };
const bob = { id: "a2", name: "Bob" };
const seen = { sourceActorId: "a1", lastActivity: new Date("2026-01-05T00:00:00Z") };

function differenceOf(...args: Parameters<typeof expectRecords>) {
  try {
    expectRecords(...args);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("The records did not differ.");
}

test("takes records in any order, null as absent, and dates as strings", () => {
  expectRecords(
    { accounts: [ann, { ...bob, email: null }], externallyDiscoveredUsage: [seen] },
    {
      accounts: [bob, ann],
      externallyDiscoveredUsage: [{ sourceActorId: "a1", lastActivity: "2026-01-05T00:00:00.000Z" }],
    },
  );
});

test("takes a collection without records as one that is not there", () => {
  expectRecords({ accounts: [], plans: undefined }, {});
});

test("names collections, ids and fields, and shows runners the records that differ", () => {
  const error = differenceOf(
    { accounts: [{ id: "a1", name: "Anna" }, bob, { id: "a9" }], externallyDiscoveredUsage: [seen, seen] },
    { accounts: [ann, bob, { id: "a3" }], externallyDiscoveredUsage: [seen] },
  );
  expect(error.message).toBe(
    [
      "The records differ from the expected ones.",
      "accounts: 3 differ, 1 are equal",
      '  ~ "a1" differs in name; lacks email',
      '  - "a3" is missing',
      '  + "a9" is not expected',
      "externallyDiscoveredUsage: 1 differ, 1 are equal",
      "  + record 2 is not expected",
    ].join("\n"),
  );
  expect(error).toMatchObject({
    actual: { accounts: { '"a1"': { id: "a1", name: "Anna" }, '"a9"': { id: "a9" } } },
    expected: { accounts: { '"a1"': ann, '"a3"': { id: "a3" } } },
  });
});

test("tells an empty string from an absent field", () => {
  const error = differenceOf({ accounts: [{ ...bob, email: "" }] }, { accounts: [bob] });
  expect(error.message).toContain('"a2" differs in empty fields');
});

test("finds a second record with an id", () => {
  const error = differenceOf({ accounts: [bob, bob] }, { accounts: [bob] });
  expect(error.message).toContain('+ "a2", again at 2 is not expected');
});

test("lists ten of many", () => {
  const many = Array.from({ length: 14 }, (_, i) => ({ id: `a${i}` }));
  const lines = differenceOf({ accounts: many }, {}).message.split("\n");
  expect(lines).toHaveLength(13);
  expect(lines.at(-1)).toBe("  and 4 more");
});

test.each<[string, unknown, string]>([
  ["no object", [], "actual must be an object of arrays by collection, got an array"],
  ["an unknown collection", { acounts: [] }, 'There is no collection "acounts"'],
  ["no array", { accounts: {} }, "actual.accounts must be an array"],
])("refuses %s", (_, actual, message) => {
  expect(() => Reflect.apply(expectRecords, undefined, [actual, {}])).toThrow(message);
});
