import { inspect } from "node:util";
import { type CollectionName, InvalidInputError, type RecordTypes } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { recordsOf } from "../support/scripted-sync-server.js";
import { useScriptedServer } from "../support/sync-harness.js";

const harness = useScriptedServer();

const at = new Date("2026-01-31T09:30:00.250Z");
const stamp = { seconds: 1769851800n, nanos: 250_000_000 };
const attributes = { site: "Zürich", ["__proto__"]: "kept" };
const attributeMap = new Map([
  ["site", "Zürich"],
  ["__proto__", "kept"],
]);

/** A record of each collection with every field set, and what the wire must hold of it. */
const WHOLE: { [C in CollectionName]: { readonly record: RecordTypes[C]; readonly wire: unknown } } = {
  accounts: {
    record: {
      generic: {
        id: "a1",
        name: "Ada",
        email: "ada@example.com",
        username: "ada",
        active: false,
        roles: ["admin", "owner"],
        details: { microsoft: { teams: { hasTeams: false } } },
        type: "member",
      },
    },
    wire: {
      id: "a1",
      name: "Ada",
      email: "ada@example.com",
      username: "ada",
      active: false,
      roles: ["admin", "owner"],
      details: { variant: { $case: "microsoft", value: { teams: { hasTeams: false } } } },
      type: "member",
    },
  },
  plans: {
    record: {
      generic: {
        id: "p1",
        externalPlanName: "Pro",
        externalProductName: "Draw",
        attributes,
        details: { model: "SEAT_BASED", seatBased: { paidSeats: 10, consumedSeats: 0 } },
      },
    },
    wire: {
      id: "p1",
      externalPlanName: "Pro",
      externalProductName: "Draw",
      attributes: attributeMap,
      details: { model: 1, seatBased: { paidSeats: 10, consumedSeats: 0 } },
    },
  },
  licenses: {
    record: {
      generic: {
        sourceId: "l1",
        sourceAccountId: "a1",
        sourcePlanId: "p1",
        billable: false,
        externalProductId: "x",
      },
    },
    wire: {
      sourceId: "l1",
      sourceAccountId: "a1",
      sourcePlanId: "p1",
      billable: false,
      externalProductId: "x",
    },
  },
  employees: {
    record: {
      generic: {
        id: "e1",
        fullName: "Ada Lovelace",
        firstName: "Ada",
        lastName: "Lovelace",
        email: "ada@example.com",
        emailAliases: ["a@example.com"],
        active: true,
        deleted: false,
        deletionTime: at,
        creationTime: "2026-01-31T10:30:00.25+01:00",
        avatarUrl: "https://example.com/a.png",
        orgUnit: "R&D",
        departmentPath: ["R&D", "Compilers"],
        jobTitle: "Engineer",
        country: "GB",
        division: "EMEA",
        costCenter: "42",
        userType: "internal",
        managerId: "e0",
        hasMailbox: true,
        attributes,
      },
    },
    wire: {
      id: "e1",
      fullName: "Ada Lovelace",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      emailAliases: ["a@example.com"],
      active: true,
      deleted: false,
      deletionTime: stamp,
      creationTime: stamp,
      avatarUrl: "https://example.com/a.png",
      orgUnit: "R&D",
      departmentPath: ["R&D", "Compilers"],
      jobTitle: "Engineer",
      country: "GB",
      division: "EMEA",
      costCenter: "42",
      userType: "internal",
      managerId: "e0",
      hasMailbox: true,
      attributes: attributeMap,
    },
  },
  groups: {
    record: { generic: { id: "g1", name: "Admins", description: "all", email: "g@example.com", attributes } },
    wire: { id: "g1", name: "Admins", description: "all", email: "g@example.com", attributes: attributeMap },
  },
  groupMembers: {
    record: { generic: { id: "m1", sourceGroupId: "g1", sourceMemberId: "a1", role: "owner", attributes } },
    wire: { id: "m1", sourceGroupId: "g1", sourceMemberId: "a1", role: "owner", attributes: attributeMap },
  },
  devices: {
    record: {
      generic: {
        id: "d1",
        name: "laptop",
        serialNumber: "S1",
        manufacturer: "M",
        model: "X",
        operatingSystem: "Linux",
        operatingSystemVersion: "6",
        sourceOwnerId: "a1",
        lastSeen: at,
        attributes,
      },
    },
    wire: {
      id: "d1",
      name: "laptop",
      serialNumber: "S1",
      manufacturer: "M",
      model: "X",
      operatingSystem: "Linux",
      operatingSystemVersion: "6",
      sourceOwnerId: "a1",
      lastSeen: stamp,
      attributes: attributeMap,
    },
  },
  usage: {
    record: {
      generic: {
        id: "u1",
        sourceActorId: "a1",
        externalProductName: "Draw",
        sourcePlanId: "p1",
        lastActivity: at,
      },
    },
    wire: {
      id: "u1",
      sourceActorId: "a1",
      externalProductName: "Draw",
      sourcePlanId: "p1",
      lastActivity: stamp,
    },
  },
  externallyDiscoveredUsage: {
    record: {
      generic: {
        sourceActorId: "a1",
        actorEmail: "ada@example.com",
        externalProductName: "Draw",
        source: "proxy",
        lastActivity: at,
        lastActivityFrom: at,
        lastActivityTo: at,
      },
    },
    wire: {
      sourceActorId: "a1",
      actorEmail: "ada@example.com",
      externalProductName: "Draw",
      source: "proxy",
      lastActivity: stamp,
      lastActivityFrom: stamp,
      lastActivityTo: stamp,
    },
  },
  auditLogs: {
    record: {
      generic: {
        id: "l1",
        action: "user.login",
        sourceActorId: "a1",
        targetId: "t",
        targetType: "app",
        eventTime: at,
        attributes,
      },
    },
    wire: {
      id: "l1",
      action: "user.login",
      sourceActorId: "a1",
      targetId: "t",
      targetType: "app",
      eventTime: stamp,
      attributes: attributeMap,
    },
  },
  aiUsage: {
    record: {
      generic: {
        id: "i1",
        sourceActorId: "a1",
        externalProductName: "Chat",
        model: "large",
        inputTokens: 2n ** 62n,
        outputTokens: 7,
        lastActivity: at,
        attributes,
      },
    },
    wire: {
      id: "i1",
      sourceActorId: "a1",
      externalProductName: "Chat",
      model: "large",
      inputTokens: 2n ** 62n,
      outputTokens: 7n,
      lastActivity: stamp,
      attributes: attributeMap,
    },
  },
  aiCost: {
    record: {
      generic: {
        id: "c1",
        sourceActorId: "a1",
        externalProductName: "Chat",
        model: "large",
        amount: "-12.50",
        currency: "EUR",
        costTime: at,
        attributes,
      },
    },
    wire: {
      id: "c1",
      sourceActorId: "a1",
      externalProductName: "Chat",
      model: "large",
      amount: "-12.50",
      currency: "EUR",
      costTime: stamp,
      attributes: attributeMap,
    },
  },
};

