import type Big from "big.js";
import type { GenericAccountDetails, GenericLicenseDetails } from "../../../sync/generated/contract.js";
import { calendarDateOf, nullIfBlank } from "../../values.js";
import type { Directory, Person } from "./directory.js";
import { employeeDetails, type SyncedData } from "./synced.js";
import type { UsageIndex } from "./usage.js";

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

export interface RecentUse {
  readonly since: number;
  readonly days: number;
}

const USED = { __typename: "UsedLicenseState", activity: "USED" } as const;

class Unused {
  readonly __typename = "UnusedLicenseState";
  readonly activity = "UNUSED";
  /** A function: created only if the caller asks for it. */
  readonly reason: () => string;

  constructor(reason: () => string) {
    this.reason = reason;
  }
}

const INACTIVE = new Unused(() => "The account is not active.");
const NEVER_USED = new Unused(() => "No use was ever seen.");

type LicenseState = typeof USED | Unused;

function holderRow(account: GenericAccountDetails, person: Person) {
  const employee = typeof person === "string" ? undefined : employeeDetails(person);
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

/** What the licenses of a plan have in common. */
export interface LicensedPlan {
  readonly synced: SyncedData;
  readonly directory: Directory;
  readonly recent: RecentUse;
  readonly lastUse: ReturnType<UsageIndex["lastUseOf"]>;
  /** Null if its record is missing. */
  row: { readonly id: string; readonly seatPrice: SeatPrice | undefined } | null;
}

/** A license. What is expensive is found when a caller asks for it. */
export class LicenseRow {
  readonly id: string;
  readonly license: GenericLicenseDetails;
  readonly #plan: LicensedPlan;
  #state: LicenseState | undefined;
  #holder: ReturnType<typeof holderRow> | null | undefined;

  constructor(license: GenericLicenseDetails, plan: LicensedPlan) {
    this.id = `${plan.synced.installation.id}:${license.sourceId}`;
    this.license = license;
    this.#plan = plan;
  }

  get plan(): LicensedPlan["row"] {
    return this.#plan.row;
  }

  get isBillable(): boolean {
    return this.license.billable === true;
  }

  get isUsed(): boolean {
    return this.state === USED;
  }

  get state(): LicenseState {
    this.#state ??= this.#assess();
    return this.#state;
  }

  get holder(): ReturnType<typeof holderRow> | null {
    if (this.#holder === undefined) {
      const { directory, synced } = this.#plan;
      const account = this.#account;
      this.#holder = account === undefined ? null : holderRow(account, directory.holderOf(synced, account));
    }
    return this.#holder;
  }

  /** A license that is not billable costs nothing. */
  get annualPrice(): Money | null {
    return this.#seat(this.isBillable);
  }

  /** Only a billable license that is not used can be saved. */
  get potentialSaving(): Money | null {
    return this.#seat(this.isBillable && !this.isUsed);
  }

  get #account(): GenericAccountDetails | undefined {
    return this.#plan.synced.account(this.license.sourceAccountId);
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    return (isPaid ? price?.paid : price?.free) ?? null;
  }

  #assess(): LicenseState {
    const account = this.#account;
    if (account?.active === false) return INACTIVE;
    const { since, days } = this.#plan.recent;
    const last = this.#plan.lastUse(this.license.sourceAccountId, account);
    if (last === undefined) return NEVER_USED;
    if (last >= since) return USED;
    return new Unused(() => `The last use was seen on ${calendarDateOf(last)}, more than ${days} days ago.`);
  }
}
