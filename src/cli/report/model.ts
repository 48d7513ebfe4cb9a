import Big from "big.js";
import type { GraphQLClient } from "../../graphql/client.js";
import type { License } from "../../graphql/generated/operations.js";
import { calendarDate } from "../../graphql/request/variables.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Unused licenses that belong together. */
interface Unused {
  readonly name: string;
  /** The integration of a plan, the e-mail address of a holder. */
  readonly detail: string;
  readonly licenses: number;
  /** What could be saved a year, by currency, as decimal strings. */
  readonly savings: Readonly<Record<string, string>>;
}

export interface UnusedPlan extends Unused {
  readonly holders: readonly Unused[];
}

export interface Renewal {
  /** YYYY-MM-DD */
  readonly date: string;
  /** The last day on which the contract can be terminated; null if that is not known. */
  readonly terminateBy: string | null;
  readonly plan: string;
  readonly integration: string;
  readonly contract: string;
  readonly annualCost: number | null;
  readonly currency: string | null;
  readonly unusedSeats: number;
}

/** What a workspace could save, and which contracts renew soon. */
export interface Report {
  /** The day of the report, as YYYY-MM-DD. */
  readonly day: string;
  readonly days: number;
  readonly unusedLicenses: number;
  readonly savings: Readonly<Record<string, string>>;
  readonly plans: readonly UnusedPlan[];
  readonly renewals: readonly Renewal[];
}

/** Reads the unused licenses, one after the other, and the plans whose contracts renew within so many days. */
export async function readReport(
  client: GraphQLClient,
  { now, days, signal }: { readonly now: number; readonly days: number; readonly signal: AbortSignal },
): Promise<Report> {
  const all = new Sum("", "");
  const where = { state: { activity: { eq: "UNUSED" } } } as const;
  for await (const license of client.licenses({ where, signal })) {
    const { plan, holder } = license;
    all.add(license);
    const ofPlan = all.part(plan?.id, plan?.name ?? "(unknown plan)", plan?.integration?.name);
    ofPlan.add(license);
    const person = holder?.employeeId ?? holder?.email ?? holder?.name;
    ofPlan.part(person, holder?.name ?? "(nobody)", holder?.email).add(license);
  }
  const { licenses, savings } = all.unused;
  return {
    day: calendarDate(new Date(now)),
    days,
    unusedLicenses: licenses,
    savings,
    plans: all.parts.map((plan) => ({ ...plan.unused, holders: plan.parts.map(({ unused }) => unused) })),
    renewals: await readRenewals(client, now, days, signal),
  };
}

class Sum {
  #licenses = 0;
  readonly #name: string;
  readonly #detail: string;
  readonly #savings = new Map<string, Big>();
  readonly #parts = new Map<string, Sum>();

  constructor(name: string, detail: string) {
    this.#name = name;
    this.#detail = detail;
  }

  add({ potentialSaving }: License): void {
    this.#licenses += 1;
    if (potentialSaving === null) return;
    const { amount, currency } = potentialSaving;
    this.#savings.set(currency, (this.#savings.get(currency) ?? new Big(0)).plus(amount));
  }

  part(key: string | null | undefined, name: string, detail: string | null | undefined): Sum {
    const part = this.#parts.get(key ?? "") ?? new Sum(name, detail ?? "");
    this.#parts.set(key ?? "", part);
    return part;
  }

  get unused(): Unused {
    const savings = [...this.#savings].map(([currency, sum]) => [currency, sum.toFixed(2)] as const);
    return {
      name: this.#name,
      detail: this.#detail,
      licenses: this.#licenses,
      savings: Object.fromEntries(savings.sort()),
    };
  }

  /** By the largest saving in any currency: currencies are not converted. */
  get parts(): readonly Sum[] {
    const largest = (sum: Sum) => Math.max(0, ...[...sum.#savings.values()].map(Number));
    return [...this.#parts.values()].sort(
      (a, b) => largest(b) - largest(a) || b.#licenses - a.#licenses || a.#name.localeCompare(b.#name),
    );
  }
}

async function readRenewals(client: GraphQLClient, now: number, days: number, signal: AbortSignal) {
  const value = { gte: calendarDate(new Date(now)), lte: calendarDate(new Date(now + days * DAY_MS)) };
  const plans = client.licensePlans({
    where: { contractDetails: { renewal: { upcomingDate: { value } } } },
    order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } },
    signal,
  });
  const renewals: Renewal[] = [];
  for await (const { name, integration, contractDetails, pricingStats, usageStats } of plans) {
    const date = contractDetails?.renewal?.upcomingDate?.value;
    if (date == null) continue;
    const notice = contractDetails?.renewal?.terminationPeriod?.value;
    renewals.push({
      date,
      terminateBy: notice == null ? null : calendarDate(new Date(Date.parse(date) - notice * DAY_MS)),
      plan: name,
      integration: integration?.name ?? "",
      contract: contractDetails?.type ?? "",
      annualCost: pricingStats?.annualCost ?? null,
      currency: pricingStats?.currency ?? null,
      unusedSeats: usageStats.unused.total,
    });
  }
  return renewals;
}

/** `1234.5` is `EUR 1,234.50`. */
export function money(amount: string | number, currency: string): string {
  const [whole = "", cents = ""] = Number(amount).toFixed(2).split(".");
  return `${currency} ${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`.trim();
}

export function moneyOf(savings: Readonly<Record<string, string>>): string {
  return Object.entries(savings)
    .map(([currency, amount]) => money(amount, currency))
    .join(", ");
}

export function costOf({ annualCost, currency }: Renewal): string {
  return annualCost === null ? "" : money(annualCost, currency ?? "");
}