async function sent(collection: CollectionName, records: readonly unknown[]): Promise<unknown[]> {
  const batch = await harness.startBatch();
  // The records of these tests are wrong on purpose, or chosen at run time: the types cannot follow.
  await Reflect.apply(batch.write, batch, [collection, records]);
  return harness.server.streams.flatMap((stream) => stream.messages).flatMap(recordsOf);
}

async function refused(collection: CollectionName, record: unknown): Promise<InvalidInputError> {
  const error = await sent(collection, [record]).catch((e: unknown) => e);
  if (!(error instanceof InvalidInputError))
    throw new Error(`expected an InvalidInputError, got ${inspect(error)}`);
  expect(harness.server.streams).toHaveLength(0);
  return error;
}

it("a record that shows itself through a proxy arrives, where the schema takes it", async () => {
  const records = Array.from({ length: 3 }, (_, i) => {
    const record = { generic: { id: `a${i}`, name: "Ada" } };
    return i === 1 ? new Proxy(record, {}) : record;
  });
  const arrived = await sent("accounts", records);
  const ids = ["a0", "a1", "a2"];
  expect(arrived).toMatchObject(ids.map((id) => ({ variant: { value: { id, name: "Ada" } } })));
});

describe("a record of", () => {
  it.each(Object.entries(WHOLE))("%s arrives with every field", async (name, { record, wire }) => {
    const collection = Object.keys(WHOLE).find((c): c is CollectionName => c === name);
    if (collection === undefined) throw new Error(name);
    const [arrived] = await sent(collection, [record]);
    expect(arrived).toEqual({ variant: { $case: "generic", value: wire } });
  });

  it.each([
    ["microsoft", { id: "m1", displayName: "Ada", userPrincipalName: "ada@example.com" }],
    ["google", { id: "g1", fullName: "Ada", primaryEmail: "ada@example.com" }],
    ["okta", { id: "o1", displayName: "Ada", login: "ada@example.com" }],
    ["bambooHr", { id: "b1", displayName: "Ada", workEmail: "ada@example.com" }],
  ])("employees may be of the directory %s", async (variant, value) => {
    const [arrived] = await sent("employees", [{ [variant]: value }]);
    expect(arrived).toEqual({ variant: { $case: variant, value } });
  });
});

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
    ["that is a number", "accounts", 17, "", /^a record \(an object\), got the number 17$/],
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
      /^a string, got the number 7$/,
    ],
    [
      "with null for nothing",
      "accounts",
      { generic: { id: "a", email: null } },
      "generic.email",
      /^a string, got null \(which is not the same as leaving the field out\)$/,
    ],
    [
      "with a truth value for a string",
      "accounts",
      { generic: { id: "a", email: false } },
      "generic.email",
      /^a string, got false$/,
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
      { generic: { id: "d", attributes: { site: 3 } } },
      "generic.attributes.site",
      /^a string, got the number 3$/,
    ],
    [
      "with a text that UTF-8 cannot carry in a map",
      "devices",
      { generic: { id: "d", attributes: { site: "\udc00" } } },
      "generic.attributes.site",
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
      /, got the number 1767225600: where it counts seconds since 1970, give new Date\(1000 \* value\)$/,
    ],
    [
      "with milliseconds since 1970",
      "usage",
      { generic: { id: "u", sourceActorId: "a", lastActivity: 1_767_225_600_000 } },
      "generic.lastActivity",
      /, got the number 1767225600000: where it counts milliseconds since 1970, give new Date\(value\)$/,
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
      /^a decimal number as a string, .*, got the number 1\.5$/,
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
      /accounts\[10\] \(id "u10"\) generic\.name: expected a string, got the number 10\..*19 more/,
    );
  });

  it("never shows the contents of a field", async () => {
    const canary = "canary-4711";
    const error = await refused("accounts", {
      generic: { id: "a", email: { canary }, [canary]: canary.repeat(30) },
    });
    const shown = [error.message, JSON.stringify(error.issues), inspect(error, { depth: 9 })].join();
    expect(shown).not.toContain(canary);
  });
});

describe("a timestamp", () => {
  it.each<[string, Date | string, bigint, number]>([
    ["before 1970 with milliseconds", new Date(-1), -1n, 999_000_000],
    ["with nanoseconds", "1969-12-31T23:59:59.000000001Z", -1n, 1],
    ["with an offset", "2026-01-31T10:30:00.250+01:00", 1769851800n, 250_000_000],
    ["at the last moment of the year 9999", "9999-12-31T23:59:59.999999999Z", 253402300799n, 999_999_999],
  ])("%s arrives exactly", async (_, lastActivity, seconds, nanos) => {
    const [arrived] = await sent("usage", [{ generic: { id: "u", sourceActorId: "a", lastActivity } }]);
    expect(arrived).toMatchObject({ variant: { value: { lastActivity: { seconds, nanos } } } });
  });
});
