/**
 * Arbitraries of valid records of every collection, as users write them. The compiler requires every field; an optional
 * one is set, absent, `null` or `undefined`.
 */
import type {
  BambooHrEmployee,
  Collection,
  GenericEmployee,
  GoogleEmployee,
  MicrosoftEmployee,
  OktaEmployee,
  RecordTypes,
} from "@saas-management/sdk";
import fc from "fast-check";
import {
  attributes,
  currency,
  decimal,
  int32,
  int64,
  moment,
  requiredText,
  text,
  texts,
} from "./value-arbitraries.js";

/** An arbitrary for each field. */
type Fields<Details> = { readonly [F in keyof Details]-?: fc.Arbitrary<Details[F]> };

const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(undefined, null) });
const maybeText = maybe(text);
const maybeBool = maybe(fc.boolean());
const maybeMoment = maybe(moment);
const maybeAttributes = maybe(attributes);

type AccountDetails = NonNullable<RecordTypes["accounts"]["details"]>;
type PlanDetails = RecordTypes["plans"]["details"];

const accountDetails: fc.Arbitrary<AccountDetails> = fc.record({
  microsoft: fc.record({ teams: maybe(fc.record({ hasTeams: fc.boolean() })) }, { requiredKeys: [] }),
});

const accounts = fc.record(
  {
    id: requiredText,
    name: maybeText,
    email: maybeText,
    username: maybeText,
    active: maybeBool,
    roles: maybe(texts),
    details: maybe(accountDetails),
    type: maybeText,
  } satisfies Fields<RecordTypes["accounts"]>,
  { requiredKeys: ["id"] },
);

const planDetails = fc.record({
  model: fc.constant<"SEAT_BASED">("SEAT_BASED"),
  seatBased: fc.record(
    { paidSeats: maybe(int32), consumedSeats: maybe(int32) } satisfies Fields<
      NonNullable<PlanDetails["seatBased"]>
    >,
    { requiredKeys: [] },
  ),
} satisfies Fields<PlanDetails>);

const plans = fc.record(
  {
    id: requiredText,
    externalPlanName: requiredText,
    externalProductName: maybeText,
    attributes: maybeAttributes,
    details: planDetails,
  } satisfies Fields<RecordTypes["plans"]>,
  { requiredKeys: ["id", "externalPlanName", "details"] },
);

const licenses = fc.record(
  {
    sourceId: requiredText,
    sourceAccountId: requiredText,
    sourcePlanId: requiredText,
    billable: fc.boolean(),
    externalProductId: maybeText,
  } satisfies Fields<RecordTypes["licenses"]>,
  { requiredKeys: ["sourceId", "sourceAccountId", "sourcePlanId", "billable"] },
);

const employees = fc.record(
  {
    id: requiredText,
    fullName: requiredText,
    firstName: maybeText,
    lastName: maybeText,
    email: maybeText,
    emailAliases: maybe(texts),
    active: maybeBool,
    deleted: maybeBool,
    deletionTime: maybeMoment,
    creationTime: maybeMoment,
    avatarUrl: maybeText,
    orgUnit: maybeText,
    departmentPath: maybe(texts),
    jobTitle: maybeText,
    country: maybeText,
    division: maybeText,
    costCenter: maybeText,
    userType: maybeText,
    managerId: maybeText,
    hasMailbox: maybeBool,
    attributes: maybeAttributes,
  } satisfies Fields<Omit<GenericEmployee, "microsoft" | "google" | "okta" | "bambooHr">>,
  { requiredKeys: ["id", "fullName"] },
);

const microsoftEmployees = fc.record({
  id: requiredText,
  displayName: requiredText,
  userPrincipalName: requiredText,
} satisfies Fields<MicrosoftEmployee>);

const googleEmployees = fc.record({
  id: requiredText,
  fullName: requiredText,
  primaryEmail: requiredText,
} satisfies Fields<GoogleEmployee>);

const oktaEmployees = fc.record({
  id: requiredText,
  displayName: requiredText,
  login: requiredText,
} satisfies Fields<OktaEmployee>);

const bambooHrEmployees = fc.record(
  {
    id: requiredText,
    displayName: requiredText,
    workEmail: maybeText,
  } satisfies Fields<BambooHrEmployee>,
  { requiredKeys: ["id", "displayName"] },
);

const groups = fc.record(
  {
    id: requiredText,
    name: requiredText,
    description: maybeText,
    email: maybeText,
    attributes: maybeAttributes,
  } satisfies Fields<RecordTypes["groups"]>,
  { requiredKeys: ["id", "name"] },
);

