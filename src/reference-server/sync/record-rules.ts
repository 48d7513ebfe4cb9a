import { WIRE } from "../../sync/generated/collections.js";
import { SubscriptionModel, type Timestamp } from "../../sync/generated/contract.js";
import { wireName } from "../values.js";
import type { Collection, MessageOf } from "../workspace.js";

export interface Violation {
  /** Path of the field in camelCase, such as `generic.details.model`; empty for the record itself. */
  readonly field: string;
  /** Continues a sentence that begins with the field: `is missing`. */
  readonly problem: string;
}

type VariantOf<C extends Collection> = NonNullable<MessageOf<C>["variant"]>;

type RequiredFields<C extends Collection> = {
  readonly [V in VariantOf<C> as V["$case"]]: readonly (keyof V["value"] & string)[];
};

/**
 * What the service expects of records (service description, "Sync API records"; for models that it does not show, the
 * comments of the contract). Shares nothing with the client's checks, so that each can find mistakes of the other.
 */
const REQUIRED: { readonly [C in Collection]?: RequiredFields<C> } = {
  accounts: { generic: ["id"] },
  plans: { generic: ["id", "externalPlanName", "details"] },
  licenses: { generic: ["sourceId", "sourceAccountId", "sourcePlanId", "billable"] },
  employees: {
    generic: ["id", "fullName"],
    microsoft: ["id", "displayName", "userPrincipalName"],
    google: ["id", "fullName", "primaryEmail"],
    okta: ["id", "displayName", "login"],
    bambooHr: ["id", "displayName"],
  },
  groups: { generic: ["id", "name"] },
  groupMembers: { generic: ["id", "sourceGroupId", "sourceMemberId"] },
  devices: { generic: ["id"] },
  usage: { generic: ["id", "sourceActorId", "lastActivity"] },
  externallyDiscoveredUsage: { generic: ["sourceActorId"] },
  auditLogs: { generic: ["id", "action", "eventTime"] },
  aiUsage: { generic: ["id", "sourceActorId", "lastActivity"] },
  aiCost: { generic: ["id", "amount", "currency", "costTime"] },
};

const CONDITIONS: { readonly [C in Collection]?: (details: VariantOf<C>["value"]) => Violation | undefined } =
  {
    accounts: ({ details }) => {
      if (details === undefined) return undefined;
      if (details.variant === undefined) return { field: "details", problem: noVariant(["microsoft"]) };
      const { teams } = details.variant.value;
      return teams !== undefined && teams.hasTeams === undefined
        ? missing("details.microsoft.teams.hasTeams")
        : undefined;
    },
    plans: ({ details: { model, seatBased } = {} }) => {
      if (!model) return missing("details.model");
      if (model < 0 || SubscriptionModel[model] === undefined)
        return { field: "details.model", problem: "is not a known subscription model" };
      const isSeatBased = model === SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED;
      return isSeatBased && seatBased === undefined ? missing("details.seatBased") : undefined;
    },
    externallyDiscoveredUsage: ({ lastActivity, lastActivityFrom: from, lastActivityTo: to }) => {
      if (from !== undefined && to === undefined) return missing("lastActivityTo");
      if (to !== undefined && from === undefined) return missing("lastActivityFrom");
      return lastActivity === undefined && from === undefined ? missing("lastActivity") : undefined;
    },
    aiCost: ({ amount, currency }) => {
      if (!/^-?\d+(\.\d+)?$/.test(amount)) return { field: "amount", problem: "is not a decimal number" };
      return /^[A-Z]{3}$/.test(currency)
        ? undefined
        : { field: "currency", problem: "is not a currency code of three capital letters" };
    },
  };

export function violationOf<C extends Collection>(
  collection: C,
  { variant }: MessageOf<C>,
): Violation | undefined {
  const required = requiredFields(collection);
  if (variant === undefined) return { field: "", problem: noVariant(Object.keys(required)) };
  const details: object = variant.value;
  const found =
    missingField(details, required[variant.$case] ?? []) ??
    CONDITIONS[collection]?.(variant.value) ??
    invalidTime(details);
  return found && { ...found, field: `${variant.$case}.${found.field}` };
}

/** Of a collection that is not listed above, the id is required. */
function requiredFields(collection: Collection): Readonly<Record<string, readonly string[]>> {
  const { idField, variants }: CollectionFacts = WIRE[collection];
  const ids = idField === undefined ? [] : [idField];
  return REQUIRED[collection] ?? Object.fromEntries(["generic", ...variants].map((name) => [name, ids]));
}

interface CollectionFacts {
  readonly idField: string | undefined;
  readonly variants: readonly string[];
}

/** `false` and `0` are values. */
function missingField(details: object, required: readonly string[]): Violation | undefined {
  const field = required.find((name) => {
    const value: unknown = Reflect.get(details, name);
    return value === undefined || value === "";
  });
  return field === undefined ? undefined : missing(field);
}

function missing(field: string): Violation {
  return { field, problem: "is missing" };
}

function noVariant(names: readonly string[]): string {
  return `selects no model. Set exactly one of ${names.map((name) => `\`${wireName(name)}\``).join(", ")}`;
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range of a Timestamp. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

function invalidTime(details: object): Violation | undefined {
  // Not Object.entries, which takes four times as long for each record.
  for (const field in details) {
    const value: unknown = Reflect.get(details, field);
    if (!isTimestamp(value)) continue;
    const { seconds, nanos } = value;
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999)
      return {
        field,
        problem: "is not a Timestamp between the years 1 and 9999 with 0 to 999,999,999 nanos",
      };
  }
  return undefined;
}

export function isTimestamp(value: unknown): value is Timestamp {
  return typeof value === "object" && value !== null && "seconds" in value && "nanos" in value;
}
