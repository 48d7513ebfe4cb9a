import Big from "big.js";
import type { PlanContract, PlanMatch, PlanPrice, Portfolio } from "../../portfolio.js";
import { getOrAdd, lazy } from "../../values.js";
import type { SyncedInstallation } from "../../workspace.js";
import type { IdentifiedRow } from "../connection/filter.js";
import { type Foundation, type LicensedPlan, LicenseRow, type SeatPrice } from "./licenses.js";
import type { Plan, SyncedData } from "./synced.js";

/** The licenses of an installation, and its plans with those that are of them. */
export function licensingOf(
  synced: SyncedData,
  { planPrices = [], contracts = [] }: Portfolio,
  foundation: Foundation,
): { readonly licenses: readonly LicenseRow[]; readonly plans: readonly IdentifiedRow[] } {
  const { installation } = synced;
  const known = new Map<string, LicensedPlan>();
  const licensed = (id: string) =>
    getOrAdd(known, id, (): LicensedPlan => {
      return { uses: foundation.usage.usesOf(synced, id), row: null, licenses: [] };
    });
  const plans = synced.plans.map((plan) => {
    const match = {
      planName: plan.externalPlanName,
      integrationName: installation.integration.name,
      sourcePlanId: plan.id,
    };
    const price = bestMatch(planPrices, match);
    const entry = licensed(plan.id);
    const contract = bestMatch(contracts, match);
    const row = licensePlanRow(installation, plan, entry.licenses, price && seatPriceOf(price), contract);
    entry.row = row;
    return row;
  });
  const licenses = synced
    .licenses()
    .map((license) => new LicenseRow(synced, license, licensed(license.sourcePlanId), foundation));
  return { licenses, plans };
}

/** The entry with most fields among those that agree with the plan. */
function bestMatch<T extends PlanMatch>(entries: readonly T[], plan: Required<PlanMatch>): T | undefined {
  const matches = entries.filter(
    ({ planName, integrationName, sourcePlanId }) =>
      planName === plan.planName &&
      (integrationName ?? plan.integrationName) === plan.integrationName &&
      (sourcePlanId ?? plan.sourcePlanId) === plan.sourcePlanId,
  );
  return matches.sort((a, b) => fieldCount(b) - fieldCount(a))[0];
}

function fieldCount({ integrationName, sourcePlanId }: PlanMatch): number {
  return Number(integrationName !== undefined) + Number(sourcePlanId !== undefined);
}

function seatPriceOf({ annualPricePerSeat, currency }: PlanPrice): SeatPrice {
  return { paid: { amount: new Big(annualPricePerSeat), currency }, free: { amount: new Big(0), currency } };
}

function licensePlanRow(
  { id, integration }: SyncedInstallation,
  plan: Plan,
  licenses: readonly LicenseRow[],
  seatPrice: SeatPrice | undefined,
  contract: PlanContract | undefined,
) {
  const seats = lazy(() => countSeats(plan, licenses));
  return {
    id: `${id}:${plan.id}`,
    name: plan.externalPlanName,
    integration,
    seatPrice,
    contractDetails: contract === undefined ? null : contractDetails(contract),
    get usageStats() {
      const { total, inUse, unused } = seats();
      return { total, inUse: { total: inUse }, unused: { total: unused } };
    },
    get pricingStats() {
      return seatPrice === undefined ? null : pricingStats(seatPrice, seats());
    },
  };
}

function contractDetails({ type, renewal }: PlanContract) {
  return {
    type: type ?? null,
    renewal: renewal === undefined ? null : { upcomingDate: null, terminationPeriod: null, ...renewal },
  };
}

function pricingStats({ paid: { amount: perSeat, currency } }: SeatPrice, seats: Seats) {
  const annualCost = perSeat.times(seats.paid);
  const amount = perSeat.times(seats.paidUnused);
  const percentage = annualCost.eq(0) ? null : amount.times(100).div(annualCost).round(2);
  return { annualCost, currency, potentialSaving: { amount, percentage } };
}

type Seats = ReturnType<typeof countSeats>;

function countSeats(plan: Plan, licenses: readonly LicenseRow[]) {
  const { paidSeats, consumedSeats = 0 } = plan;
  // Without synced assignments the source's own count is all there is.
  const isAssigned = licenses.length > 0;
  const billable = licenses.filter(({ isBillable }) => isBillable);
  const taken = isAssigned ? licenses.length : consumedSeats;
  const inUse = isAssigned ? licenses.filter(({ isUsed }) => isUsed).length : consumedSeats;
  const paidTaken = isAssigned ? billable.length : consumedSeats;
  const total = paidSeats ?? taken;
  const paid = paidSeats ?? paidTaken;
  // A paid seat that is assigned to nobody is as unused as one whose holder does not use it.
  const unused = taken - inUse + Math.max(0, total - taken);
  const billableUnused = billable.filter(({ isUsed }) => !isUsed).length;
  const paidUnused = Math.min(paid, billableUnused + Math.max(0, paid - paidTaken));
  return { total, inUse, unused, paid, paidUnused };
}
