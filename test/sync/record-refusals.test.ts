import { inspect } from "node:util";
import { type CollectionName, InvalidInputError } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { sentRecords } from "../support/sent-records.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

const at = new Date("2026-01-31T09:30:00.250Z");

const sent = (collection: CollectionName, records: readonly unknown[]) =>
  sentRecords(harness, collection, records);

async function refused(collection: CollectionName, record: unknown): Promise<InvalidInputError> {
  const error = await sent(collection, [record]).catch((e: unknown) => e);
  if (!(error instanceof InvalidInputError))
    throw new Error(`expected an InvalidInputError, got ${inspect(error)}`);
  expect(harness.server.streams).toHaveLength(0);
  return error;
}

describe("a record that is not valid", () => {
  it.each<[string, CollectionName, unknown, string, RegExp]>([
    [
      "without a required id",
      "accounts",
      { generic: { name: "Ada" } },
      "generic.id",
      /^a string, got undefined \(the field is required\)$/,
    ],
    ["with an empty required id", "accounts", { generic: { id: "" } }, "generic.id", /not empty/],
    [
      "with the wire's spelling",
      "licenses",
      { generic: { source_id: "l1" } },
      "generic.source_id",
      /camelCase \(sourceId\)/,
    ],
    [
      "with an unknown field",
      "accounts",
      { generic: { id: "a", phone: "1" } },
      "generic.phone",
      /no such field; there are: id, name, email, username, active, roles, details, type$/,
    ],
    ["without a variant", "accounts", {}, "", /the fields within generic: \{ … \}/],
    ["that is null", "accounts", null, "", /^a record \(an object\), got null$/],
    ["that is a number", "accounts", 17, "", /^a record \(an object\), got a number$/],
    ["with a list for a variant", "accounts", { generic: [] }, "generic", /^an object, got an array$/],
    [
      "with two variants",
      "employees",
      {
        generic: { id: "e", fullName: "E" },
        google: { id: "e", fullName: "E", primaryEmail: "e@example.com" },
      },
      "",
      /exactly one of generic, microsoft, google, okta, bambooHr: generic and google are set/,
    ],
    [
      "with a number for a string",
      "accounts",
      { generic: { id: 7 } },
      "generic.id",
      /^a string, got a number$/,
    ],
    [
      "with null for nothing",
      "accounts",
      { generic: { id: "a", email: null } },
      "generic.email",
      /^a string, got null \(which is not the same as leaving the field out\)$/,
    ],
    [
      "with a boolean for a string",
      "accounts",
      { generic: { id: "a", email: false } },
      "generic.email",
      /^a string, got a boolean$/,
    ],
    [
      "with a Date for a string",
      "accounts",
      { generic: { id: "a", email: at } },
      "generic.email",
      /^a string, got a Date$/,
    ],
    [
      "with a number among the texts of a map",
      "devices",
      { generic: { id: "d", attributes: { floor: "2", site: 3 } } },
      "generic.attributes.1",
      /^a string, got a number$/,
    ],
    [
      "with a text that UTF-8 cannot carry in a map",
      "devices",
      { generic: { id: "d", attributes: { site: "\udc00" } } },
      "generic.attributes.0",
      /^text that UTF-8 can carry, got a string with a lone surrogate$/,
    ],
    [
      "with a list for a map",
      "devices",
      { generic: { id: "d", attributes: ["x"] } },
      "generic.attributes",
      /^an object of strings, got an array$/,
    ],
    [
      "with no seats where the model is seat-based",
      "plans",
      { generic: { id: "p", externalPlanName: "P", details: { model: "SEAT_BASED" } } },
      "generic.details.seatBased",
      /because model is "SEAT_BASED"/,
    ],
    [
      "with an unspecified model",
      "plans",
      { generic: { id: "p", externalPlanName: "P", details: { model: "UNSPECIFIED" } } },
      "generic.details.model",
      /^one of "SEAT_BASED", got another string$/,
    ],
    [
      "without whether it is billable",
      "licenses",
      { generic: { sourceId: "l", sourceAccountId: "a", sourcePlanId: "p" } },
      "generic.billable",
      /^true or false, got undefined \(the field is required\)$/,
    ],
    [
      "with details but no variant in them",
      "accounts",
      { generic: { id: "a", details: {} } },
      "generic.details",
      /the fields within microsoft: /,
    ],
    [
      "with a time without an offset",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: "2026-01-31T09:30:00" } },
      "generic.lastActivity",
      /^a Date or an ISO 8601 .*, got a time without an offset: add Z or an offset such as \+01:00$/,
    ],
    [
      "with a day without a time",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: "2026-01-31" } },
      "generic.lastActivity",
      /, got a day without a time: add one, such as T00:00:00Z$/,
    ],
    [
      "with seconds since 1970",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: 1_767_225_600 } },
      "generic.lastActivity",
      /, got a number: where it counts seconds since 1970, give new Date\(1000 \* value\)$/,
    ],
    [
      "with milliseconds since 1970",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: 1_767_225_600_000 } },
      "generic.lastActivity",
      /, got a number: where it counts milliseconds since 1970, give new Date\(value\)$/,
    ],
    [
      "with null for a time",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: null } },
      "generic.lastActivity",
      /, got null \(which is not the same as leaving the field out\)$/,
    ],
    [
      "with a time in words of its own",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: "31.1.2026" } },
      "generic.lastActivity",
      /, got another string$/,
    ],
    [
      "with a day that does not exist",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: "2026-02-30T09:30:00Z" } },
      "generic.lastActivity",
      /, got a day or a time that does not exist$/,
    ],
    [
      "with more than nanoseconds",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: "2026-01-30T09:30:00.1234567891Z" } },
      "generic.lastActivity",
      /ISO 8601/,
    ],
    [
      "with a sign that no decimal has",
      "aiCost",
      { generic: { id: "c", amount: "+1.5", currency: "EUR", costTime: at } },
      "generic.amount",
      /decimal number/,
    ],
    [
      "with an invalid Date",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: new Date(Number.NaN) } },
      "generic.lastActivity",
      /^a Date or an ISO 8601 .*, got an invalid Date$/,
    ],
    [
      "with no activity time at all",
      "externallyDiscoveredUsage",
      { generic: { sourceActorId: "a" } },
      "generic",
      /lastActivity, or lastActivityFrom with lastActivityTo/,
    ],
    [
      "with half a range of activity",
      "externallyDiscoveredUsage",
      { generic: { sourceActorId: "a", lastActivity: at, lastActivityTo: at } },
      "generic",
      /lastActivityFrom with lastActivityTo/,
    ],
    [
      "with an amount as a number",
      "aiCost",
      { generic: { id: "c", amount: 1.5, currency: "EUR", costTime: at } },
      "generic.amount",
      /^a decimal number as a string, .*, got a number$/,
    ],
    [
      "with seats beyond 32 bits",
      "plans",
      {
        generic: {
          id: "p",
          externalPlanName: "P",
          details: { model: "SEAT_BASED", seatBased: { paidSeats: 2 ** 31 } },
        },
      },
      "generic.details.seatBased.paidSeats",
      /at most 32 bits/,
    ],
    ["that is a promise of one", "accounts", Promise.resolve({}), "", /not a promise: .*must not be async/],
    ["that is bytes of a file", "accounts", new Uint8Array(9), "", /not text or bytes: .*fromCsv/],
    ["that is text", "accounts", "u1,Ada", "", /not text or bytes: .*fromCsv/],
    [
      "with text that UTF-8 cannot carry",
      "accounts",
      { generic: { id: "a", name: "\ud800" } },
      "generic.name",
      /^text that UTF-8 can carry, got a string with a lone surrogate$/,
    ],
  ])(
    "%s is refused with its place, before anything is sent",
    async (_, collection, record, path, expected) => {
      const error = await refused(collection, record);
      expect(error.issues[0]).toMatchObject({ collection, index: 0, path });
      expect(error.issues[0]?.expected).toMatch(expected);
      expect(error.message).toContain(`${collection}[0]`);
    },
  );

  it("whose reading throws is refused", async () => {
    const record = {
      get generic() {
        throw new Error("secret-of-the-getter");
      },
    };
    const error = await refused("accounts", record);
    expect(error.issues[0]?.expected).toMatch(/reading it threw/);
    expect(inspect(error, { depth: 9 })).not.toContain("secret-of-the-getter");
  });

  it("is named by index and id, and up to 20 issues of the records at hand are told", async () => {
    const records = Array.from({ length: 100 }, (_, i) => ({
      generic: { id: `u${i}`, name: i < 10 ? "ok" : i },
    }));
    const error = await sent("accounts", records).catch((e: unknown) => e);
    if (!(error instanceof InvalidInputError)) throw error;
    expect(error.issues).toHaveLength(20);
    expect(error.issues[0]).toMatchObject({ index: 10, id: "u10", path: "generic.name" });
    expect(error.message).toMatch(
      /accounts\[10\] \(id "u10"\) generic\.name: expected a string, got a number\..*19 more/,
    );
  });

  it.each<[string, object, string]>([
    ["values", { roles: new Array(130_000).fill(1) }, "generic.roles.0"],
    ["fields", Object.fromEntries(Array.from({ length: 130_000 }, (_, i) => [`f${i}`, 1])), "generic.f0"],
  ])("is told with its first 20 issues where it has very many wrong %s", async (_, fields, path) => {
    const error = await refused("accounts", { generic: { id: "u1", ...fields } });
    expect(error.issues).toHaveLength(20);
    expect(error.issues[0]).toMatchObject({ index: 0, id: "u1", path });
  });

  it("never shows the contents of a field", async () => {
    const canary = "canary-4711";
    const error = await refused("accounts", {
      generic: { id: "a", email: { canary }, [canary]: canary.repeat(30) },
    });
    const shown = [error.message, JSON.stringify(error.issues), inspect(error, { depth: 9 })].join();
    expect(shown).not.toContain(canary);
  });

  it("never shows the keys of a map", async () => {
    const canary = "canary@example.com";
    const error = await refused("devices", {
      generic: { id: "d", attributes: { [canary]: 1, [`\ud800${canary}`]: "x" } },
    });
    expect(error.issues.map(({ path }) => path)).toEqual(["generic.attributes.0", "generic.attributes.1"]);
    const shown = [error.message, JSON.stringify(error), inspect(error, { depth: 9 })].join();
    expect(shown).not.toContain(canary);
  });
});
