import Big from "big.js";
import type { GraphQLClient } from "../../graphql/client.js";
import type { License } from "../../graphql/generated/operations.js";
import { calendarDate } from "../../graphql/request/variables.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a workspace could save, and which contracts renew soon. */
export type Report = Awaited<ReturnType<typeof readReport>>;
export type UnusedPlan = Report["plans"][number];
/** Possible savings a year, as a decimal string for each currency. */
type Savings = Readonly<Record<string, string>>;
export type Renewal = Report["renewals"][number];
/** Fields that a service's own schema may lack. */
type Holder = { readonly [field in "employeeId" | "email" | "name"]?: string | null };
type Terms = { readonly upcomingDate?: Valued<string>; readonly terminationPeriod?: Valued<number> };
type Valued<T> = { readonly value: T | null } | null;

/** Reads the unused licenses, and the plans whose contracts renew within `days` days. */
export async function readReport(client: GraphQLClient, now: number, days: number, signal: AbortSignal) {
  const where = { state: { activity: { eq: "UNUSED" } } } as const;
  const unused = await client.licenses({ where, signal }).toArray();
  const ofPlans = grouped(unused, ({ plan }) => {
    return [plan?.id, plan?.name ?? "(unknown plan)", plan?.integration?.name];
  });
  const plans = ofPlans.map(({ own, ...plan }) => {
    const ofHolders = grouped(own, ({ holder }) => {
      const { employeeId, email, name }: Holder = holder ?? {};
      return [employeeId ?? email ?? name, name ?? "(nobody)", email];
    });
    return { ...plan, holders: ofHolders.map(({ own: _, ...holder }) => holder) };
  });
  const renewals = await readRenewals(client, now, days, signal);
  const [day, savings] = [calendarDate(new Date(now)), savingsOf(unused)];
  return { day, days, unusedLicenses: unused.length, savings, plans, renewals };
}

type Labels = readonly [id: string | null | undefined, name: string, detail: string | null | undefined];

/** Groups licenses; the groups with the largest savings come first. */
function grouped(licenses: readonly License[], labelsOf: (license: License) => Labels) {
  const groups = new Map<
    string,
    { readonly name: string; readonly detail: string; readonly own: License[] }
  >();
  for (const license of licenses) {
    const [id, name, detail] = labelsOf(license);
    const group = groups.get(id ?? "") ?? { name, detail: detail ?? "", own: [] };
    group.own.push(license);
    groups.set(id ?? "", group);
  }
  return [...groups.values()]
    .map((group) => ({ ...group, licenses: group.own.length, savings: savingsOf(group.own) }))
    .sort((a, b) => largest(b) - largest(a) || b.licenses - a.licenses || a.name.localeCompare(b.name));
}

function savingsOf(licenses: readonly License[]): Savings {
  const sums = new Map<string, Big>();
  for (const { potentialSaving } of licenses) {
    if (potentialSaving === null) continue;
    const { amount, currency } = potentialSaving;
    sums.set(currency, (sums.get(currency) ?? new Big(0)).plus(amount));
  }
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, sum.toFixed(2)]).sort());
}

/** The largest saving in any currency, because currencies aren't converted. */
export function largest({ savings }: { readonly savings: Savings }): number {
  return Math.max(0, ...Object.values(savings).map(Number));
}

/** `terminateBy` is the last day on which the contract can be terminated; null if that day is unknown. */
async function readRenewals(client: GraphQLClient, now: number, days: number, signal: AbortSignal) {
  const value = { gte: calendarDate(new Date(now)), lte: calendarDate(new Date(now + days * DAY_MS)) };
  const where = { contractDetails: { renewal: { upcomingDate: { value } } } };
  const order = { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } } as const;
  const plans = await client.licensePlans({ where, order, signal }).toArray();
  return plans.flatMap(({ name: plan, integration, contractDetails, pricingStats, usageStats }) => {
    const { upcomingDate, terminationPeriod }: Terms = contractDetails?.renewal ?? {};
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

export function moneyOf(savings: Savings): string {
  return Object.entries(savings)
    .map(([currency, amount]) => money(amount, currency))
    .join(", ");
}

export function costOf({ annualCost, currency }: Renewal): string {
  return annualCost === null ? "" : money(annualCost, currency ?? "");
}
