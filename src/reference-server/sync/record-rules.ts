import type { Timestamp } from "../../sync/generated/google/protobuf/timestamp.js";
import {
  type GenericAccountDetails,
  type GenericLicenseDetails,
  type GenericPlanDetails,
  type MicrosoftAccountDetails,
  type PlanDetails,
  SubscriptionModel,
} from "../../sync/generated/saas_management/sync/v1/access_records.js";
import type {
  GenericAiCostDetails,
  GenericAiUsageDetails,
  GenericAuditLogDetails,
  GenericExternallyDiscoveredUsageDetails,
  GenericUsageDetails,
} from "../../sync/generated/saas_management/sync/v1/activity_records.js";
import type {
  BambooHrEmployeeDetails,
  GenericDeviceDetails,
  GenericEmployeeDetails,
  GenericGroupDetails,
  GenericGroupMemberDetails,
  GoogleEmployeeDetails,
  MicrosoftEmployeeDetails,
  OktaEmployeeDetails,
} from "../../sync/generated/saas_management/sync/v1/identity_records.js";
import type { Collection, MessageOf } from "../workspace.js";
import { wireName } from "./collections.js";

/** What is wrong with a record. Never contains the content of the record. */
export interface Violation {
  /** Path of the field in wire names, such as `generic.details.model`. */
  readonly field: string;
  /** Continues a sentence that begins with the field: `is missing`. */
  readonly problem: string;
}

/** Returns the first problem of a message, if any. */
export type Check<T> = (message: T) => Violation | undefined;

function filled<K extends string>(field: K): Check<{ readonly [P in K]?: string | undefined }> {
  return (message) => (message[field] ? undefined : violation(field, "is missing"));
}

/** `false` and `0` are present. */
function present<K extends string>(field: K): Check<{ readonly [P in K]?: unknown }> {
  return (message) => (message[field] === undefined ? violation(field, "is missing") : undefined);
}

function timestamp<K extends string>(field: K): Check<{ readonly [P in K]?: Timestamp | undefined }> {
  return (message) => {
    const value = message[field];
    return value === undefined || isTimestamp(value)
      ? undefined
      : violation(field, "is not a Timestamp between the years 1 and 9999 with 0 to 999,999,999 nanos");
  };
}

function matching<K extends string>(
  field: K,
  pattern: RegExp,
  expected: string,
): Check<{ readonly [P in K]: string }> {
  return (message) => (pattern.test(message[field]) ? undefined : violation(field, `is not ${expected}`));
}

/** Applies a check to a field if it is present. */
function within<K extends string, T>(
  field: K,
  check: Check<T>,
): Check<{ readonly [P in K]?: T | undefined }> {
  return (message) => {
    const value = message[field];
    const found = value === undefined ? undefined : check(value);
    return found && violation(field, found.problem, found.field);
  };
}

type Variant<M, K extends keyof M = keyof M> = {
  [P in K]: { readonly $case: P; readonly value: M[P] };
}[K];

/** Exactly one variant is set, and its message passes every check of that variant. */
function oneOf<M extends object>(
  checks: { readonly [K in keyof M & string]: readonly Check<M[K]>[] },
): Check<{ readonly variant: Variant<M, keyof M & string> | undefined }> {
  const names = Object.keys(checks).map((name) => `\`${wireName(name)}\``);
  const missing = { field: "", problem: `selects no model. Set exactly one of ${names.join(", ")}` };
  const run = <K extends keyof M & string>(variant: Variant<M, K>): Violation | undefined => {
    for (const check of checks[variant.$case]) {
      const found = check(variant.value);
      if (found !== undefined) return violation(variant.$case, found.problem, found.field);
    }
    return undefined;
  };
  return ({ variant }) => (variant === undefined ? missing : run(variant));
}

function violation(field: string, problem: string, below = ""): Violation {
  return { field: below === "" ? wireName(field) : `${wireName(field)}.${below}`, problem };
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of a Timestamp. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

function isTimestamp({ seconds, nanos }: Timestamp): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= 999_999_999;
}

const accountVendor = oneOf<{ microsoft: MicrosoftAccountDetails }>({
  microsoft: [within("teams", present("hasTeams"))],
});

/**
 * What the service expects of records (service description, "Sync API records"; for models that it does not show, the
 * comments of the contract). Shares nothing with the client's checks, so that each can find mistakes of the other.
 */
