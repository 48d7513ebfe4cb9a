import type {
  Employee as EmployeeRecord,
  GenericAccountDetails,
  GenericExternallyDiscoveredUsageDetails,
  GenericPlanDetails,
  GenericUsageDetails,
  Timestamp,
} from "../../../sync/generated/contract.js";
import { fold, getOrAdd, nullIfBlank } from "../../values.js";
import type { SyncedInstallation } from "../../workspace.js";

export interface Employee {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** All folded addresses, including `email`. */
  readonly addresses: readonly string[];
}

/** What a use is a use of, within the installation that reported it. */
export type UsageScope = `plan:${string}` | `product:${string}` | "installation";

export interface Use {
  readonly actorId: string;
  /** Folded e-mail address or null, if another system than the product's own saw the use. */
  readonly address?: string | null;
  readonly scope: UsageScope;
  readonly time: number;
}

/** What one installation has synced, indexed by source ids. */
export interface SyncedData {
  readonly installation: SyncedInstallation;
  readonly accounts: ReadonlyMap<string, GenericAccountDetails>;
  readonly employees: ReadonlyMap<string, Employee>;
  readonly plans: ReadonlyMap<string, GenericPlanDetails>;
  /** Names of the products of plans, by folded name. */
  readonly products: ReadonlyMap<string, string>;
  /** Names of discovered products, by folded name. */
  readonly discovered: ReadonlyMap<string, string>;
  readonly uses: readonly Use[];
}

export function indexSynced(installation: SyncedInstallation): SyncedData {
  const plans = byId(detailsOf(installation.records("plans")));
  const usage = detailsOf(installation.records("usage"));
  const discovered = detailsOf(installation.records("externallyDiscoveredUsage"));
  return {
    installation,
    accounts: byId(detailsOf(installation.records("accounts"))),
    employees: byId(installation.records("employees").flatMap(employeeOf)),
    plans,
    products: byFoldedName(Array.from(plans.values(), (plan) => productOf(plan, installation))),
    discovered: byFoldedName(discovered.flatMap((event) => nullIfBlank(event.externalProductName) ?? [])),
    uses: [...usage.map(useOf), ...discovered.flatMap(discoveredUseOf)],
  };
}

interface Variant {
  readonly $case: string;
  readonly value: unknown;
}

type Generic<V extends Variant> = Extract<V, { readonly $case: "generic" }>;

/** The generic details of records; other variants are left out. */
export function detailsOf<V extends Variant>(
  records: readonly { readonly variant: V | undefined }[],
): readonly Generic<V>["value"][] {
  const isGeneric = (variant: V): variant is Generic<V> => variant.$case === "generic";
  const details: Generic<V>["value"][] = [];
  for (const { variant } of records)
    if (variant !== undefined && isGeneric(variant)) details.push(variant.value);
  return details;
}

function byId<T extends { readonly id: string }>(values: readonly T[]): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const value of values) map.set(value.id, value);
  return map;
}

/** Of several spellings the first counts. */
function byFoldedName(names: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const name of names) getOrAdd(map, fold(name), () => name.trim());
  return map;
}

/** A plan without a product belongs to the product of its integration: its own name is that of an edition. */
export function productOf(plan: GenericPlanDetails, installation: SyncedInstallation): string {
  return nullIfBlank(plan.externalProductName) ?? installation.integration.name;
}

function employeeOf({ variant }: EmployeeRecord): readonly Employee[] {
  if (variant === undefined) return [];
  const { $case, value } = variant;
  switch ($case) {
    case "generic":
      return [employee(value.id, value.fullName, value.email, value.emailAliases)];
    case "microsoft":
      return [employee(value.id, value.displayName, value.userPrincipalName)];
    case "google":
      return [employee(value.id, value.fullName, value.primaryEmail)];
    case "okta":
      return [employee(value.id, value.displayName, value.login)];
    case "bambooHr":
      return [employee(value.id, value.displayName, value.workEmail)];
  }
}

function employee(
  id: string,
  name: string,
  email: string | undefined,
  aliases: readonly string[] = [],
): Employee {
  const addresses = [...(email === undefined ? [] : [email]), ...aliases].map(fold);
  return { id, name, email: nullIfBlank(email), addresses };
}

function useOf({ sourceActorId, sourcePlanId, externalProductName, lastActivity }: GenericUsageDetails): Use {
  return {
    actorId: sourceActorId,
    scope: scopeOf(sourcePlanId, externalProductName),
    time: timeOf(lastActivity),
  };
}

function scopeOf(planId: string | undefined, product: string | undefined): UsageScope {
  if (planId) return `plan:${planId}`;
  return product ? `product:${fold(product)}` : "installation";
}

/** An event without a product says nothing: the use did not happen in the installation that reports it. */
function discoveredUseOf(event: GenericExternallyDiscoveredUsageDetails): readonly Use[] {
  const product = nullIfBlank(event.externalProductName);
  if (product === null) return [];
  const email = nullIfBlank(event.actorEmail);
  return [
    {
      actorId: event.sourceActorId,
      address: email === null ? null : fold(email),
      scope: `product:${fold(product)}`,
      time: timeOf(event.lastActivity ?? event.lastActivityTo),
    },
  ];
}

/** Events have a time: the record rules require it. */
function timeOf(timestamp: Timestamp | undefined): number {
  const { seconds = 0n, nanos = 0 } = timestamp ?? {};
  return Number(seconds) * 1000 + Math.floor(nanos / 1e6);
}
