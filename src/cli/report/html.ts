import { costOf, money, moneyOf, type Renewal, type Report, type UnusedPlan } from "./model.js";

/** Holders of a plan that the page lists. */
const MOST_HOLDERS = 500;

/** Light, dark, and on paper; one column on a telephone. */
const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b2430, #e6e9ee); --soft: light-dark(#5b6675, #9aa5b4);
  --line: light-dark(#dfe4ea, #333b46); --card: light-dark(#f5f7fa, #1d232b); --bar: light-dark(#2a6fdb, #6ea8fe);
  --page: light-dark(#fff, #13171c); }
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
header p, small, footer { color: var(--soft); } small { display: block; font-size: .8rem; }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.facts div { flex: 1 1 9rem; padding: .9rem 1rem; border-radius: 10px; background: var(--card); border: 1px solid var(--line); }
strong { display: block; font-size: 1.35rem; } .facts span { color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; } ul ul { padding-left: 1.25rem; } summary { cursor: pointer; }
.row { display: grid; grid-template-columns: 13rem 1fr auto; gap: .2rem .75rem; align-items: center; padding: .4rem 0;
  border-bottom: 1px solid var(--line); }
.value { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: block; height: 1.1rem; border-radius: 4px; background: var(--card); border: 1px solid var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--bar); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
summary .value::after { content: " ▾"; } footer { margin-top: 2.5rem; font-size: .85rem; }
@media (max-width: 40rem) { .row { grid-template-columns: 1fr; } .value { text-align: left; } }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; } li { break-inside: avoid; } @page { margin: 16mm; } }
`;

/** One page without scripts, and without anything from elsewhere: it can be sent by mail, and printed. */
export function reportHtml({ day, days, unusedLicenses, savings, plans, renewals }: Report): string {
  const saved = Object.entries(savings).map(([currency, amount]) =>
    fact(money(amount, currency), "could be saved a year"),
  );
  const longest = Math.max(...plans.map(largest));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Licenses and renewals, ${markup(day)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>Licenses and renewals</h1><p>As of <time>${markup(day)}</time></p></header>
<section class="facts">
${fact(`${unusedLicenses}`, "licenses that nobody uses")}${saved.join("")}
${fact(`${renewals.length}`, `contracts renew within ${days} days`)}
</section>
<section><h2>Unused licenses by plan, and who holds them</h2>
${list(plans.map((plan) => planItem(plan, longest)))}
</section>
<section><h2>Renewals within ${days} days</h2>
${list(renewals.map(renewalItem))}
</section>
<footer>Amounts are estimates of the SaaS Management Service. Currencies are not converted.</footer>
</body>
</html>
`;
}

function fact(value: string, label: string): string {
  return `<div><strong>${markup(value)}</strong><span>${markup(label)}</span></div>`;
}

/** As plans are sorted: currencies are not converted. */
function largest({ savings }: UnusedPlan): number {
  return Math.max(0, ...Object.values(savings).map(Number));
}

/** A plan with a bar beside its saving, which the text says too, and its holders folded behind it. */
function planItem(plan: UnusedPlan, longest: number): string {
  const bar = `<span class="bar"><i style="width:${((100 * largest(plan)) / longest || 0).toFixed(1)}%"></i></span>`;
  const rows = plan.holders
    .slice(0, MOST_HOLDERS)
    .map((holder) => `<div class="row">${unusedRow(holder, "")}</div>`);
  const more = plan.holders.length - rows.length;
  if (more > 0) rows.push(`${more} more are in saas-management report --json.`);
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
  return `<div class="row">${row(date, detail, sold, `${unusedSeats} unused · ${costOf(renewal)}`)}</div>`;
}

/** @param middle Markup. */
function row(name: string, detail: string, middle: string, value: string): string {
  return `<span>${markup(name)}<small>${markup(detail)}</small></span><span>${middle}</span><span class="value">${markup(value)}</span>`;
}

function list(items: readonly string[]): string {
  const all = items.map((item) => `<li>${item}</li>`).join("\n");
  return all === "" ? "<p>None.</p>" : `<ul>${all}</ul>`;
}

/** Names come from vendors: none of them may become an element. */
function markup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
