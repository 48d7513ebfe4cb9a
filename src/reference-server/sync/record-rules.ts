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
import { type Check, moment, oneOf, present, shaped, text, type Violation, within } from "./record-checks.js";

/** Details of an account that are present hold exactly one vendor's variant. */
const accountVendor = oneOf<{ microsoft: MicrosoftAccountDetails }>({
  microsoft: [within("teams", present("hasTeams"))],
});

/**
 * What the service expects of the records of each collection, written from the service description ("Sync API
 * records") and, for the models that it does not show, from the contract's comments. This is the server's own
 * reading: it shares nothing with the checks of the client, so that one can find the mistakes of the other.
 */
export const RECORD_RULES: { readonly [C in Collection]: Check<MessageOf<C>> } = {
  accounts: oneOf<{ generic: GenericAccountDetails }>({
    generic: [text("id"), within("details", accountVendor)],
  }),
  plans: oneOf<{ generic: GenericPlanDetails }>({
    generic: [text("id"), text("externalPlanName"), present("details"), within("details", planDetails)],
  }),
  licenses: oneOf<{ generic: GenericLicenseDetails }>({
    generic: [text("sourceId"), text("sourceAccountId"), text("sourcePlanId"), present("billable")],
  }),
  employees: oneOf<{
    generic: GenericEmployeeDetails;
    microsoft: MicrosoftEmployeeDetails;
    google: GoogleEmployeeDetails;
    okta: OktaEmployeeDetails;
    bambooHr: BambooHrEmployeeDetails;
  }>({
    generic: [text("id"), text("fullName"), moment("deletionTime"), moment("creationTime")],
    microsoft: [text("id"), text("displayName"), text("userPrincipalName")],
    google: [text("id"), text("fullName"), text("primaryEmail")],
    okta: [text("id"), text("displayName"), text("login")],
    bambooHr: [text("id"), text("displayName")],
  }),
  groups: oneOf<{ generic: GenericGroupDetails }>({ generic: [text("id"), text("name")] }),
  groupMembers: oneOf<{ generic: GenericGroupMemberDetails }>({
    generic: [text("id"), text("sourceGroupId"), text("sourceMemberId")],
  }),
  devices: oneOf<{ generic: GenericDeviceDetails }>({ generic: [text("id"), moment("lastSeen")] }),
  usage: oneOf<{ generic: GenericUsageDetails }>({
    generic: [text("id"), text("sourceActorId"), present("lastActivity"), moment("lastActivity")],
  }),
  externallyDiscoveredUsage: oneOf<{ generic: GenericExternallyDiscoveredUsageDetails }>({
    generic: [
      text("sourceActorId"),
      momentOrCompleteRange,
      moment("lastActivity"),
      moment("lastActivityFrom"),
      moment("lastActivityTo"),
    ],
  }),
  auditLogs: oneOf<{ generic: GenericAuditLogDetails }>({
    generic: [text("id"), text("action"), present("eventTime"), moment("eventTime")],
  }),
  aiUsage: oneOf<{ generic: GenericAiUsageDetails }>({
    generic: [text("id"), text("sourceActorId"), present("lastActivity"), moment("lastActivity")],
  }),
  aiCost: oneOf<{ generic: GenericAiCostDetails }>({
    generic: [
      text("id"),
      text("amount"),
      shaped("amount", /^-?\d+(\.\d+)?$/, "a decimal number"),
      text("currency"),
      shaped("currency", /^[A-Z]{3}$/, "a currency code of three capital letters"),
      present("costTime"),
      moment("costTime"),
    ],
  }),
};

function planDetails({ model, seatBased }: PlanDetails): Violation | undefined {
  if (model === SubscriptionModel.SUBSCRIPTION_MODEL_UNSPECIFIED) {
    return { field: "model", problem: "is missing" };
  }
  if (model !== SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED) {
    return { field: "model", problem: "is not a subscription model that the service knows" };
  }
  return seatBased === undefined
    ? { field: "seat_based", problem: "is missing: a seat-based plan has it" }
    : undefined;
}

/** The activity is one moment or a complete range; a range that is begun must be complete. */
function momentOrCompleteRange(usage: GenericExternallyDiscoveredUsageDetails): Violation | undefined {
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
