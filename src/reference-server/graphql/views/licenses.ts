import Big from "big.js";
import type { PlanContract, PlanMatch, Portfolio } from "../../portfolio.js";
import { calendarDateOf, lazy } from "../../values.js";
import type { License, Plan, SyncedData } from "./synced.js";
import type { Usage } from "./usage.js";

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

/** The time from which a use counts as recent. */
export interface RecentUse {
  readonly since: number;
  readonly days: number;
}

/** The licenses and the plans of an installation. */
export function licensingOf(usage: Usage, { planPrices = [], contracts = [] }: Portfolio, recent: RecentUse) {
  const { synced } = usage;
  const plans = new Map<string, ReturnType<typeof planRow>>();
  for (const [id, plan] of synced.plans) {
    const match = {
      planName: plan.name,
      integrationName: synced.installation.integration.name,
      sourcePlanId: id,
    };
    const price = bestMatch(planPrices, match);
    const seatPrice = price && { amount: new Big(price.annualPricePerSeat), currency: price.currency };
    plans.set(id, planRow(synced, plan, seatPrice, bestMatch(contracts, match)));
  }
  const licenses = synced.licenses().map((license) => {
    const plan = plans.get(license.planId) ?? null;
    const row = new LicenseRow(usage, license, plan, recent);
    plan?.licenses.push(row);
    return row;
  });
  return { licenses, plans: [...plans.values()] };
}

/** The most specific entry that matches the plan. */
function bestMatch<T extends PlanMatch>(entries: readonly T[], plan: Required<PlanMatch>): T | undefined {
  const fieldCount = ({ integrationName, sourcePlanId }: T) =>
    Number(integrationName !== undefined) + Number(sourcePlanId !== undefined);
  return entries
    .filter((entry) => {
      const { planName, integrationName, sourcePlanId } = { ...plan, ...entry };
      return (
        planName === plan.planName &&
        integrationName === plan.integrationName &&
        sourcePlanId === plan.sourcePlanId
      );
    })
    .sort((a, b) => fieldCount(b) - fieldCount(a))[0];
}

function planRow(
  { installation: { id, integration } }: SyncedData,
  plan: Plan,
  seatPrice: Money | undefined,
  contract: PlanContract | undefined,
) {
  const licenses: LicenseRow[] = [];
  const seats = lazy(() => countSeats(plan, licenses));
  return {
    id: `${id}:${plan.id}`,
    name: plan.name,
    integration,
    licenses,
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

function pricingStats({ amount: perSeat, currency }: Money, { paid, paidUnused }: Seats) {
  const [annualCost, amount] = [perSeat.times(paid), perSeat.times(paidUnused)];
  const percentage = annualCost.eq(0) ? null : amount.times(100).div(annualCost).round(2);
  return { annualCost, currency, potentialSaving: { amount, percentage } };
}

type Seats = ReturnType<typeof countSeats>;

function countSeats({ paidSeats, consumedSeats }: Plan, licenses: readonly LicenseRow[]) {
  // Without synced assignments, only the source's own count is available.
  const countOf = (held: readonly LicenseRow[]) => (licenses.length > 0 ? held.length : consumedSeats);
  const billable = licenses.filter(({ isBillable }) => isBillable);
  const taken = countOf(licenses);
  const inUse = countOf(licenses.filter(({ isUsed }) => isUsed));
  const paidTaken = countOf(billable);
  const total = paidSeats ?? taken;
  const paid = paidSeats ?? paidTaken;
  // A paid seat without a holder is just as unused as one whose holder doesn't use it.
  const unused = taken - inUse + Math.max(0, total - taken);
  const billableUnused = billable.filter(({ isUsed }) => !isUsed).length;
  const paidUnused = Math.min(paid, billableUnused + Math.max(0, paid - paidTaken));
  return { total, inUse, unused, paid, paidUnused };
}

const FREE = new Big(0);
const USED = { __typename: "UsedLicenseState", activity: "USED" } as const;

/** @param reason a function, so that the text is made only if a caller asks for it */
function unused(reason: () => string) {
  return { __typename: "UnusedLicenseState", activity: "UNUSED", reason } as const;
}

const INACTIVE = unused(() => "The account is not active.");
const NEVER_USED = unused(() => "No use was ever seen.");

/** A license. It's a class, so that a workspace's million licenses share the code of the getters. */
export class LicenseRow {
  readonly id: string;
  readonly isBillable: boolean;
  readonly #usage: Usage;
  readonly #license: License;
  readonly #recent: RecentUse;
  #state: typeof USED | ReturnType<typeof unused> | undefined;

  /** @param plan null if the plan's record is missing */
  constructor(
    usage: Usage,
    license: License,
    readonly plan: ReturnType<typeof planRow> | null,
    recent: RecentUse,
  ) {
    this.id = `${usage.synced.installation.id}:${license.id}`;
    this.isBillable = license.billable;
    this.#usage = usage;
    this.#license = license;
    this.#recent = recent;
  }

  get isUsed(): boolean {
    return this.state === USED;
  }

  get state(): typeof USED | ReturnType<typeof unused> {
    this.#state ??= this.#assess();
    return this.#state;
  }

  get holder() {
    const account = this.#account;
    if (account === undefined) return null;
    const employee = this.#usage.employeeOf(account);
    const [name, email] = [employee?.name ?? account.name, employee?.email ?? account.email];
    return { name, email, employeeId: employee?.id ?? null };
  }

  /** A license that is not billable costs nothing. */
  get annualPrice(): Money | null {
    return this.#seat(this.isBillable);
  }

  /** Only an unused, billable license can save money. */
  get potentialSaving(): Money | null {
    return this.#seat(this.isBillable && !this.isUsed);
  }

  get #account() {
    return this.#usage.synced.accounts().get(this.#license.accountId);
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    if (price === undefined) return null;
    return isPaid ? price : { ...price, amount: FREE };
  }

  #assess() {
    if (this.#account?.active === false) return INACTIVE;
    const last = this.#usage.lastUse(this.#license.accountId, this.#license.planId);
    if (last === undefined) return NEVER_USED;
    if (last >= this.#recent.since) return USED;
    const { days } = this.#recent;
    return unused(() => `The last use was seen on ${calendarDateOf(last)}, more than ${days} days ago.`);
  }
}
