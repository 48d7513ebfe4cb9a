import type { Timestamp } from "../../../sync/generated/google/protobuf/timestamp.js";
import type {
  GenericAccountDetails,
  GenericPlanDetails,
} from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { Employee as EmployeeRecord } from "../../../sync/generated/saas_management/sync/v1/identity_records.js";
import { fold, getOrAdd, nullIfBlank } from "../../values.js";
import type { MessageOf, SyncedInstallation } from "../../workspace.js";

/** An employee of any directory. */
export interface Employee {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** All folded addresses, including `email`. */
  readonly addresses: readonly string[];
}

/** What a use is a use of, within the installation that reported it. */
export type UsageScope = `plan:${string}` | `product:${string}` | "installation";

/** Time of the last use of each scope, in milliseconds since the epoch. */
export type LastUses = ReadonlyMap<UsageScope, number>;

/** Uses that were seen by another system than the product's own. */
export interface DiscoveredUses {
  readonly actorId: string;
  /** Folded e-mail address of the actor. */
  readonly address: string | null;
  readonly lastUses: LastUses;
}

/** What one installation has synced, indexed by source ids. */
export interface SyncedData {
  readonly installation: SyncedInstallation;
  readonly accounts: ReadonlyMap<string, GenericAccountDetails>;
  readonly employees: ReadonlyMap<string, Employee>;
  readonly plans: ReadonlyMap<string, GenericPlanDetails>;
  /** Names of the products of plans, by folded name. */
  readonly products: ReadonlyMap<string, string>;
  /** By the id of the account or employee. */
  readonly usage: ReadonlyMap<string, LastUses>;
  readonly discovered: readonly DiscoveredUses[];
  /** Names of discovered products, by folded name. */
  readonly discoveredProducts: ReadonlyMap<string, string>;
}

export function indexSynced(installation: SyncedInstallation): SyncedData {
  const plans = byId(detailsOf(installation.records("plans")));
  const products = new Map<string, string>();
  for (const plan of plans.values()) {
    const product = productOf(plan, installation);
    getOrAdd(products, fold(product), () => product.trim());
  }
  return {
    installation,
    accounts: byId(detailsOf(installation.records("accounts"))),
    employees: byId(installation.records("employees").flatMap(employeeOf)),
    plans,
    products,
    usage: lastUsesByActor(installation.records("usage")),
    ...discoveredUses(installation.records("externallyDiscoveredUsage")),
  };
}

/** The details of records that have one variant only. */
export function detailsOf<T>(
  records: readonly { readonly variant: { readonly value: T } | undefined }[],
): readonly T[] {
  const details: T[] = [];
  for (const { variant } of records) if (variant !== undefined) details.push(variant.value);
  return details;
}

function byId<T extends { readonly id: string }>(values: readonly T[]): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const value of values) map.set(value.id, value);
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

function lastUsesByActor(events: readonly MessageOf<"usage">[]): ReadonlyMap<string, LastUses> {
  const byActor = new Map<string, Map<UsageScope, number>>();
  for (const { sourceActorId, sourcePlanId, externalProductName, lastActivity } of detailsOf(events)) {
    const uses = getOrAdd(byActor, sourceActorId, () => new Map());
    keepLatest(uses, scopeOf(sourcePlanId, externalProductName), timeOf(lastActivity));
  }
  return byActor;
}

function scopeOf(planId: string | undefined, product: string | undefined): UsageScope {
  if (planId) return `plan:${planId}`;
  return product ? `product:${fold(product)}` : "installation";
}

function discoveredUses(
  events: readonly MessageOf<"externallyDiscoveredUsage">[],
): Pick<SyncedData, "discovered" | "discoveredProducts"> {
  const byActor = new Map<string, DiscoveredUses & { readonly lastUses: Map<UsageScope, number> }>();
  const discoveredProducts = new Map<string, string>();
  for (const event of detailsOf(events)) {
    const product = nullIfBlank(event.externalProductName);
    // An event without a product says nothing: the use did not happen in the installation that reports it.
    if (product === null) continue;
    const key = fold(product);
    getOrAdd(discoveredProducts, key, () => product.trim());
    const email = nullIfBlank(event.actorEmail);
    const address = email === null ? null : fold(email);
    const actorId = event.sourceActorId;
    const { lastUses } = getOrAdd(byActor, JSON.stringify([actorId, address]), () => ({
      actorId,
      address,
      lastUses: new Map(),
    }));
    keepLatest(lastUses, `product:${key}`, timeOf(event.lastActivity ?? event.lastActivityTo));
  }
  return { discovered: [...byActor.values()], discoveredProducts };
}

/** Record rules require a time: events without one are never stored. */
function timeOf(timestamp: Timestamp | undefined): number {
  const { seconds = 0n, nanos = 0 } = timestamp ?? {};
  return Number(seconds) * 1000 + Math.floor(nanos / 1e6);
}

export function keepLatest<S>(uses: Map<S, number>, scope: S, time: number): void {
  if (time > (uses.get(scope) ?? Number.NEGATIVE_INFINITY)) uses.set(scope, time);
}
