import type {
  Employee as EmployeeRecord,
  GenericExternallyDiscoveredUsageDetails,
  GenericPlanDetails,
  GenericUsageDetails,
  Timestamp,
} from "../../../sync/generated/contract.js";
import { fold, getOrAdd, lazy, nullIfBlank } from "../../values.js";
import type { Slot, SyncedInstallation } from "../../workspace.js";

/** The record of an employee. */
export type Employee = NonNullable<EmployeeRecord["variant"]>;

/** What a use is a use of, within the installation that reported it. */
export type UsageScope = `plan:${string}` | `product:${string}` | "installation";

export interface Use {
  readonly actorId: string;
  /** Folded e-mail address or null, if another system than the product's own saw the use. */
  readonly address?: string | null;
  readonly scope: UsageScope;
  readonly time: number;
}

/** By what was used: who used it last when, in milliseconds since the epoch. */
export type LastUses<User> = Map<string, Map<User, number>>;

export function keep<User>(all: LastUses<User>, scope: string, user: User, time: number): void {
  const uses = getOrAdd(all, scope, () => new Map());
  uses.set(user, Math.max(time, uses.get(user) ?? time));
}

/** What one installation has synced, as it is now. */
export type SyncedData = ReturnType<typeof syncedBy>;

export function syncedBy(installation: SyncedInstallation) {
  const plans = detailsOf(installation.records("plans"));
  const discovered = detailsOf(installation.records("externallyDiscoveredUsage"));
  const ownUses = detailsOf(installation.records("usage")).map(useOf);
  return {
    installation,
    plans,
    account: (id: string) => genericOf(variantIn(installation.find("accounts", id))),
    employee: (id: string) => variantIn(installation.find("employees", id)),
    plan: (id: string) => genericOf(variantIn(installation.find("plans", id))),
    /** Names of the products of plans, by folded name. */
    products: byFoldedName(plans.map((plan) => productOf(plan, installation))),
    /** Names of discovered products, by folded name. */
    discovered: byFoldedName(
      discovered.flatMap(({ externalProductName }) => nullIfBlank(externalProductName) ?? []),
    ),
    uses: [...ownUses, ...discovered.flatMap(discoveredUseOf)],
    /** What the uses that the product's own system saw tell of accounts, by their ids. */
    lastUses: lazy(() => {
      const last: LastUses<string> = new Map();
      for (const { actorId, scope, time } of ownUses) keep(last, scope, actorId, time);
      return last;
    }),
  };
}

function variantIn<V>(slot: Slot<{ readonly variant: V | undefined }> | undefined): V | undefined {
  return slot?.removed ? undefined : slot?.record.variant;
}

interface Variant {
  readonly $case: string;
  readonly value: unknown;
}

type Generic<V extends Variant> = Extract<V, { readonly $case: "generic" }>;

function isGeneric<V extends Variant>(variant: V): variant is Generic<V> {
  return variant.$case === "generic";
}

function genericOf<V extends Variant>(variant: V | undefined): Generic<V>["value"] | undefined {
  return variant !== undefined && isGeneric(variant) ? variant.value : undefined;
}

/** The generic details of records; other variants are left out. */
export function detailsOf<V extends Variant>(
  records: readonly { readonly variant: V | undefined }[],
): readonly Generic<V>["value"][] {
  const details: Generic<V>["value"][] = [];
  for (const { variant } of records)
    if (variant !== undefined && isGeneric(variant)) details.push(variant.value);
  return details;
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

export function employeeDetails({ $case, value }: Employee) {
  const { id } = value;
  switch ($case) {
    case "generic":
      return { id, name: value.fullName, email: value.email, aliases: value.emailAliases };
    case "microsoft":
      return { id, name: value.displayName, email: value.userPrincipalName };
    case "google":
      return { id, name: value.fullName, email: value.primaryEmail };
    case "okta":
      return { id, name: value.displayName, email: value.login };
    case "bambooHr":
      return { id, name: value.displayName, email: value.workEmail };
  }
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
