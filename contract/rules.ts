import type { Rules } from "./types.js";

/**
 * What is known of the contract beyond the service's own files, by the SDK's names of messages and fields (mapping.ts
 * tells where they differ). A field without a rule is optional. A rule without a target is an error of code generation.
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
    Account: {
      exactlyOne: true,
    },
    GenericAccountDetails: {
      fields: {
        id: {
          id: true,
          required: true,
        },
      },
    },
    AccountDetails: {
      exactlyOne: true,
    },
    MicrosoftAccountDetails: {
      assumed: true,
    },
    TeamsMetadata: {
      fields: {
        has_teams: {
          required: true,
        },
      },
    },
    Plan: {
      exactlyOne: true,
    },
    GenericPlanDetails: {
      fields: {
        id: {
          id: true,
          required: true,
        },
        external_plan_name: {
          required: true,
        },
        details: {
          required: true,
        },
      },
    },
    PlanDetails: {
      fields: {
        model: {
          required: true,
        },
        seat_based: {
          requiredWhen: {
            field: "model",
            value: "SUBSCRIPTION_MODEL_SEAT_BASED",
          },
        },
      },
    },
    SeatBasedPlanDetails: {
      fields: {
        consumed_seats: {
          drifts: true,
        },
      },
    },
    License: {
      exactlyOne: true,
    },
    GenericLicenseDetails: {
      fields: {
        source_id: {
          id: true,
          required: true,
        },
        source_account_id: {
          required: true,
        },
        source_plan_id: {
          required: true,
        },
        billable: {
          required: true,
        },
      },
    },
    Usage: {
      exactlyOne: true,
    },
    GenericUsageDetails: {
      fields: {
        id: {
          id: true,
          required: true,
        },
        source_actor_id: {
          required: true,
        },
        last_activity: {
          required: true,
        },
      },
    },
    ExternallyDiscoveredUsage: {
      exactlyOne: true,
    },
    GenericExternallyDiscoveredUsageDetails: {
      completeGroups: [["last_activity"], ["last_activity_from", "last_activity_to"]],
      fields: {
        source_actor_id: {
          required: true,
        },
      },
    },
    AuditLog: {
      assumed: true,
      exactlyOne: true,
    },
    GenericAuditLogDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        action: {
          required: true,
        },
        event_time: {
          required: true,
        },
      },
    },
    AiUsage: {
      assumed: true,
      exactlyOne: true,
    },
    GenericAiUsageDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        source_actor_id: {
          required: true,
        },
        last_activity: {
          required: true,
        },
      },
    },
    AiCost: {
      assumed: true,
      exactlyOne: true,
    },
    GenericAiCostDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        amount: {
          required: true,
          format: "decimal",
        },
        currency: {
          required: true,
          format: "currency",
        },
        cost_time: {
          required: true,
        },
      },
    },
    Employee: {
      exactlyOne: true,
    },
    GenericEmployeeDetails: {
      fields: {
        id: {
          id: true,
          required: true,
        },
        full_name: {
          required: true,
        },
        avatar_url: {
          drifts: true,
        },
      },
    },
    MicrosoftEmployeeDetails: {
      fields: {
        id: {
          id: true,
          required: true,
        },
        display_name: {
          required: true,
        },
        user_principal_name: {
          required: true,
        },
      },
    },
    GoogleEmployeeDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        full_name: {
          required: true,
        },
        primary_email: {
          required: true,
        },
      },
    },
    OktaEmployeeDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        display_name: {
          required: true,
        },
        login: {
          required: true,
        },
      },
    },
    BambooHrEmployeeDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        display_name: {
          required: true,
        },
      },
    },
    Group: {
      assumed: true,
      exactlyOne: true,
    },
    GenericGroupDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        name: {
          required: true,
        },
      },
    },
    GroupMember: {
      assumed: true,
      exactlyOne: true,
    },
    GenericGroupMemberDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        source_group_id: {
          required: true,
        },
        source_member_id: {
          required: true,
        },
      },
    },
    Device: {
      assumed: true,
      exactlyOne: true,
    },
    GenericDeviceDetails: {
      assumed: true,
      fields: {
        id: {
          id: true,
          required: true,
        },
        operating_system_version: {
          drifts: true,
        },
      },
    },
  },
};
