import type Big from "big.js";
import { calendarDateOf, nullIfBlank } from "../../values.js";
import type { Directory, Person } from "./directory.js";
import { type Account, accountIn, type License, type RecordSlot, type SyncedData } from "./synced.js";
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

/** What rows are made of besides licenses and plans: another one after each change. */
export interface Foundation {
  readonly directory: Directory;
  readonly recent: RecentUse;
  readonly usage: () => UsageIndex;
}

/** What the licenses of a plan have in common. */
export interface LicensedPlan {
  foundation: Foundation;
  /** The same until other uses count. */
  uses: PlanUses;
  /** Null if its record is missing. */
  row: { readonly id: string; readonly seatPrice: SeatPrice | undefined } | null;
  licenses: LicenseRow[];
}

/** A license. What is expensive is found when a caller asks for it, and kept while what it is made of is the same. */
export class LicenseRow {
  readonly id: string;
  readonly #synced: SyncedData;
  #license: License;
  #plan: LicensedPlan;
  #foundation: Foundation | undefined;
  #slot: RecordSlot | undefined;
  #account: Account | undefined;
  #state: LicenseState | undefined;
  #uses: PlanUses | undefined;
  #person: Person | undefined;
  #holder: ReturnType<typeof holderRow> | null | undefined;

  constructor(synced: SyncedData, license: License, plan: LicensedPlan) {
    this.id = `${synced.installation.id}:${license.sourceId}`;
    this.#synced = synced;
    this.#license = license;
    this.#plan = plan;
  }

  get license(): License {
    return this.#license;
  }

  /** Replaces the record of the row with the one that was sent again. */
  update(license: License, plan: LicensedPlan): void {
    this.#license = license;
    this.#plan = plan;
    this.#slot = undefined;
    this.#foundation = undefined;
  }

  addToPlan(): void {
    this.#plan.licenses.push(this);
  }

  get plan(): LicensedPlan["row"] {
    return this.#plan.row;
  }

  get isBillable(): boolean {
    return this.#license.billable === true;
  }

  get isUsed(): boolean {
    return this.state === USED;
  }

  get state(): LicenseState {
    this.#settle();
    this.#state ??= this.#assess();
    return this.#state;
  }

  get holder(): ReturnType<typeof holderRow> | null {
    this.#settle();
    if (this.#holder === undefined) {
      const person = this.#personOf();
      this.#holder =
        person === undefined || this.#account === undefined ? null : holderRow(this.#account, person);
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

  /** Forgets what a change of the foundation has outdated. */
  #settle(): void {
    const { foundation, uses } = this.#plan;
    const known = this.#foundation;
    if (foundation === known) return;
    this.#slot ??= this.#synced.accountSlot(this.#license.sourceAccountId);
    const account = accountIn(this.#slot);
    const isSame = account === this.#account;
    if (!isSame || foundation.directory !== known?.directory) this.#person = this.#holder = undefined;
    if (!isSame || uses !== this.#uses || foundation.recent.since !== known?.recent.since)
      this.#state = undefined;
    this.#account = account;
    this.#uses = uses;
    this.#foundation = foundation;
  }

  #personOf(): Person | undefined {
    if (this.#account !== undefined)
      this.#person ??= this.#plan.foundation.directory.holderOf(this.#synced, this.#account);
    return this.#person;
  }

  #seat(isPaid: boolean): Money | null {
    const price = this.plan?.seatPrice;
    return (isPaid ? price?.paid : price?.free) ?? null;
  }

  #assess(): LicenseState {
    const account = this.#account;
    if (account?.active === false) return INACTIVE;
    const { foundation, uses } = this.#plan;
    const { since, days } = foundation.recent;
    const last = lastUse(uses, this.#license.sourceAccountId, () => this.#personOf());
    if (last === undefined) return NEVER_USED;
    if (last >= since) return USED;
    return unused(() => `The last use was seen on ${calendarDateOf(last)}, more than ${days} days ago.`);
  }
}
