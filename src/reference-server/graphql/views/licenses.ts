import type Big from "big.js";
import type { GenericAccountDetails, GenericLicenseDetails } from "../../../sync/generated/contract.js";
import { calendarDateOf, getOrAdd, nullIfBlank } from "../../values.js";
import type { SyncedInstallation } from "../../workspace.js";
import type { Directory, Person } from "./directory.js";
import type { SyncedData } from "./synced.js";
import { type PlanScopes, scopesOf, type UsageIndex } from "./usage.js";

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

type LicenseStateRow =
  | { readonly __typename: "UsedLicenseState"; readonly activity: "USED" }
  | { readonly __typename: "UnusedLicenseState"; readonly activity: "UNUSED"; readonly reason: string };

export interface RecentUse {
  readonly since: number;
  readonly days: number;
}

export type AssessLicense = ReturnType<typeof licenseAssessor>;

export function licenseAssessor(
  synced: SyncedData,
  directory: Directory,
  usage: UsageIndex,
  recent: RecentUse,
) {
  const scopesByPlan = new Map<string, PlanScopes>();
  return ({ sourceAccountId, sourcePlanId }: GenericLicenseDetails) => {
    const scopes = getOrAdd(scopesByPlan, sourcePlanId, () =>
      scopesOf(synced, sourcePlanId, synced.plans.get(sourcePlanId)),
    );
    const account = synced.accounts.get(sourceAccountId);
    const person = account && directory.holderOf(synced, account);
    const lastUse = usage.lastUse(synced, sourceAccountId, person, scopes);
    return {
      holder: account === undefined || person === undefined ? null : holderRow(account, person),
      state: stateOf(
        account?.active === false ? "The account is not active." : unusedReason(lastUse, recent),
      ),
    };
  };
}

function stateOf(unusedReason: string | undefined): LicenseStateRow {
  if (unusedReason === undefined) return { __typename: "UsedLicenseState", activity: "USED" };
  return { __typename: "UnusedLicenseState", activity: "UNUSED", reason: unusedReason };
}

function unusedReason(lastUse: number | undefined, { since, days }: RecentUse): string | undefined {
  if (lastUse === undefined) return "No use was ever seen.";
  if (lastUse >= since) return undefined;
  return `The last use was seen on ${calendarDateOf(lastUse)}, more than ${days} days ago.`;
}

function holderRow(account: GenericAccountDetails, person: Person) {
  const employee = typeof person === "string" ? undefined : person;
  return {
    name: employee?.name ?? nullIfBlank(account.name) ?? nullIfBlank(account.username),
    email: employee?.email ?? nullIfBlank(account.email),
    employeeId: employee?.id ?? null,
  };
}

export interface SeatPrice {
  readonly paid: Money;
  readonly free: Money;
}

interface PlanOfLicense {
  readonly id: string;
  readonly seatPrice: SeatPrice | undefined;
}

export class LicenseRow {
  readonly id: string;
  readonly isBillable: boolean;
  readonly #license: GenericLicenseDetails;
  readonly #assess: AssessLicense;
  #assessment: ReturnType<AssessLicense> | undefined;

  constructor(
    installation: SyncedInstallation,
    license: GenericLicenseDetails,
    readonly plan: PlanOfLicense | null,
    assess: AssessLicense,
  ) {
    this.id = `${installation.id}:${license.sourceId}`;
    this.isBillable = license.billable === true;
    this.#license = license;
    this.#assess = assess;
  }

  get isUsed(): boolean {
    return this.state.activity === "USED";
  }

  get state(): LicenseStateRow {
    return this.#assessed.state;
  }

  get holder() {
    return this.#assessed.holder;
  }

  /** A license that is not billable costs nothing. */
  get annualPrice(): Money | null {
    return this.#seat(this.isBillable);
  }

  /** Only a billable license that is not used can be saved. */
  get potentialSaving(): Money | null {
    return this.#seat(this.isBillable && !this.isUsed);
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    return (isPaid ? price?.paid : price?.free) ?? null;
  }

  get #assessed() {
    this.#assessment ??= this.#assess(this.#license);
    return this.#assessment;
  }
}