const groupMembers = fc.record(
  {
    id: requiredText,
    sourceGroupId: requiredText,
    sourceMemberId: requiredText,
    role: maybeText,
    attributes: maybeAttributes,
  } satisfies Fields<RecordTypes["groupMembers"]>,
  { requiredKeys: ["id", "sourceGroupId", "sourceMemberId"] },
);

const devices = fc.record(
  {
    id: requiredText,
    name: maybeText,
    serialNumber: maybeText,
    manufacturer: maybeText,
    model: maybeText,
    operatingSystem: maybeText,
    operatingSystemVersion: maybeText,
    sourceOwnerId: maybeText,
    lastSeen: maybeMoment,
    attributes: maybeAttributes,
  } satisfies Fields<RecordTypes["devices"]>,
  { requiredKeys: ["id"] },
);

const usage = fc.record(
  {
    id: requiredText,
    sourceActorId: requiredText,
    externalProductName: maybeText,
    sourcePlanId: maybeText,
    lastActivity: moment,
  } satisfies Fields<RecordTypes["usage"]>,
  { requiredKeys: ["id", "sourceActorId", "lastActivity"] },
);

const discovered = {
  sourceActorId: requiredText,
  actorEmail: maybeText,
  externalProductName: maybeText,
  source: maybeText,
  lastActivity: moment,
  lastActivityFrom: moment,
  lastActivityTo: moment,
} satisfies Fields<RecordTypes["externallyDiscoveredUsage"]>;
const { lastActivity, lastActivityFrom, lastActivityTo, ...discoveredAnytime } = discovered;

/** A timestamp, a range, or both; never half a range. */
const externallyDiscoveredUsage = fc.oneof(
  fc.record({ ...discoveredAnytime, lastActivity }, { requiredKeys: ["sourceActorId", "lastActivity"] }),
  fc.record(
    { ...discoveredAnytime, lastActivityFrom, lastActivityTo },
    { requiredKeys: ["sourceActorId", "lastActivityFrom", "lastActivityTo"] },
  ),
  fc.record(discovered),
);

const auditLogs = fc.record(
  {
    id: requiredText,
    action: requiredText,
    sourceActorId: maybeText,
    targetId: maybeText,
    targetType: maybeText,
    eventTime: moment,
    attributes: maybeAttributes,
  } satisfies Fields<RecordTypes["auditLogs"]>,
  { requiredKeys: ["id", "action", "eventTime"] },
);

const aiUsage = fc.record(
  {
    id: requiredText,
    sourceActorId: requiredText,
    externalProductName: maybeText,
    model: maybeText,
    inputTokens: maybe(int64),
    outputTokens: maybe(int64),
    lastActivity: moment,
    attributes: maybeAttributes,
  } satisfies Fields<RecordTypes["aiUsage"]>,
  { requiredKeys: ["id", "sourceActorId", "lastActivity"] },
);

const aiCost = fc.record(
  {
    id: requiredText,
    sourceActorId: maybeText,
    externalProductName: maybeText,
    model: maybeText,
    amount: decimal,
    currency,
    costTime: moment,
    attributes: maybeAttributes,
  } satisfies Fields<RecordTypes["aiCost"]>,
  { requiredKeys: ["id", "amount", "currency", "costTime"] },
);

/** Valid records of each collection, with employees of all directories. */
export const RECORDS: { readonly [C in Collection]: fc.Arbitrary<RecordTypes[C]> } = {
  accounts,
  plans,
  licenses,
  employees: fc.oneof(
    { weight: 4, arbitrary: employees },
    { weight: 1, arbitrary: fc.record({ microsoft: microsoftEmployees, google: fc.constant(undefined) }) },
    { weight: 1, arbitrary: fc.record({ google: googleEmployees }) },
    { weight: 1, arbitrary: fc.record({ okta: oktaEmployees }) },
    { weight: 1, arbitrary: fc.record({ bambooHr: bambooHrEmployees }) },
  ),
  groups,
  groupMembers,
  devices,
  usage,
  externallyDiscoveredUsage,
  auditLogs,
  aiUsage,
  aiCost,
};

/** Name of every collection. */
export const COLLECTION_NAMES: readonly Collection[] = Object.keys(RECORDS).filter(isCollectionName);

function isCollectionName(name: string): name is Collection {
  return Object.hasOwn(RECORDS, name);
}
