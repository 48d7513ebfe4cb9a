import Big from "big.js";
import { calendarDateOf } from "../../values.js";
import type { Account, License } from "./synced.js";
import type { Usage } from "./usage.js";

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

/** What licenses need to know about their plan. */
export interface LicensedPlan {
  readonly id: string;
  readonly seatPrice: Money | undefined;
}

/** The time from which a use counts as recent. */
export interface RecentUse {
  readonly since: number;
  readonly days: number;
}

const FREE = new Big(0);
const USED = { __typename: "UsedLicenseState", activity: "USED" } as const;

function unused(reason: () => string) {
  // The reason is a function, so it's created only if the caller asks for it.
  return { __typename: "UnusedLicenseState", activity: "UNUSED", reason } as const;
}

const INACTIVE = unused(() => "The account is not active.");
const NEVER_USED = unused(() => "No use was ever seen.");

type LicenseState = typeof USED | ReturnType<typeof unused>;

/** A license. Computes expensive fields only when a caller asks for them. */
export class LicenseRow {
  readonly id: string;
  readonly isBillable: boolean;
  readonly #license: License;
  readonly #account: Account | undefined;
  readonly #usage: Usage;
  readonly #recent: RecentUse;
  #state: LicenseState | undefined;

  /** @param plan null if its record is missing */
  constructor(
    usage: Usage,
    license: License,
    readonly plan: LicensedPlan | null,
    recent: RecentUse,
  ) {
    this.id = `${usage.synced.installation.id}:${license.id}`;
    this.isBillable = license.billable;
    this.#license = license;
    this.#account = usage.synced.accounts().get(license.accountId);
    this.#usage = usage;
    this.#recent = recent;
  }

  get isUsed(): boolean {
    return this.state === USED;
  }

  get state(): LicenseState {
    this.#state ??= this.#assess();
    return this.#state;
  }

  get holder() {
    const account = this.#account;
    if (account === undefined) return null;
    const employee = this.#usage.employeeOf(account);
    const { name, email } = account;
    const employeeId = employee?.id ?? null;
    return { name: employee?.name ?? name, email: employee?.email ?? email, employeeId };
  }

  /** A license that is not billable costs nothing. */
  get annualPrice(): Money | null {
    return this.#seat(this.isBillable);
  }

  /** Only an unused, billable license can save money. */
  get potentialSaving(): Money | null {
    return this.#seat(this.isBillable && !this.isUsed);
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    if (price === undefined) return null;
    return isPaid ? price : { ...price, amount: FREE };
  }

  #assess(): LicenseState {
    if (this.#account?.active === false) return INACTIVE;
    const last = this.#usage.lastUse(this.#license.accountId, this.#license.planId);
    if (last === undefined) return NEVER_USED;
    if (last >= this.#recent.since) return USED;
    const { days } = this.#recent;
    return unused(() => `The last use was seen on ${calendarDateOf(last)}, more than ${days} days ago.`);
  }
}
