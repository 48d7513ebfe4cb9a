import { expect } from "vitest";
import { SubscriptionModel } from "../../src/sync/generated/contract.js";
import { accepted, testOfAssumedContract as test } from "../support/adopted.js";
import { refused, type WireCollection } from "../support/grpc-client.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

type Fields = Readonly<Record<string, unknown>>;

const time = { seconds: 1_780_000_000n, nanos: 0 };
const attributes = new Map<string, string>();
const range = { lastActivity: undefined, lastActivityFrom: time, lastActivityTo: time };
const SEATS = { model: SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED, seatBased: {} };
const employee = { id: "e", displayName: "E" };

/** Records with their required fields only, by collection and model. */
const VALID: Readonly<Record<string, Readonly<Record<string, Fields>>>> = {
  accounts: { generic: { id: "a", roles: [] } },
  plans: { generic: { id: "p", externalPlanName: "P", attributes, details: SEATS } },
  licenses: { generic: { sourceId: "l", sourceAccountId: "a", sourcePlanId: "p", billable: false } },
  employees: {
    generic: { id: "e", fullName: "E", emailAliases: [], departmentPath: [], attributes },
    microsoft: { ...employee, userPrincipalName: "e@x" },
    google: { id: "e", fullName: "E", primaryEmail: "e@x" },
    okta: { ...employee, login: "e@x" },
    bambooHr: employee,
  },
  groups: { generic: { id: "g", name: "G", attributes } },
  groupMembers: { generic: { id: "m", sourceGroupId: "g", sourceMemberId: "a", attributes } },
  devices: { generic: { id: "d", attributes } },
  usage: { generic: { id: "u", sourceActorId: "a", lastActivity: time } },
  externallyDiscoveredUsage: { generic: { sourceActorId: "a", lastActivity: time } },
  auditLogs: { generic: { id: "l", action: "user.login", eventTime: time, attributes } },
  aiUsage: { generic: { id: "u", sourceActorId: "a", lastActivity: time, attributes } },
  aiCost: { generic: { id: "c", amount: "-12.50", currency: "EUR", costTime: time, attributes } },
};

/** A message with records of one collection. */
function message($case: string, ...records: readonly (Fields | undefined)[]): WireCollection {
  const variants = records.map((variant) => ({ variant }));
  const made: unknown = { $case, value: { records: variants } };
  return made as WireCollection;
}

/** A valid record with a change. */
function changed(of: string, change: Fields = {}): WireCollection {
  const [collection = "", model = ""] = of.split(".");
  const value = VALID[collection]?.[model];
  return message(collection, { $case: model, value: { ...value, ...change } });
}

test("accepts records that have only their required fields", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  const records = Object.entries(VALID).flatMap(([collection, models]) =>
    Object.keys(models).map((model) => changed(`${collection}.${model}`)),
  );
  const others = [
    changed("accounts.generic", { details: { variant: { $case: "microsoft", value: {} } } }),
    changed("usage.generic", { lastActivity: { seconds: -1n, nanos: 999_000_000 } }),
    changed("externallyDiscoveredUsage.generic", range),
    changed("externallyDiscoveredUsage.generic", { ...range, lastActivity: time }),
  ];
  for (const one of [...records, ...others]) expect(await client.write(batchId, one)).toBe(accepted(1));
});

const wire = (name: string) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
const model = (value: SubscriptionModel) => ({ details: { model: value } });

