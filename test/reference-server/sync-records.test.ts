import { expect, test } from "vitest";
import { SubscriptionModel } from "../../src/sync/generated/contract.js";
import { accepted } from "../support/adopted.js";
import { refused, type WireCollection } from "../support/grpc-client.js";
import { syncFixture } from "../support/grpc-server.js";

const fixture = syncFixture();

type Case = WireCollection["$case"];
type Message<C extends Case> = Extract<WireCollection, { $case: C }>;
type Variant<C extends Case> = NonNullable<Message<C>["value"]["records"][number]["variant"]>;
type Generic<C extends Case> = Extract<Variant<C>, { $case: "generic" }>["value"];

const generic = <T>(value: T) => ({ variant: { $case: "generic" as const, value } });
const time = { seconds: 1_780_000_000n, nanos: 0 };
const attributes = new Map<string, string>();
const SEAT_BASED = SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED;

// Each returns a record with its required fields only, and a change.
const account = (change: Partial<Generic<"accounts">> = {}): WireCollection => ({
  $case: "accounts",
  value: { records: [generic({ id: "a", roles: [], ...change })] },
});
const plan = (change: Partial<Generic<"plans">> = {}): WireCollection => {
  const details = { model: SEAT_BASED, seatBased: {} };
  return {
    $case: "plans",
    value: { records: [generic({ id: "p", externalPlanName: "P", attributes, details, ...change })] },
  };
};
const license = (change: Partial<Generic<"licenses">> = {}): WireCollection => {
  const base = { sourceId: "l", sourceAccountId: "a", sourcePlanId: "p", billable: false };
  return { $case: "licenses", value: { records: [generic({ ...base, ...change })] } };
};
const employee = (change: Partial<Generic<"employees">> = {}): WireCollection => {
  const base = { id: "e", fullName: "E", emailAliases: [], departmentPath: [], attributes };
  return { $case: "employees", value: { records: [generic({ ...base, ...change })] } };
};
const employeeOf = (variant: Variant<"employees">): WireCollection => ({
  $case: "employees",
  value: { records: [{ variant }] },
});
const group = (change: Partial<Generic<"groups">> = {}): WireCollection => ({
  $case: "groups",
  value: { records: [generic({ id: "g", name: "G", attributes, ...change })] },
});
const member = (change: Partial<Generic<"groupMembers">> = {}): WireCollection => {
  const base = { id: "m", sourceGroupId: "g", sourceMemberId: "a", attributes };
  return { $case: "groupMembers", value: { records: [generic({ ...base, ...change })] } };
};
const device = (change: Partial<Generic<"devices">> = {}): WireCollection => ({
  $case: "devices",
  value: { records: [generic({ id: "d", attributes, ...change })] },
});
const usage = (change: Partial<Generic<"usage">> = {}): WireCollection => ({
  $case: "usage",
  value: { records: [generic({ id: "u", sourceActorId: "a", lastActivity: time, ...change })] },
});
const discovered = (change: Partial<Generic<"externallyDiscoveredUsage">> = {}): WireCollection => ({
  $case: "externallyDiscoveredUsage",
  value: { records: [generic({ sourceActorId: "a", lastActivity: time, ...change })] },
});
const auditLog = (change: Partial<Generic<"auditLogs">> = {}): WireCollection => {
  const base = { id: "l", action: "user.login", eventTime: time, attributes };
  return { $case: "auditLogs", value: { records: [generic({ ...base, ...change })] } };
};
const aiUsage = (change: Partial<Generic<"aiUsage">> = {}): WireCollection => {
  const base = { id: "u", sourceActorId: "a", lastActivity: time, attributes };
  return { $case: "aiUsage", value: { records: [generic({ ...base, ...change })] } };
};
const aiCost = (change: Partial<Generic<"aiCost">> = {}): WireCollection => {
  const base = { id: "c", amount: "-12.50", currency: "EUR", costTime: time, attributes };
  return { $case: "aiCost", value: { records: [generic({ ...base, ...change })] } };
};

const teamless = { variant: { $case: "microsoft" as const, value: {} } };
const range = { lastActivity: undefined, lastActivityFrom: time, lastActivityTo: time };

