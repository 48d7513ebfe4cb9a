import Big from "big.js";
import type { GenericPlanDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { PlanContract, PlanPrice } from "../../portfolio.js";
import type { Digest } from "./digest.js";

/** An amount, as the schema shows it. */
export type Money = { readonly amount: Big; readonly currency: string };

/** A license plan, as the schema shows it. */
export type LicensePlanRow = {
  readonly id: string;
  readonly name: string;
  readonly integration: { readonly id: string; readonly name: string };
  readonly contractDetails: ContractDetailsRow | null;
  readonly pricingStats: PricingStatsRow | null;
  readonly usageStats: {
    readonly total: number;
    readonly inUse: { readonly total: number };
    readonly unused: { readonly total: number };
  };
};

type ContractDetailsRow = {
  readonly type: string | null;
  readonly renewal: {
    readonly upcomingDate: { readonly value: string; readonly origin: string } | null;
    readonly terminationPeriod: { readonly value: number; readonly origin: string } | null;
  } | null;
};

type PricingStatsRow = {
  readonly annualCost: Big;
  readonly currency: string;
  readonly potentialSaving: { readonly amount: Big; readonly percentage: Big | null };
};

/** How many licenses of a plan there are. */
export interface LicenseCounts {
  all: number;
  used: number;
  /** Licenses that consume a paid seat. */
  billable: number;
  /** Those of them that are not used. */
  billableUnused: number;
}

export function licensePlanRow(
  digest: Digest,
  plan: GenericPlanDetails,
  counts: LicenseCounts,
  price: PlanPrice | undefined,
  contract: PlanContract | undefined,
): LicensePlanRow {
  const { paidSeats, consumedSeats = 0 } = plan.details?.seatBased ?? {};
  // Where no assignment was synced, the source's own count is all there is to go by.
  const isAssigned = counts.all > 0;
  const taken = isAssigned ? counts.all : consumedSeats;
  const inUse = isAssigned ? counts.used : consumedSeats;
  const paidTaken = isAssigned ? counts.billable : consumedSeats;
  const total = paidSeats ?? taken;
  const paid = paidSeats ?? paidTaken;
  // A seat that is paid for and assigned to nobody is as unused as one whose holder does not use it.
  const unused = taken - inUse + Math.max(0, total - taken);
  const paidUnused = Math.min(paid, counts.billableUnused + Math.max(0, paid - paidTaken));
  return {
    id: `${digest.installation.id}:${plan.id}`,
    name: plan.externalPlanName,
    integration: digest.installation.integration,
    contractDetails: contract === undefined ? null : contractDetails(contract),
    pricingStats: price === undefined ? null : pricingStats(price, paid, paidUnused),
    usageStats: { total, inUse: { total: inUse }, unused: { total: unused } },
  };
}

function pricingStats(price: PlanPrice, seats: number, unusedSeats: number): PricingStatsRow {
  const perSeat = new Big(price.annualPricePerSeat);
  const annualCost = perSeat.times(seats);
  const amount = perSeat.times(unusedSeats);
  const percentage = annualCost.eq(0) ? null : amount.times(100).div(annualCost).round(2);
  return { annualCost, currency: price.currency, potentialSaving: { amount, percentage } };
}

function contractDetails({ type, renewal }: PlanContract): ContractDetailsRow {
  return {
    type: type ?? null,
    renewal:
      renewal === undefined
        ? null
        : {
            upcomingDate: renewal.upcomingDate ?? null,
            terminationPeriod: renewal.terminationPeriod ?? null,
          },
  };
}
