import type { Rules } from "./types.js";

const PEOPLE = ["accounts", "employees"];

/**
 * What we know about the contract beyond the service's own files, under the SDK's names (mapping.ts lists those that
 * differ). A field without a rule is optional. Code generation refuses a rule whose target isn't in the contract.
 */
export const RULES: Rules = {
  collections: {
    accounts: "snapshot",
    plans: "snapshot",
    licenses: "snapshot",
    employees: "snapshot",
    groups: "snapshot",
    group_members: "snapshot",
    devices: "snapshot",
    usage: "event",
    externally_discovered_usage: "event",
    audit_logs: "event",
    ai_usage: "event",
    ai_cost: "event",
  },
  messages: {
    GenericAccountDetails: {
      fields: {
        id: { id: true, required: true },
        name: { shownAs: "name" },
        email: { shownAs: "email" },
        username: { shownAs: "username" },
        active: { shownAs: "active" },
      },
    },
    MicrosoftAccountDetails: { assumed: true },
    TeamsMetadata: {
      fields: {
        has_teams: { required: true },
      },
    },
    GenericPlanDetails: {
      fields: {
        id: { id: true, required: true },
        external_plan_name: { required: true, shownAs: "name" },
        details: { required: true },
        external_product_name: { shownAs: "product" },
      },
    },
    PlanDetails: {
      fields: {
        model: { required: true },
        seat_based: { requiredWhen: { field: "model", value: "SUBSCRIPTION_MODEL_SEAT_BASED" } },
      },
    },
    GenericLicenseDetails: {
      fields: {
        source_id: { id: true, required: true },
        source_account_id: { required: true, refersTo: ["accounts"], shownAs: "account" },
        source_plan_id: { required: true, refersTo: ["plans"], shownAs: "plan" },
        billable: { required: true, shownAs: "billable" },
      },
    },
    GenericUsageDetails: {
      fields: {
        id: { id: true, required: true },
        source_actor_id: { required: true, refersTo: PEOPLE, shownAs: "actor" },
        last_activity: { required: true, shownAs: "time" },
        source_plan_id: { refersTo: ["plans"], shownAs: "plan" },
        external_product_name: { shownAs: "product" },
      },
    },
    GenericExternallyDiscoveredUsageDetails: {
      completeGroups: [["last_activity"], ["last_activity_from", "last_activity_to"]],
      fields: {
        source_actor_id: { required: true, refersTo: PEOPLE, shownAs: "actor" },
        actor_email: { shownAs: "email" },
        external_product_name: { shownAs: "product" },
        last_activity: { shownAs: "time" },
        last_activity_to: { shownAs: "until" },
      },
    },
    AuditLog: { assumed: true },
    GenericAuditLogDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        action: { required: true },
        event_time: { required: true },
        source_actor_id: { refersTo: PEOPLE },
      },
    },
    AiUsage: { assumed: true },
    GenericAiUsageDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        source_actor_id: { required: true, refersTo: PEOPLE },
        last_activity: { required: true },
      },
    },
    AiCost: { assumed: true },
    GenericAiCostDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        amount: { required: true, format: "decimal" },
        currency: { required: true, format: "currency" },
        cost_time: { required: true },
        source_actor_id: { refersTo: PEOPLE },
      },
    },
    GenericEmployeeDetails: {
      fields: {
        id: { id: true, required: true },
        full_name: { required: true, shownAs: "name" },
        email: { shownAs: "email" },
        manager_id: { refersTo: ["employees"] },
        avatar_url: { drifts: true },
      },
    },
    MicrosoftEmployeeDetails: {
      fields: {
        id: { id: true, required: true },
        display_name: { required: true, shownAs: "name" },
        user_principal_name: { required: true, shownAs: "email" },
      },
    },
    GoogleEmployeeDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        full_name: { required: true, shownAs: "name" },
        primary_email: { required: true, shownAs: "email" },
      },
    },
    OktaEmployeeDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        display_name: { required: true, shownAs: "name" },
        login: { required: true, shownAs: "email" },
      },
    },
    BambooHrEmployeeDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        display_name: { required: true, shownAs: "name" },
        work_email: { shownAs: "email" },
      },
    },
    Group: { assumed: true },
    GenericGroupDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        name: { required: true },
      },
    },
    GroupMember: { assumed: true },
    GenericGroupMemberDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        source_group_id: { required: true, refersTo: ["groups"] },
        source_member_id: { required: true, refersTo: PEOPLE },
      },
    },
    Device: { assumed: true },
    GenericDeviceDetails: {
      assumed: true,
      fields: {
        id: { id: true, required: true },
        source_owner_id: { refersTo: PEOPLE },
        operating_system_version: { drifts: true },
      },
    },
    SeatBasedPlanDetails: {
      fields: {
        paid_seats: { shownAs: "paidSeats" },
        consumed_seats: { drifts: true, shownAs: "consumedSeats" },
      },
    },
  },
};
