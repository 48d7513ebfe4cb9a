import type Big from "big.js";
import type { GenericPlanDetails } from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import type { PlanContract } from "../../portfolio.js";
import type { SyncedInstallation } from "../../workspace.js";
import type { SeatPrice } from "./seat-price.js";
import { countSeats, type SeatHolder, type Seats } from "./seats.js";

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

type UsageStatsRow = {
  readonly total: number;
  readonly inUse: { readonly total: number };
  readonly unused: { readonly total: number };
};

/** A license plan, as the schema shows it. Its seats are counted when they are asked for first. */
export class LicensePlanRow {
  readonly id: string;
  readonly name: string;
  readonly integration: SyncedInstallation["integration"];
  readonly contractDetails: ContractDetailsRow | null;
  readonly #plan: GenericPlanDetails;
  readonly #licenses: readonly SeatHolder[];
  #counted: Seats | undefined;

  /**
   * @param licenses those of the plan.
   * @param seatPrice undefined where it is not known.
   */
  constructor(
    installation: SyncedInstallation,
    plan: GenericPlanDetails,
    licenses: readonly SeatHolder[],
    readonly seatPrice: SeatPrice | undefined,
    contract: PlanContract | undefined,
  ) {
    this.id = `${installation.id}:${plan.id}`;
    this.name = plan.externalPlanName;
    this.integration = installation.integration;
    this.contractDetails = contract === undefined ? null : contractDetails(contract);
    this.#plan = plan;
    this.#licenses = licenses;
  }

  get usageStats(): UsageStatsRow {
    const { total, inUse, unused } = this.#seats;
    return { total, inUse: { total: inUse }, unused: { total: unused } };
  }

  get pricingStats(): PricingStatsRow | null {
    return this.seatPrice === undefined ? null : pricingStats(this.seatPrice, this.#seats);
  }

  get #seats(): Seats {
    this.#counted ??= countSeats(this.#plan, this.#licenses);
    return this.#counted;
  }
}

function pricingStats({ paid: { amount: perSeat, currency } }: SeatPrice, seats: Seats): PricingStatsRow {
  const annualCost = perSeat.times(seats.paid);
  const amount = perSeat.times(seats.paidUnused);
  const percentage = annualCost.eq(0) ? null : amount.times(100).div(annualCost).round(2);
  return { annualCost, currency, potentialSaving: { amount, percentage } };
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
