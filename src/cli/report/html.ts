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
summary .value::after { content: " ▾"; }
footer { margin-top: 2.5rem; font-size: .85rem; }
@media (max-width: 40rem) { .row { grid-template-columns: 1fr; } .value { text-align: left; } }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; } li { break-inside: avoid; } @page { margin: 16mm; } }
`;

/** One page without scripts, and without anything from elsewhere: it can be sent by mail, and printed. */
export function reportHtml({ day, days, unusedLicenses, savings, plans, renewals }: Report): string {
  const facts = [
    [String(unusedLicenses), "licenses that nobody uses"],
    ...Object.entries(savings).map(([currency, amount]) => [
      money(amount, currency),
      "could be saved a year",
    ]),
    [String(renewals.length), `contracts renew within ${days} days`],
  ];
  const longest = new Map<string, number>();
  for (const [currency, amount] of plans.flatMap((plan) => Object.entries(plan.savings)))
    longest.set(currency, Math.max(Number(amount), longest.get(currency) ?? 0));
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
${facts.map(([value = "", label = ""]) => `<div><strong>${markup(value)}</strong><span>${label}</span></div>`).join("\n")}
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

/** A plan with a bar beside its saving, which the text says too, and its holders folded behind it. */
function planItem(
  { name, detail, licenses, savings, holders }: UnusedPlan,
  longest: ReadonlyMap<string, number>,
): string {
  const shares = Object.entries(savings).map(
    ([currency, amount]) => Number(amount) / (longest.get(currency) || 1),
  );
  const width = (100 * Math.max(0, ...shares)).toFixed(1);
  const bar = `<span class="bar"><i style="width:${width}%"></i></span>`;
  const rows = holders
    .slice(0, MOST_HOLDERS)
    .map(
      (holder) =>
        `<div class="row">${row(holder.name, holder.detail, "", figures(holder.licenses, holder.savings))}</div>`,
    );
  if (holders.length > MOST_HOLDERS)
    rows.push(`${holders.length - MOST_HOLDERS} more are in saas-management report --json.`);
  const summary = row(name, detail, bar, figures(licenses, savings));
  return `<details><summary class="row">${summary}</summary>${list(rows)}</details>`;
}

function renewalItem(renewal: Renewal): string {
  const { date, terminateBy, plan, integration, contract, unusedSeats } = renewal;
  const until = terminateBy === null ? "" : `terminate by ${terminateBy}, `;
  const cells = row(
    date,
    `${until}${contract}`,
    markup(`${integration} ${plan}`.trim()),
    `${unusedSeats} unused · ${costOf(renewal)}`,
  );
  return `<div class="row">${cells}</div>`;
}

/** @param middle Markup. */
function row(name: string, detail: string, middle: string, value: string): string {
  return `<span>${markup(name)}<small>${markup(detail)}</small></span><span>${middle}</span><span class="value">${markup(value)}</span>`;
}

function figures(licenses: number, savings: UnusedPlan["savings"]): string {
  return [`${licenses} licenses`, moneyOf(savings)].filter((text) => text !== "").join(" · ");
}

function list(items: readonly string[]): string {
  return items.length === 0
    ? "<p>None.</p>"
    : `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`;
}

/** Names come from vendors: none of them may become an element. */
function markup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
