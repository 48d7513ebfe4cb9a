import { factsOf, list, markup, page } from "../page.js";
import { costOf, largest, money, moneyOf, type Renewal, type Report, type UnusedPlan } from "./model.js";

/** Maximum number of a plan's holders on the page. */
const MOST_HOLDERS = 500;

/** The report as a page. */
export function reportHtml({ day, days, unusedLicenses, savings, plans, renewals }: Report): string {
  const saved = Object.entries(savings).map(
    ([currency, amount]) => [money(amount, currency), "could be saved a year"] as const,
  );
  const longest = Math.max(...plans.map(largest));
  return page(
    "Licenses and renewals",
    day,
    `${factsOf([
      [`${unusedLicenses}`, "licenses that nobody uses"],
      ...saved,
      [`${renewals.length}`, `contracts renew within ${days} days`],
    ])}
<section><h2>Unused licenses by plan, and who holds them</h2>
${list(plans.map((plan) => planItem(plan, longest)))}
</section>
<section><h2>Renewals within ${days} days</h2>
${list(renewals.map(renewalItem))}
</section>
<footer>Unused seats include seats that nobody holds. Amounts are estimates of the SaaS Management Service. Currencies are not converted.</footer>`,
  );
}

/** A plan with its saving as text and as a bar; a click shows the plan's holders. */
function planItem(plan: UnusedPlan, longest: number): string {
  const bar = `<span class="bar"><i style="width:${((100 * largest(plan)) / longest || 0).toFixed(1)}%"></i></span>`;
  const rows = plan.holders
    .slice(0, MOST_HOLDERS)
    .map((holder) => `<div class="row">${unusedRow(holder, "")}</div>`);
  const more = plan.holders.length - rows.length;
  if (more > 0) rows.push(`${more} more holders are in saas-management report --json.`);
  return `<details><summary class="row">${unusedRow(plan, bar)}</summary>${list(rows)}</details>`;
}

function unusedRow({ name, detail, licenses, savings }: Omit<UnusedPlan, "holders">, bar: string): string {
  const saved = moneyOf(savings);
  return row(name, detail, bar, saved === "" ? `${licenses} licenses` : `${licenses} licenses · ${saved}`);
}

function renewalItem(renewal: Renewal): string {
  const { date, terminateBy, plan, integration, contract, unusedSeats } = renewal;
  const detail = terminateBy === null ? contract : `terminate by ${terminateBy}, ${contract}`;
  const sold = markup(`${integration} ${plan}`.trim());
  return `<div class="row">${row(date, detail, sold, `${unusedSeats} unused seats · ${costOf(renewal)}`)}</div>`;
}

/** @param middle Markup. */
function row(name: string, detail: string, middle: string, value: string): string {
  return `<span>${markup(name)}<small>${markup(detail)}</small></span><span>${middle}</span><span class="value">${markup(value)}</span>`;
}
