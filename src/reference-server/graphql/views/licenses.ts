import type Big from "big.js";
import { calendarDateOf, nullIfBlank } from "../../values.js";
import type { Account, License, SyncedData } from "./synced.js";
import type { Directory, Person } from "./usage.js";
import { lastUse, type PlanUses, type UsageIndex } from "./usage.js";

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

export interface RecentUse {
  readonly since: number;
  readonly days: number;
}

const USED = { __typename: "UsedLicenseState", activity: "USED" } as const;

function unused(reason: () => string) {
  // The reason is a function: created only if the caller asks for it.
  return { __typename: "UnusedLicenseState", activity: "UNUSED", reason } as const;
}

const INACTIVE = unused(() => "The account is not active.");
const NEVER_USED = unused(() => "No use was ever seen.");

type LicenseState = typeof USED | ReturnType<typeof unused>;

function holderRow(account: Account, person: Person) {
  const employee = typeof person === "string" ? undefined : person;
  return {
    name: employee?.name ?? nullIfBlank(account.name) ?? nullIfBlank(account.username),
    email: nullIfBlank(employee?.email) ?? nullIfBlank(account.email),
    employeeId: employee?.id ?? null,
  };
}

export interface SeatPrice {
  readonly paid: Money;
  readonly free: Money;
}

/** What rows are made of besides licenses and plans. */
export interface Foundation {
  readonly directory: Directory;
  readonly recent: RecentUse;
  readonly usage: UsageIndex;
}

/** What the licenses of a plan have in common. */
export interface LicensedPlan {
  readonly uses: PlanUses;
  /** Null if its record is missing. */
  row: { readonly id: string; readonly seatPrice: SeatPrice | undefined } | null;
  readonly licenses: LicenseRow[];
}

/** A license. What is expensive is found when a caller asks for it. */
export class LicenseRow {
  readonly id: string;
  readonly isBillable: boolean;
  readonly #license: License;
  readonly #plan: LicensedPlan;
  readonly #foundation: Foundation;
  readonly #account: Account | undefined;
  readonly #synced: SyncedData;
  #state: LicenseState | undefined;

  constructor(synced: SyncedData, license: License, plan: LicensedPlan, foundation: Foundation) {
    this.id = `${synced.installation.id}:${license.sourceId}`;
    this.isBillable = license.billable === true;
    this.#synced = synced;
    this.#license = license;
    this.#plan = plan;
    this.#foundation = foundation;
    this.#account = synced.account(license.sourceAccountId);
    plan.licenses.push(this);
  }

  get plan(): LicensedPlan["row"] {
    return this.#plan.row;
  }

  get isUsed(): boolean {
    return this.state === USED;
  }

  get state(): LicenseState {
    this.#state ??= this.#assess();
    return this.#state;
  }

  get holder(): ReturnType<typeof holderRow> | null {
    const person = this.#person();
    return person === undefined || this.#account === undefined ? null : holderRow(this.#account, person);
  }

  /** A license that is not billable costs nothing. */
  get annualPrice(): Money | null {
    return this.#seat(this.isBillable);
  }

  /** Only a billable license that is not used can be saved. */
  get potentialSaving(): Money | null {
    return this.#seat(this.isBillable && !this.isUsed);
  }

  #person(): Person | undefined {
    return this.#account && this.#foundation.directory.holderOf(this.#synced, this.#account);
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    return (isPaid ? price?.paid : price?.free) ?? null;
  }

  #assess(): LicenseState {
    if (this.#account?.active === false) return INACTIVE;
    const { since, days } = this.#foundation.recent;
    const last = lastUse(this.#plan.uses, this.#license.sourceAccountId, () => this.#person());
    if (last === undefined) return NEVER_USED;
    if (last >= since) return USED;
    return unused(() => `The last use was seen on ${calendarDateOf(last)}, more than ${days} days ago.`);
  }
}
