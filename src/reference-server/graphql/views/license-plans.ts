import Big from "big.js";
import type { PlanContract, PlanMatch, PlanPrice, Portfolio } from "../../portfolio.js";
import { getOrAdd, lazy } from "../../values.js";
import { LicenseRow, type Money, type RecentUse } from "./licenses.js";
import type { Plan, SyncedData } from "./synced.js";
import type { Usage } from "./usage.js";

/** The licenses of an installation, and its plans with their licenses. */
export function licensingOf(usage: Usage, { planPrices = [], contracts = [] }: Portfolio, recent: RecentUse) {
  const { synced } = usage;
  const licensesOf = new Map<string, LicenseRow[]>();
  const licensesOfPlan = (planId: string) => getOrAdd(licensesOf, planId, () => []);
  const plans = new Map<string, ReturnType<typeof licensePlanRow>>();
  for (const plan of synced.plans.values()) {
    const { name: integrationName } = synced.installation.integration;
    const match = { planName: plan.name, integrationName, sourcePlanId: plan.id };
    const [price, contract] = [bestMatch(planPrices, match), bestMatch(contracts, match)];
    const row = licensePlanRow(synced, plan, licensesOfPlan(plan.id), price && seatPriceOf(price), contract);
    plans.set(plan.id, row);
  }
  const licenses = synced.licenses().map((license) => {
    const row = new LicenseRow(usage, license, plans.get(license.planId) ?? null, recent);
    licensesOfPlan(license.planId).push(row);
    return row;
  });
  return { licenses, plans: [...plans.values()] };
}

/** The most specific entry that matches the plan. */
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

function seatPriceOf({ annualPricePerSeat, currency }: PlanPrice): Money {
  return { amount: new Big(annualPricePerSeat), currency };
}

function licensePlanRow(
  { installation: { id, integration } }: SyncedData,
  plan: Plan,
  licenses: readonly LicenseRow[],
  seatPrice: Money | undefined,
  contract: PlanContract | undefined,
) {
  const seats = lazy(() => countSeats(plan, licenses));
  return {
    id: `${id}:${plan.id}`,
    name: plan.name,
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

function pricingStats({ amount: perSeat, currency }: Money, seats: Seats) {
  const annualCost = perSeat.times(seats.paid);
  const amount = perSeat.times(seats.paidUnused);
  const percentage = annualCost.eq(0) ? null : amount.times(100).div(annualCost).round(2);
  return { annualCost, currency, potentialSaving: { amount, percentage } };
}

type Seats = ReturnType<typeof countSeats>;

function countSeats(plan: Plan, licenses: readonly LicenseRow[]) {
  const { paidSeats, consumedSeats } = plan;
  // Without synced assignments, only the source's own count is available.
  const isAssigned = licenses.length > 0;
  const billable = licenses.filter(({ isBillable }) => isBillable);
  const taken = isAssigned ? licenses.length : consumedSeats;
  const inUse = isAssigned ? licenses.filter(({ isUsed }) => isUsed).length : consumedSeats;
  const paidTaken = isAssigned ? billable.length : consumedSeats;
  const total = paidSeats ?? taken;
  const paid = paidSeats ?? paidTaken;
  // A paid seat without a holder is just as unused as one whose holder doesn't use it.
  const unused = taken - inUse + Math.max(0, total - taken);
  const billableUnused = billable.filter(({ isUsed }) => !isUsed).length;
  const paidUnused = Math.min(paid, billableUnused + Math.max(0, paid - paidTaken));
  return { total, inUse, unused, paid, paidUnused };
}
