/** The report, read over the GraphQL API. */
import { calendarDate, sumByCurrency } from "@saas-management/sdk";
import type { GraphQLClient } from "@saas-management/sdk/graphql";
import { count, heading, money, table } from "./print.js";

const DAY_MS = 86_400_000;

export interface PlanSaving {
  readonly name: string;
  readonly product: string;
  readonly annualCost: number;
  readonly saving: number;
  readonly currency: string;
  readonly renewal: string | undefined;
}

/** Seats in use and unused per plan. */
export async function reportSeats(graphql: GraphQLClient): Promise<void> {
  heading("Seats");
  const plans = await graphql
    .licensePlans({ order: [{ integration: { name: "ASC" } }, { name: "ASC" }] })
    .toArray();
  const rows = plans.map(({ name, integration, usageStats, pricingStats }) => [
    integration?.name ?? "",
    name,
    count(usageStats?.total ?? 0),
    count(usageStats?.inUse?.total ?? 0),
    count(usageStats?.unused?.total ?? 0),
    pricingStats?.annualCost == null ? "free" : money(pricingStats.annualCost, pricingStats.currency ?? ""),
  ]);
  table(["Vendor", "Plan", "Seats", "In use", "Unused", "Annual cost"], rows, [2, 3, 4, 5]);
}

/** The annual cost of unused licenses, and the ten most expensive ones. */
export async function reportUnused(graphql: GraphQLClient): Promise<void> {
  heading("Licenses that nobody uses");
  const unused = graphql.licenses({
    where: { state: { activity: { eq: "UNUSED" } } },
    order: [{ annualPrice: { amount: "DESC" } }, { holder: { name: "ASC" } }],
  });
  const licenses = await unused.toArray();
  const savings = await sumByCurrency(licenses, (license) => license.potentialSaving);
  const sums = [...savings].sort().map(([currency, amount]) => money(amount, currency));
  console.log(`  ${count(licenses.length)} unused licenses. Potential saving per year: ${sums.join(", ")}.`);
  console.log("\n  The ten most expensive (currencies are not converted):");
  const rows = licenses
    .slice(0, 10)
    .map(({ holder, plan, annualPrice, state }) => [
      holder?.name ?? "(nobody)",
      holder?.email ?? "",
      plan?.name ?? "(unknown plan)",
      annualPrice == null ? "" : money(annualPrice.amount, annualPrice.currency),
      state.reason ?? "",
    ]);
  table(["Holder", "E-mail", "Plan", "Annual price", "Why unused"], rows, [3]);
}

/** Contracts that renew in the next 90 days. */
export async function reportRenewals(graphql: GraphQLClient, today: Date): Promise<void> {
  heading("Renewals in the next 90 days");
  const value = { gte: calendarDate(today), lte: calendarDate(new Date(today.getTime() + 90 * DAY_MS)) };
  const plans = await graphql
    .licensePlans({
      where: { contractDetails: { renewal: { upcomingDate: { value } } } },
      order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } },
    })
    .toArray();
  const rows = plans.map(({ name, integration, contractDetails, pricingStats }) => {
    const { upcomingDate, terminationPeriod } = contractDetails?.renewal ?? {};
    const notice = terminationPeriod?.value;
    return [
      upcomingDate?.value ?? "",
      `${integration?.name ?? ""} ${name}`,
      contractDetails?.type ?? "",
      notice == null ? "" : `${notice} days`,
      pricingStats?.annualCost == null ? "" : money(pricingStats.annualCost, pricingStats.currency ?? ""),
    ];
  });
  table(["Renews on", "Plan", "Contract", "Notice", "Annual cost"], rows, [3, 4]);
}

/** The plan with the largest potential saving. */
export async function largestSaving(graphql: GraphQLClient): Promise<PlanSaving> {
  const [plan] = await graphql
    .licensePlans({ order: { pricingStats: { potentialSaving: { amount: "DESC" } } }, limit: 1 })
    .toArray();
  const { annualCost, currency, potentialSaving } = plan?.pricingStats ?? {};
  if (plan === undefined || annualCost == null || currency == null || potentialSaving?.amount == null) {
    throw new Error("No plan has a price.");
  }
  return {
    name: plan.name,
    product: plan.integration?.name ?? "",
    annualCost,
    saving: potentialSaving.amount,
    currency,
    renewal: plan.contractDetails?.renewal?.upcomingDate?.value ?? undefined,
  };
}
