import { inspect } from "node:util";
import { type Collection, InvalidInputError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { InvalidRecords } from "../../src/sync/encoding/explain-record.js";
import { employee } from "../support/records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

const at = new Date("2026-01-31T09:30:00.250Z");

/** Writes records that the types would refuse, and expects that nothing is sent. */
async function refused(collection: Collection, records: readonly unknown[]): Promise<InvalidInputError> {
  const batch = await harness.startBatch();
  const write: Promise<unknown> = Reflect.apply(batch.write, batch, [collection, records]);
  const error = await write.catch((e: unknown) => e);
  if (!(error instanceof InvalidInputError)) throw new Error(`unexpected: ${inspect(error)}`);
  expect(harness.server.streams).toHaveLength(0);
  return error;
}

const seats = (details: unknown) => ({ id: "p", externalPlanName: "P", details });
const usedAt = (lastActivity: unknown) => ({ id: "u", sourceActorId: "a", lastActivity });
const discovered = (times: object) => ({ sourceActorId: "a", ...times });
const twoVariants = {
  microsoft: { id: "e", displayName: "E", userPrincipalName: "e" },
  google: { id: "e", fullName: "E", primaryEmail: "e@example.com" },
};

/** [what is wrong, collection, record, path of the first issue, part of what was expected] */
test.each<[string, Collection, unknown, string, string]>([
  ["without a required id", "accounts", { name: "Ada" }, "id", "the field is required"],
  ["with an empty id", "accounts", { id: "" }, "id", "not empty"],
  ["with the wire's name", "licenses", { source_id: "l1" }, "source_id", "(sourceId)"],
  ["with an unknown field", "accounts", { id: "a", phone: "1" }, "phone", "id, name, email"],
  ["without a field", "employees", {}, "id", "the field is required"],
  [
    "with a wrapper",
    "licenses",
    { generic: { sourceId: "l1" } },
    "generic",
    "a flat record without a wrapper",
  ],
  ["that is null", "accounts", null, "", "got null"],
  ["that is a number", "accounts", 17, "", "got a number"],
  ["that is a promise", "accounts", Promise.resolve({}), "", "not a promise"],
  ["that is bytes", "accounts", new Uint8Array(9), "", "fromCsv"],
  ["that is text", "accounts", "u1,Ada", "", "fromCsv"],
  ["with an array for a variant", "employees", { google: [] }, "google", "got an array"],
  [
    "with an invalid variant",
    "employees",
    { microsoft: { id: "o" } },
    "microsoft.displayName",
    "the field is required",
  ],
  [
    "with a field beside a variant",
    "employees",
    { id: "e", microsoft: twoVariants.microsoft },
    "id",
    "nothing beside the variant",
  ],
  ["with two variants", "employees", twoVariants, "", "microsoft and google are set"],
  ["with a number for a string", "accounts", { id: 7 }, "id", "got a number"],
  ["with null", "accounts", { id: null }, "id", "got null (the field is required)"],
  ["with null in a list", "accounts", { id: "a", roles: [null] }, "roles.0", "got null"],
  ["with a lone surrogate", "accounts", { id: "a", name: "\ud800" }, "name", "surrogate"],
  [
    "with a number in a map",
    "employees",
    { ...employee("d"), attributes: { floor: "2", site: 3 } },
    "attributes.1",
    "a string, got a number",
  ],
  [
    "with an array for a map",
    "employees",
    { ...employee("d"), attributes: ["x"] },
    "attributes",
    "an object of strings",
  ],
  ["without seats", "plans", seats({ model: "SEAT_BASED" }), "details.seatBased", 'model is "SEAT_BASED"'],
  ["with an unspecified model", "plans", seats({ model: "UNSPECIFIED" }), "details.model", '"SEAT_BASED"'],
  [
    "with too many seats",
    "plans",
    seats({ model: "SEAT_BASED", seatBased: { paidSeats: 2 ** 31 } }),
    "details.seatBased.paidSeats",
    "32 bits",
  ],
  ["with details without a variant", "accounts", { id: "a", details: {} }, "details", "microsoft: { … }"],
  ["with a time without an offset", "usage", usedAt("2026-01-31T09:30:00"), "lastActivity", "add Z"],
  ["with a day", "usage", usedAt("2026-01-31"), "lastActivity", "T00:00:00Z"],
  ["with seconds", "usage", usedAt(1_767_225_600), "lastActivity", "new Date(1000 * value)"],
  ["with milliseconds", "usage", usedAt(1_767_225_600_000), "lastActivity", "new Date(value)"],
  ["with an offset without a colon", "usage", usedAt("2026-01-31T09:30:00+0000"), "lastActivity", "a colon"],
  ["with an offset of hours", "usage", usedAt("2026-01-31 09:30:00.123+01"), "lastActivity", "a colon"],
  ["with a zone in words", "usage", usedAt("2026-01-31 09:30:00 UTC"), "lastActivity", "by its name"],
  ["with a space", "usage", usedAt("2026-01-31 09:30:00Z"), "lastActivity", "write it like"],
  ["with MySQL's zero date", "usage", usedAt("0000-00-00 00:00:00"), "lastActivity", "leave the field out"],
  ["with seconds as text", "usage", usedAt("1767225600"), "lastActivity", "Date(1000 * Number(value))"],
  ["with milliseconds as text", "usage", usedAt("1767225600000"), "lastActivity", "new Date(Number(value))"],
  ["with a local date", "usage", usedAt("31.1.2026"), "lastActivity", "another string"],
  ["on a day that does not exist", "usage", usedAt("2026-02-30T09:30:00Z"), "lastActivity", "not exist"],
  ["in the year 0", "usage", usedAt("0000-12-31T23:59:59Z"), "lastActivity", "years 1 to 9999"],
  ["with an invalid Date", "usage", usedAt(new Date(Number.NaN)), "lastActivity", "an invalid Date"],
  ["without a time", "externallyDiscoveredUsage", discovered({}), "", "lastActivityFrom with"],
  [
    "with half a range",
    "externallyDiscoveredUsage",
    discovered({ lastActivity: at, lastActivityTo: at }),
    "",
    "lastActivityFrom with",
  ],
])("refuses a record %s, and names its place", async (_, collection, record, path, expected) => {
  const { issues, message } = await refused(collection, [record]);
  expect(issues[0]).toMatchObject({
    collection,
    index: 0,
    path,
    expected: expect.stringContaining(expected),
  });
  expect(message).toContain(`${collection}[0]`);
});

test("lists up to 20 issues of nearby records, each with index and id", async () => {
  const records = Array.from({ length: 100 }, (_, i) => ({ id: `u${i}`, name: i < 10 ? "ok" : i }));
  const { issues } = await refused("accounts", records);
  expect(issues).toHaveLength(20);
  expect(issues[0]).toMatchObject({ index: 10, id: "u10", path: "name" });
});

test("keeps 20 issues of a record that has 130,000, too many for the arguments of one call", () => {
  const issues = Array.from({ length: 130_000 }, (_, i) => ({
    collection: "accounts",
    index: 0,
    path: `roles.${i}`,
    expected: "a string",
  }));
  const add = () => new InvalidRecords("Nothing was sent.").add(issues);
  expect(add).toThrow(expect.objectContaining({ issues: issues.slice(0, 20) }));
});

test("never shows the contents of a field or the keys of a map", async () => {
  const canary = "canary-4711@example.com";
  for (const [collection, fields] of [
    ["accounts", { email: { canary }, [canary]: canary.repeat(30) }],
    ["employees", { fullName: "E", attributes: { [canary]: 1, [`\ud800${canary}`]: "x" } }],
  ] as const) {
    const error = await refused(collection, [{ id: "a", ...fields }]);
    const shown = [error.message, JSON.stringify(error), inspect(error, { depth: 9 })].join();
    expect(shown).not.toContain(canary);
  }
});

test("names the largest fields of a record that is too large, without their contents", async () => {
  const batch = await harness.startBatch({ maxSendMessageBytes: 2000 });
  const record = { id: "a", name: "n".repeat(1500), roles: ["r".repeat(700), "r"], email: "e" };
  await expect(batch.write("accounts", [record])).rejects.toMatchObject({
    issues: [
      {
        collection: "accounts",
        index: 0,
        id: "a",
        expected: expect.stringContaining("name (1500 bytes), roles (701 bytes), id (1 bytes)"),
      },
    ],
  });
});
