import type {
  GenericAccountDetails,
  GenericLicenseDetails,
  GenericPlanDetails,
} from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { SyncedInstallation } from "../../workspace.js";
import { type Employee, employeeOf } from "./employee.js";
import { getOrAdd } from "./get-or-add.js";
import { filled, productKey } from "./text.js";
import { digestUsage, type UsageDigest } from "./usage-digest.js";

/** What one installation has synced, arranged for looking things up. */
export interface Digest {
  readonly installation: SyncedInstallation;
  /** By source id. */
  readonly accounts: ReadonlyMap<string, GenericAccountDetails>;
  /** By source id. */
  readonly employees: ReadonlyMap<string, Employee>;
  /** By source id. */
  readonly plans: ReadonlyMap<string, GenericPlanDetails>;
  readonly licenses: readonly GenericLicenseDetails[];
  /** Names of the products of the plans, by their keys. */
  readonly products: ReadonlyMap<string, string>;
  readonly usage: UsageDigest;
}

const digests = new WeakMap<SyncedInstallation, { readonly revision: number; readonly digest: Digest }>();

/** The digest of an installation as it is now. Made once for each of its revisions. */
export function digestOf(installation: SyncedInstallation): Digest {
  const { revision } = installation;
  const known = digests.get(installation);
  if (known?.revision === revision) return known.digest;
  const plans = byId(details(installation.records("plans")));
  const digest: Digest = {
    installation,
    accounts: byId(details(installation.records("accounts"))),
    employees: byId(Array.from(installation.records("employees"), employeeOf).filter((e) => e !== undefined)),
    plans,
    products: productsOf(plans.values(), installation),
    licenses: [...details(installation.records("licenses"))],
    usage: digestUsage(installation),
  };
  digests.set(installation, { revision, digest });
  return digest;
}

/** The details of records that have one variant only. */
function* details<T>(
  records: Iterable<{ readonly variant: { readonly value: T } | undefined }>,
): Iterable<T> {
  for (const { variant } of records) if (variant !== undefined) yield variant.value;
}

function byId<T extends { readonly id: string }>(values: Iterable<T>): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const value of values) map.set(value.id, value);
  return map;
}

/**
 * What a plan is a plan of. A plan that names no product belongs to the product that its integration is for: its own
 * name is that of an edition.
 */
export function productOf(plan: GenericPlanDetails, installation: SyncedInstallation): string {
  return filled(plan.externalProductName) ?? installation.integration.name;
}

/** Names of products by their keys; of several spellings the first. */
function productsOf(
  plans: Iterable<GenericPlanDetails>,
  installation: SyncedInstallation,
): ReadonlyMap<string, string> {
  const products = new Map<string, string>();
  for (const plan of plans) {
    const name = productOf(plan, installation);
    getOrAdd(products, productKey(name), () => name.trim());
  }
  return products;
}
