import type {
  GenericAccountDetails,
  GenericPlanDetails,
} from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { Collection, MessageOf, SyncedInstallation } from "../../workspace.js";
import { type Employee, employeeOf } from "./employee.js";
import { getOrAdd } from "./get-or-add.js";
import { rememberEach, rememberLast } from "./remember.js";
import { filled, productKey } from "./text.js";
import { type DiscoveredUsage, digestDiscovered, digestUsage, type LastUses } from "./usage-digest.js";

/** What one installation has synced, arranged for looking things up. Licenses are not: nothing refers to them. */
export interface Digest {
  readonly installation: SyncedInstallation;
  /** By source id. */
  readonly accounts: ReadonlyMap<string, GenericAccountDetails>;
  /** By source id. */
  readonly employees: ReadonlyMap<string, Employee>;
  /** By source id. */
  readonly plans: ReadonlyMap<string, GenericPlanDetails>;
  /** Names of the products of the plans, by their keys. */
  readonly products: ReadonlyMap<string, string>;
  /** Use by accounts and employees, by the id that the source gave. */
  readonly usage: ReadonlyMap<string, LastUses>;
  readonly discovered: DiscoveredUsage;
}

/** The digest of an installation as it is now. Only those parts are made anew whose records have changed. */
export function digestOf(installation: SyncedInstallation): Digest {
  return digesterOf(installation)(
    installation.records("accounts"),
    installation.records("employees"),
    installation.records("plans"),
    installation.records("usage"),
    installation.records("externallyDiscoveredUsage"),
  );
}

type Records<K extends Collection> = readonly MessageOf<K>[];

const digesterOf = rememberEach((installation: SyncedInstallation) =>
  rememberLast(
    (
      accounts: Records<"accounts">,
      employees: Records<"employees">,
      plans: Records<"plans">,
      usage: Records<"usage">,
      discovered: Records<"externallyDiscoveredUsage">,
    ): Digest => ({
      installation,
      accounts: accountsOf(accounts),
      employees: employeesOf(employees),
      plans: plansOf(plans),
      products: productsOf(plansOf(plans).values(), installation),
      usage: usageOf(usage),
      discovered: discoveredOf(discovered),
    }),
  ),
);

const accountsOf = rememberEach((records: Records<"accounts">) => byId(details(records)));
const employeesOf = rememberEach((records: Records<"employees">) =>
  byId(records.map(employeeOf).filter((employee) => employee !== undefined)),
);
const plansOf = rememberEach((records: Records<"plans">) => byId(details(records)));
const usageOf = rememberEach(digestUsage);
const discoveredOf = rememberEach(digestDiscovered);

/** The details of records that have one variant only. */
export function* details<T>(
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
