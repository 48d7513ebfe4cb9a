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

type RequiredFields = Readonly<Record<string, readonly string[]>>;

/**
 * What the service expects of records (service description, "Sync API records"; for models that it does not show, the
 * comments of the contract). Shares nothing with the client's checks, so that each can find mistakes of the other. Rules
 * for fields that the contract does not have demand nothing.
 */
const REQUIRED: Partial<Record<Collection, RequiredFields>> = {
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

const CONDITIONS: Partial<Record<Collection, (record: object) => Violation | undefined>> = {
  accounts: (account) => {
    const details = at(account, "details");
    if (details === undefined) return undefined;
    if (at(details, "variant") === undefined) return { field: "details", problem: noVariant(["microsoft"]) };
    const teams = at(details, "variant", "value", "teams");
    return teams !== undefined && at(teams, "hasTeams") === undefined
      ? missing("details.microsoft.teams.hasTeams")
      : undefined;
  },
  plans: (plan) => {
    const model = at(plan, "details", "model");
    if (typeof model !== "number" || model === 0) return missing("details.model");
    if (model < 0 || SubscriptionModel[model] === undefined)
      return { field: "details.model", problem: "is not a known subscription model" };
    const isSeatBased = model === SubscriptionModel.SUBSCRIPTION_MODEL_SEAT_BASED;
    return isSeatBased && at(plan, "details", "seatBased") === undefined
      ? missing("details.seatBased")
      : undefined;
  },
  externallyDiscoveredUsage: (usage) => {
    const [from, to] = [at(usage, "lastActivityFrom"), at(usage, "lastActivityTo")];
    if (from !== undefined && to === undefined) return missing("lastActivityTo");
    if (to !== undefined && from === undefined) return missing("lastActivityFrom");
    return at(usage, "lastActivity") === undefined && from === undefined
      ? missing("lastActivity")
      : undefined;
  },
  aiCost: (cost) => {
    const [amount, currency] = [at(cost, "amount"), at(cost, "currency")];
    if (typeof amount === "string" && !/^-?\d+(\.\d+)?$/.test(amount))
      return { field: "amount", problem: "is not a decimal number" };
    return typeof currency !== "string" || /^[A-Z]{3}$/.test(currency)
      ? undefined
      : { field: "currency", problem: "is not a currency code of three capital letters" };
  },
};

/** The value at a path; undefined if the contract does not have it. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (within, name) => (typeof within === "object" && within !== null ? Reflect.get(within, name) : undefined),
    value,
  );
}

export function violationOf<C extends Collection>(
  collection: C,
  { variant }: MessageOf<C>,
): Violation | undefined {
  const required = requiredFields(collection);
  if (variant === undefined) return { field: "", problem: noVariant(Object.keys(required)) };
  const details: object = variant.value;
  const found =
    missingField(details, required[variant.$case] ?? requiredIds(collection)) ??
    CONDITIONS[collection]?.(variant.value) ??
    invalidTime(details);
  return found && { ...found, field: `${variant.$case}.${found.field}` };
}

/** Of a collection that is not listed above, the id is required. */
function requiredFields(collection: Collection): RequiredFields {
  const { variants }: CollectionFacts = WIRE[collection];
  const ids = requiredIds(collection);
  return REQUIRED[collection] ?? Object.fromEntries(["generic", ...variants].map((name) => [name, ids]));
}

function requiredIds(collection: Collection): readonly string[] {
  const { idField }: CollectionFacts = WIRE[collection];
  return idField === undefined ? [] : [idField];
}

interface CollectionFacts {
  readonly idField: string | undefined;
  readonly variants: readonly string[];
}

/** `false` and `0` are values. A decoded message has every field of the contract as a property. */
function missingField(details: object, required: readonly string[]): Violation | undefined {
  const field = required.find((name) => {
    const value: unknown = Reflect.get(details, name);
    return name in details && (value === undefined || value === "");
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