const valid: readonly (readonly [what: string, message: WireCollection])[] = [
  ["an account", account()],
  ["an account with a vendor's details", account({ details: teamless })],
  ["a plan whose seats are not counted", plan()],
  ["a license that is not billable", license()],
  ["an employee", employee()],
  [
    "a microsoft employee",
    employeeOf({ $case: "microsoft", value: { id: "e", displayName: "E", userPrincipalName: "e@x" } }),
  ],
  [
    "a google employee",
    employeeOf({ $case: "google", value: { id: "e", fullName: "E", primaryEmail: "e@x" } }),
  ],
  ["an okta employee", employeeOf({ $case: "okta", value: { id: "e", displayName: "E", login: "e@x" } })],
  ["a bamboo_hr employee", employeeOf({ $case: "bambooHr", value: { id: "e", displayName: "E" } })],
  ["a group", group()],
  ["a group member", member()],
  ["a device", device()],
  ["a usage event", usage()],
  ["a usage event before 1970", usage({ lastActivity: { seconds: -1n, nanos: 999_000_000 } })],
  ["a discovered usage at one moment", discovered()],
  ["a discovered usage over a range", discovered(range)],
  ["a discovered usage at a moment and over a range", discovered({ ...range, lastActivity: time })],
  ["an audit log", auditLog()],
  ["an AI usage", aiUsage()],
  ["an AI cost", aiCost()],
];

test("accepts records with their required fields only", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  for (const [what, message] of valid) expect(await client.write(batchId, message), what).toBe(accepted(1));
});

const refusals: readonly (readonly [collection: string, field: string, message: WireCollection])[] = [
  ["accounts", "generic.id", account({ id: "" })],
  ["accounts", "generic.details", account({ details: { variant: undefined } })],
  [
    "accounts",
    "generic.details.microsoft.teams.has_teams",
    account({ details: { variant: { $case: "microsoft", value: { teams: {} } } } }),
  ],
  ["plans", "generic.id", plan({ id: "" })],
  ["plans", "generic.external_plan_name", plan({ externalPlanName: "" })],
  ["plans", "generic.details", plan({ details: undefined })],
  [
    "plans",
    "generic.details.model",
    plan({ details: { model: SubscriptionModel.SUBSCRIPTION_MODEL_UNSPECIFIED } }),
  ],
  ["plans", "generic.details.model", plan({ details: { model: SubscriptionModel.UNRECOGNIZED } })],
  ["plans", "generic.details.seat_based", plan({ details: { model: SEAT_BASED } })],
  ["licenses", "generic.source_id", license({ sourceId: "" })],
  ["licenses", "generic.source_account_id", license({ sourceAccountId: "" })],
  ["licenses", "generic.source_plan_id", license({ sourcePlanId: "" })],
  ["licenses", "generic.billable", license({ billable: undefined })],
  ["employees", "generic.id", employee({ id: "" })],
  ["employees", "generic.full_name", employee({ fullName: "" })],
  ["employees", "generic.creation_time", employee({ creationTime: { seconds: 0n, nanos: -1 } })],
  ["employees", "generic.deletion_time", employee({ deletionTime: { seconds: 0n, nanos: 1_000_000_000 } })],
  [
    "employees",
    "microsoft.id",
    employeeOf({ $case: "microsoft", value: { id: "", displayName: "E", userPrincipalName: "e" } }),
  ],
  [
    "employees",
    "microsoft.display_name",
    employeeOf({ $case: "microsoft", value: { id: "e", displayName: "", userPrincipalName: "e" } }),
  ],
  [
    "employees",
    "microsoft.user_principal_name",
    employeeOf({ $case: "microsoft", value: { id: "e", displayName: "E", userPrincipalName: "" } }),
  ],
  [
    "employees",
    "google.primary_email",
    employeeOf({ $case: "google", value: { id: "e", fullName: "E", primaryEmail: "" } }),
  ],
  ["employees", "okta.login", employeeOf({ $case: "okta", value: { id: "e", displayName: "E", login: "" } })],
  [
    "employees",
    "bamboo_hr.display_name",
    employeeOf({ $case: "bambooHr", value: { id: "e", displayName: "" } }),
  ],
  ["groups", "generic.id", group({ id: "" })],
  ["groups", "generic.name", group({ name: "" })],
  ["group_members", "generic.id", member({ id: "" })],
  ["group_members", "generic.source_group_id", member({ sourceGroupId: "" })],
  ["group_members", "generic.source_member_id", member({ sourceMemberId: "" })],
  ["devices", "generic.id", device({ id: "" })],
  ["devices", "generic.last_seen", device({ lastSeen: { seconds: 253_402_300_800n, nanos: 0 } })],
  ["usage", "generic.id", usage({ id: "" })],
  ["usage", "generic.source_actor_id", usage({ sourceActorId: "" })],
  ["usage", "generic.last_activity", usage({ lastActivity: undefined })],
  ["usage", "generic.last_activity", usage({ lastActivity: { seconds: -62_135_596_801n, nanos: 0 } })],
  ["externally_discovered_usage", "generic.source_actor_id", discovered({ sourceActorId: "" })],
  ["externally_discovered_usage", "generic.last_activity", discovered({ lastActivity: undefined })],
  ["externally_discovered_usage", "generic.last_activity_to", discovered({ lastActivityFrom: time })],
  [
    "externally_discovered_usage",
    "generic.last_activity_to",
    discovered({ ...range, lastActivityTo: undefined }),
  ],
  [
    "externally_discovered_usage",
    "generic.last_activity_from",
    discovered({ ...range, lastActivityFrom: undefined }),
  ],
  [
    "externally_discovered_usage",
    "generic.last_activity_from",
    discovered({ ...range, lastActivityFrom: { seconds: 0n, nanos: -5 } }),
  ],
  ["audit_logs", "generic.id", auditLog({ id: "" })],
  ["audit_logs", "generic.action", auditLog({ action: "" })],
  ["audit_logs", "generic.event_time", auditLog({ eventTime: undefined })],
  ["ai_usage", "generic.id", aiUsage({ id: "" })],
  ["ai_usage", "generic.source_actor_id", aiUsage({ sourceActorId: "" })],
  ["ai_usage", "generic.last_activity", aiUsage({ lastActivity: undefined })],
  ["ai_cost", "generic.id", aiCost({ id: "" })],
  ["ai_cost", "generic.amount", aiCost({ amount: "" })],
  ["ai_cost", "generic.amount", aiCost({ amount: "1,200.00" })],
  ["ai_cost", "generic.amount", aiCost({ amount: "1e3" })],
  ["ai_cost", "generic.currency", aiCost({ currency: "" })],
  ["ai_cost", "generic.currency", aiCost({ currency: "eur" })],
  ["ai_cost", "generic.cost_time", aiCost({ costTime: undefined })],
];