/** Fields that every record must have. */
const REQUIRED = {
  "accounts.generic": "id",
  "plans.generic": "id externalPlanName",
  "licenses.generic": "sourceId sourceAccountId sourcePlanId",
  "employees.generic": "id fullName",
  "employees.microsoft": "id displayName userPrincipalName",
  "employees.google": "primaryEmail",
  "employees.okta": "login",
  "employees.bambooHr": "displayName",
  "groups.generic": "id name",
  "groupMembers.generic": "id sourceGroupId sourceMemberId",
  "devices.generic": "id",
  "usage.generic": "id sourceActorId",
  "externallyDiscoveredUsage.generic": "sourceActorId",
  "auditLogs.generic": "id action",
  "aiUsage.generic": "id sourceActorId",
  "aiCost.generic": "id amount currency",
};
const found = "externallyDiscoveredUsage.generic";
const REFUSED: readonly (readonly [of: string, field: string, change: Fields])[] = [
  ...Object.entries(REQUIRED).flatMap(([of, names]) =>
    names.split(" ").map((name) => [of, name, { [name]: "" }] as const),
  ),
  ["accounts.generic", "details", { details: { variant: undefined } }],
  [
    "accounts.generic",
    "details.microsoft.teams.hasTeams",
    { details: { variant: { $case: "microsoft", value: { teams: {} } } } },
  ],
  ["plans.generic", "details", { details: undefined }],
  ["plans.generic", "details.model", model(SubscriptionModel.SUBSCRIPTION_MODEL_UNSPECIFIED)],
  ["plans.generic", "details.model", model(SubscriptionModel.UNRECOGNIZED)],
  ["plans.generic", "details.seatBased", model(SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED)],
  ["licenses.generic", "billable", { billable: undefined }],
  ["employees.generic", "creationTime", { creationTime: { seconds: 0n, nanos: -1 } }],
  ["employees.generic", "deletionTime", { deletionTime: { seconds: 0n, nanos: 1_000_000_000 } }],
  ["devices.generic", "lastSeen", { lastSeen: { seconds: 253_402_300_800n, nanos: 0 } }],
  ["usage.generic", "lastActivity", { lastActivity: undefined }],
  ["usage.generic", "lastActivity", { lastActivity: { seconds: -62_135_596_801n, nanos: 0 } }],
  [found, "lastActivity", { lastActivity: undefined }],
  [found, "lastActivityTo", { lastActivityFrom: time }],
  [found, "lastActivityTo", { ...range, lastActivityTo: undefined }],
  [found, "lastActivityFrom", { ...range, lastActivityFrom: undefined }],
  [found, "lastActivityFrom", { ...range, lastActivityFrom: { seconds: 0n, nanos: -5 } }],
  ["auditLogs.generic", "eventTime", { eventTime: undefined }],
  ["aiUsage.generic", "lastActivity", { lastActivity: undefined }],
  ["aiCost.generic", "amount", { amount: "1,200.00" }],
  ["aiCost.generic", "amount", { amount: "1e3" }],
  ["aiCost.generic", "currency", { currency: "eur" }],
  ["aiCost.generic", "costTime", { costTime: undefined }],
];

test("refuses records with an invalid field and names the field", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  for (const [of, field, change] of REFUSED) {
    const [collection = "", variant = ""] = of.split(".").map(wire);
    const { code, details } = await refused(client.write(batchId, changed(of, change)));
    expect(code).toBe("INVALID_ARGUMENT");
    const place = `Record 0 of \`${collection}\` in this message is invalid. \`${variant}.${wire(field)}\` `;
    expect(details).toContain(place);
  }
});

test.each(["accounts", "employees"] as const)(
  "refuses a record of %s without a model",
  async (collection) => {
    const { client, installationId } = fixture();
    const call = client.write(await client.start(installationId), message(collection, undefined));
    expect(await refused(call)).toMatchObject({ code: "INVALID_ARGUMENT" });
  },
);

test("refuses the whole message of an invalid record and names its position", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const ids = ["a", "b", "", "c", ""].map((id) => ({ $case: "generic", value: { id, roles: [] } }));
  const call = client.write(batchId, changed("accounts.generic"), message("accounts", ...ids));
  expect((await refused(call)).details).toContain("Record 2 of `accounts` in this message");
  expect(server.inspect(installationId).snapshots.accounts).toHaveLength(1);
});

test("never quotes the content of an invalid record", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  for (const record of [
    changed("licenses.generic", { sourceId: "canary", sourceAccountId: "canary", sourcePlanId: "" }),
    changed("aiCost.generic", { amount: "canary" }),
    changed("aiCost.generic", { currency: "canary" }),
    changed("plans.generic", { externalPlanName: "canary", ...model(SubscriptionModel.UNRECOGNIZED) }),
  ])
    expect((await refused(client.write(batchId, record))).details).not.toContain("canary");
});