export const RECORD_RULES: { readonly [C in Collection]: Check<MessageOf<C>> } = {
  accounts: oneOf<{ generic: GenericAccountDetails }>({
    generic: [filled("id"), within("details", accountVendor)],
  }),
  plans: oneOf<{ generic: GenericPlanDetails }>({
    generic: [filled("id"), filled("externalPlanName"), present("details"), within("details", planDetails)],
  }),
  licenses: oneOf<{ generic: GenericLicenseDetails }>({
    generic: [filled("sourceId"), filled("sourceAccountId"), filled("sourcePlanId"), present("billable")],
  }),
  employees: oneOf<{
    generic: GenericEmployeeDetails;
    microsoft: MicrosoftEmployeeDetails;
    google: GoogleEmployeeDetails;
    okta: OktaEmployeeDetails;
    bambooHr: BambooHrEmployeeDetails;
  }>({
    generic: [filled("id"), filled("fullName"), timestamp("deletionTime"), timestamp("creationTime")],
    microsoft: [filled("id"), filled("displayName"), filled("userPrincipalName")],
    google: [filled("id"), filled("fullName"), filled("primaryEmail")],
    okta: [filled("id"), filled("displayName"), filled("login")],
    bambooHr: [filled("id"), filled("displayName")],
  }),
  groups: oneOf<{ generic: GenericGroupDetails }>({ generic: [filled("id"), filled("name")] }),
  groupMembers: oneOf<{ generic: GenericGroupMemberDetails }>({
    generic: [filled("id"), filled("sourceGroupId"), filled("sourceMemberId")],
  }),
  devices: oneOf<{ generic: GenericDeviceDetails }>({ generic: [filled("id"), timestamp("lastSeen")] }),
  usage: oneOf<{ generic: GenericUsageDetails }>({
    generic: [filled("id"), filled("sourceActorId"), present("lastActivity"), timestamp("lastActivity")],
  }),
  externallyDiscoveredUsage: oneOf<{ generic: GenericExternallyDiscoveredUsageDetails }>({
    generic: [
      filled("sourceActorId"),
      timeOrCompleteRange,
      timestamp("lastActivity"),
      timestamp("lastActivityFrom"),
      timestamp("lastActivityTo"),
    ],
  }),
  auditLogs: oneOf<{ generic: GenericAuditLogDetails }>({
    generic: [filled("id"), filled("action"), present("eventTime"), timestamp("eventTime")],
  }),
  aiUsage: oneOf<{ generic: GenericAiUsageDetails }>({
    generic: [filled("id"), filled("sourceActorId"), present("lastActivity"), timestamp("lastActivity")],
  }),
  aiCost: oneOf<{ generic: GenericAiCostDetails }>({
    generic: [
      filled("id"),
      filled("amount"),
      matching("amount", /^-?\d+(\.\d+)?$/, "a decimal number"),
      filled("currency"),
      matching("currency", /^[A-Z]{3}$/, "a currency code of three capital letters"),
      present("costTime"),
      timestamp("costTime"),
    ],
  }),
};

function planDetails({ model, seatBased }: PlanDetails): Violation | undefined {
  if (model === SubscriptionModel.SUBSCRIPTION_MODEL_UNSPECIFIED) {
    return { field: "model", problem: "is missing" };
  }
  if (model !== SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED) {
    return { field: "model", problem: "is not a known subscription model" };
  }
  return seatBased === undefined
    ? { field: "seat_based", problem: "is missing: a seat-based plan needs it" }
    : undefined;
}

function timeOrCompleteRange(usage: GenericExternallyDiscoveredUsageDetails): Violation | undefined {
  const { lastActivity, lastActivityFrom: from, lastActivityTo: to } = usage;
  if (from !== undefined && to === undefined) {
    return { field: "last_activity_to", problem: "is missing: `last_activity_from` requires it" };
  }
  if (to !== undefined && from === undefined) {
    return { field: "last_activity_from", problem: "is missing: `last_activity_to` requires it" };
  }
  if (lastActivity === undefined && from === undefined) {
    return {
      field: "last_activity",
      problem: "is missing, and so is the range `last_activity_from` to `last_activity_to`",
    };
  }
  return undefined;
}