test("refuses records with an invalid field and names the field", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  for (const [collection, field, message] of refusals) {
    const { code, details } = await refused(client.write(batchId, message));
    expect(code).toBe("INVALID_ARGUMENT");
    expect(details).toContain(`Record 0 of \`${collection}\` in this message is invalid. \`${field}\` `);
  }
});

test.each<[WireCollection]>([
  [{ $case: "accounts", value: { records: [{ variant: undefined }] } }],
  [{ $case: "employees", value: { records: [{ variant: undefined }] } }],
])("refuses a record without a model: %j", async (message) => {
  const { client, installationId } = fixture();
  const call = client.write(await client.start(installationId), message);
  expect(await refused(call)).toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("refuses the whole message of an invalid record and names its position", async () => {
  const { client, installationId, server } = fixture();
  const batchId = await client.start(installationId);
  const records = ["a", "b", "", "c", ""].map((id) => generic({ id, roles: [] }));
  const call = client.write(batchId, account(), { $case: "accounts", value: { records } });
  expect((await refused(call)).details).toContain("Record 2 of `accounts` in this message");
  expect(server.inspect(installationId).snapshots.accounts).toHaveLength(1);
});

test("never quotes the content of an invalid record", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  for (const message of [
    license({ sourceId: "canary", sourceAccountId: "canary", sourcePlanId: "" }),
    aiCost({ amount: "canary" }),
    aiCost({ currency: "canary" }),
    plan({ externalPlanName: "canary", details: { model: SubscriptionModel.UNRECOGNIZED } }),
  ]) {
    expect((await refused(client.write(batchId, message))).details).not.toContain("canary");
  }
});

test("accepts records that refer to records that do not exist", async () => {
  const { client, installationId } = fixture();
  const batchId = await client.start(installationId);
  expect(await client.write(batchId, license(), member(), usage())).toBe(accepted(3));
});
