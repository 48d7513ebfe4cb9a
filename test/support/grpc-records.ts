import type { Collection, MessageOf } from "../../src/reference-server/workspace.js";
import type { WireCollection } from "./grpc-client.js";

type Fields<C extends Collection> = Extract<
  NonNullable<MessageOf<C>["variant"]>,
  { $case: "generic" }
>["value"];

/** Accounts with these ids, or with these fields. */
export function accounts(...records: (string | Partial<Fields<"accounts">>)[]): WireCollection {
  return {
    $case: "accounts",
    value: {
      records: records.map((record) => {
        const fields = typeof record === "string" ? { id: record } : record;
        return { variant: { $case: "generic", value: { id: "", roles: [], ...fields } } };
      }),
    },
  };
}

/** Employees with these ids. */
export function employees(...ids: string[]): WireCollection {
  return {
    $case: "employees",
    value: {
      records: ids.map((id) => ({
        variant: {
          $case: "generic",
          value: { id, fullName: id, emailAliases: [], departmentPath: [], attributes: new Map() },
        },
      })),
    },
  };
}

/** Usage events with these ids, or with these fields. */
export function usage(...records: (string | Partial<Fields<"usage">>)[]): WireCollection {
  return {
    $case: "usage",
    value: {
      records: records.map((record) => {
        const fields = typeof record === "string" ? { id: record } : record;
        const value = {
          id: "",
          sourceActorId: "actor",
          lastActivity: { seconds: 1_780_000_000n, nanos: 0 },
          ...fields,
        };
        return { variant: { $case: "generic", value } };
      }),
    },
  };
}

/** Externally discovered usage: it has no id. */
export function discovered(...actorIds: string[]): WireCollection {
  return {
    $case: "externallyDiscoveredUsage",
    value: {
      records: actorIds.map((sourceActorId) => ({
        variant: {
          $case: "generic",
          value: { sourceActorId, lastActivity: { seconds: 1_780_000_000n, nanos: 0 } },
        },
      })),
    },
  };
}
