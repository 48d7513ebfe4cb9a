import type {
  GenericAccountDetails,
  GenericLicenseDetails,
} from "../../../sync/generated/saas_management/sync/v1/access_records.js";
import { calendarDateOf } from "../../calendar-date.js";
import type { Digest } from "./digest.js";
import { getOrAdd } from "./get-or-add.js";
import type { People, Person } from "./people.js";
import { filled } from "./text.js";
import { type PlanScopes, scopesOf, type UsageIndex } from "./usage-index.js";

/** Who holds a license, and whether it is used, as the schema shows it. */
export interface Assessment {
  readonly holder: HolderRow | null;
  readonly state: LicenseStateRow;
}

type LicenseStateRow =
  | { readonly __typename: "UsedLicenseState"; readonly activity: "USED" }
  | { readonly __typename: "UnusedLicenseState"; readonly activity: "UNUSED"; readonly reason: string };

type HolderRow = {
  readonly name: string | null;
  readonly email: string | null;
  readonly employeeId: string | null;
};

/** Which use counts as recent. */
export interface RecentUse {
  /** Use from then on, in milliseconds since the epoch. */
  readonly since: number;
  /** How many days ago that is. */
  readonly days: number;
}

const used: LicenseStateRow = { __typename: "UsedLicenseState", activity: "USED" };

/** Assesses the licenses of one installation, each by itself. */
export class LicenseAssessor {
  readonly #digest: Digest;
  readonly #people: People;
  readonly #usage: UsageIndex;
  readonly #recent: RecentUse;
  readonly #scopesByPlan = new Map<string, PlanScopes>();

  constructor(digest: Digest, people: People, usage: UsageIndex, recent: RecentUse) {
    this.#digest = digest;
    this.#people = people;
    this.#usage = usage;
    this.#recent = recent;
  }

  assess({ sourceAccountId, sourcePlanId }: GenericLicenseDetails): Assessment {
    const digest = this.#digest;
    const scopes = getOrAdd(this.#scopesByPlan, sourcePlanId, () =>
      scopesOf(digest, sourcePlanId, digest.plans.get(sourcePlanId)),
    );
    const account = digest.accounts.get(sourceAccountId);
    const person = account === undefined ? undefined : this.#people.ofAccount(digest, account);
    const lastUse = this.#usage.lastUse(digest, sourceAccountId, person, scopes);
    const reason =
      account?.active === false ? "The account is not active." : unusedReason(lastUse, this.#recent);
    return {
      holder: account === undefined || person === undefined ? null : holderRow(account, person),
      state: reason === undefined ? used : { __typename: "UnusedLicenseState", activity: "UNUSED", reason },
    };
  }
}

function unusedReason(lastUse: number | undefined, { since, days }: RecentUse): string | undefined {
  if (lastUse === undefined) return "No use was ever seen.";
  if (lastUse >= since) return undefined;
  return `The last use was seen on ${calendarDateOf(lastUse)}, more than ${days} days ago.`;
}

function holderRow(account: GenericAccountDetails, person: Person): HolderRow {
  const employee = typeof person === "string" ? undefined : person;
  return {
    name: employee?.name ?? filled(account.name) ?? filled(account.username),
    email: employee?.email ?? filled(account.email),
    employeeId: employee?.id ?? null,
  };
}
