import Big from "big.js";
import type { GraphQLClient } from "../../graphql/client.js";
import type { License } from "../../graphql/generated/operations.js";
import { calendarDate } from "../../graphql/request/variables.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a workspace could save, and which contracts renew soon. */
export type Report = Awaited<ReturnType<typeof readReport>>;
export type UnusedPlan = Report["plans"][number];
export type Renewal = Report["renewals"][number];

/** Reads the unused licenses, one after the other, and the plans whose contracts renew within so many days. */
export async function readReport(client: GraphQLClient, now: number, days: number, signal: AbortSignal) {
  const all = new Sum("", "");
  const where = { state: { activity: { eq: "UNUSED" } } } as const;
  for await (const license of client.licenses({ where, signal })) {
    const { plan, holder } = license;
    const ofPlan = all.part(plan?.id, plan?.name ?? "(unknown plan)", plan?.integration?.name);
    const person = holder?.employeeId ?? holder?.email ?? holder?.name;
    const ofHolder = ofPlan.part(person, holder?.name ?? "(nobody)", holder?.email);
    for (const sum of [all, ofPlan, ofHolder]) sum.add(license);
  }
  const { licenses: unusedLicenses, savings } = all.unused;
  const plans = all.parts.map((plan) => ({
    ...plan.unused,
    holders: plan.parts.map(({ unused }) => unused),
  }));
  const renewals = await readRenewals(client, now, days, signal);
  return { day: calendarDate(new Date(now)), days, unusedLicenses, savings, plans, renewals };
}

/** Unused licenses that belong together. */
class Sum {
  readonly #name: string;
  readonly #detail: string;
  readonly #savings = new Map<string, Big>();
  readonly #parts = new Map<string, Sum>();
  #licenses = 0;

  /** @param detail The integration of a plan, the e-mail address of a holder. */
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

  /** Possible savings a year, as a decimal string for each currency. */
  get unused() {
    const savings = [...this.#savings].map(([currency, sum]) => [currency, sum.toFixed(2)] as const);
    const byCurrency: Readonly<Record<string, string>> = Object.fromEntries(savings.sort());
    return { name: this.#name, detail: this.#detail, licenses: this.#licenses, savings: byCurrency };
  }

  /** By the largest saving in any currency: currencies are not converted. */
  get parts(): readonly Sum[] {
    const largest = (sum: Sum) => Math.max(0, ...[...sum.#savings.values()].map(Number));
    return [...this.#parts.values()].sort(
      (a, b) => largest(b) - largest(a) || b.#licenses - a.#licenses || a.#name.localeCompare(b.#name),
    );
  }
}

/** `terminateBy` is the last day on which the contract can be terminated; null if that is not known. */
async function readRenewals(client: GraphQLClient, now: number, days: number, signal: AbortSignal) {
  const value = { gte: calendarDate(new Date(now)), lte: calendarDate(new Date(now + days * DAY_MS)) };
  const where = { contractDetails: { renewal: { upcomingDate: { value } } } };
  const order = { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } } as const;
  const plans = await client.licensePlans({ where, order, signal }).toArray();
  return plans.flatMap(({ name: plan, integration, contractDetails, pricingStats, usageStats }) => {
    const { upcomingDate, terminationPeriod } = contractDetails?.renewal ?? {};
    const date = upcomingDate?.value;
    if (date == null) return [];
    const notice = terminationPeriod?.value;
    const terminateBy = notice == null ? null : calendarDate(new Date(Date.parse(date) - notice * DAY_MS));
    const { annualCost = null, currency = null } = pricingStats ?? {};
    const sold = { plan, integration: integration?.name ?? "", contract: contractDetails?.type ?? "" };
    return [{ date, terminateBy, ...sold, annualCost, currency, unusedSeats: usageStats.unused.total }];
  });
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
