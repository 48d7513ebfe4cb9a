import Big from "big.js";
import type {
  GenericAccountDetails,
  GenericLicenseDetails,
} from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { PlanPrice } from "../../portfolio.js";
import type { Digest } from "./digest.js";
import { getOrAdd } from "./get-or-add.js";
import type { LicensePlanRow, Money } from "./license-plans.js";
import type { People, Person } from "./people.js";
import { filled } from "./text.js";
import { type PlanScopes, scopesOf, type UsageIndex } from "./usage-index.js";

/** A license, as the schema shows it. */
export type LicenseRow = {
  readonly id: string;
  readonly state: LicenseStateRow;
  readonly holder: HolderRow | null;
  readonly plan: LicensePlanRow | null;
  readonly annualPrice: Money | null;
  readonly potentialSaving: Money | null;
};

type LicenseStateRow =
  | { readonly __typename: "UsedLicenseState"; readonly activity: "USED" }
  | { readonly __typename: "UnusedLicenseState"; readonly activity: "UNUSED"; readonly reason: string };

type HolderRow = {
  readonly name: string | null;
  readonly email: string | null;
  readonly employeeId: string | null;
};

/** Which use counts as recent. */
export interface RecentUse {
  /** Use from then on, in milliseconds since the epoch. */
  readonly since: number;
  /** How many days ago that is. */
  readonly days: number;
}

/** What is known of a license before the plans are counted. */
export interface AssessedLicense {
  readonly license: GenericLicenseDetails;
  readonly holder: HolderRow | null;
  readonly state: LicenseStateRow;
}

const used: LicenseStateRow = { __typename: "UsedLicenseState", activity: "USED" };

/** Finds out who holds each license of an installation, and whether it is used. */
export function assessLicenses(
  digest: Digest,
  people: People,
  usage: UsageIndex,
  recent: RecentUse,
): readonly AssessedLicense[] {
  const scopesByPlan = new Map<string, PlanScopes>();
  return digest.licenses.map((license) => {
    const { sourceAccountId, sourcePlanId } = license;
    const scopes = getOrAdd(scopesByPlan, sourcePlanId, () =>
      scopesOf(digest, sourcePlanId, digest.plans.get(sourcePlanId)),
    );
    const account = digest.accounts.get(sourceAccountId);
    const person = account === undefined ? undefined : people.ofAccount(digest, account);
    const lastUse = usage.lastUse(digest, sourceAccountId, person, scopes);
    const reason = account?.active === false ? "The account is not active." : unusedReason(lastUse, recent);
    return {
      license,
      holder: account === undefined || person === undefined ? null : holderRow(account, person),
      state: reason === undefined ? used : { __typename: "UnusedLicenseState", activity: "UNUSED", reason },
    };
  });
}

function unusedReason(lastUse: number | undefined, { since, days }: RecentUse): string | undefined {
  if (lastUse === undefined) return "No use was ever seen.";
  if (lastUse >= since) return undefined;
  return `The last use was seen on ${new Date(lastUse).toISOString().slice(0, 10)}, more than ${days} days ago.`;
}

function holderRow(account: GenericAccountDetails, person: Person): HolderRow {
  const employee = typeof person === "string" ? undefined : person;
  return {
    name: employee?.name ?? filled(account.name) ?? filled(account.username),
    email: employee?.email ?? filled(account.email),
    employeeId: employee?.id ?? null,
  };
}

/** What the licenses of a plan cost. */
export interface LicensePrices {
  readonly paid: Money;
  readonly nothing: Money;
}

export function licensePrices(price: PlanPrice): LicensePrices {
  const { annualPricePerSeat, currency } = price;
  return {
    paid: { amount: new Big(annualPricePerSeat), currency },
    nothing: { amount: new Big(0), currency },
  };
}

/** A license that is not billable costs nothing, and only one that is billable and not used can be saved. */
export function licenseRow(
  digest: Digest,
  { license, holder, state }: AssessedLicense,
  plan: LicensePlanRow | null,
  prices: LicensePrices | null,
): LicenseRow {
  const billable = license.billable === true;
  return {
    id: `${digest.installation.id}:${license.sourceId}`,
    state,
    holder,
    plan,
    annualPrice: (billable ? prices?.paid : prices?.nothing) ?? null,
    potentialSaving: (billable && state.activity === "UNUSED" ? prices?.paid : prices?.nothing) ?? null,
  };
}
