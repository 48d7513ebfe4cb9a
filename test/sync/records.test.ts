import type { CollectionName, RecordTypes } from "@saas-management/sdk/sync";
import { describe, expect, it } from "vitest";
import { sentRecords } from "../support/sent-records.js";
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

const sent = (collection: CollectionName, records: readonly unknown[]) =>
  sentRecords(harness, collection, records);

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
