import type { Renewal, Report, Unused } from "./collect.js";
import { money, moneyOf } from "./text.js";

const MOST_BARS = 12;
const MOST_ROWS = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Light, dark, and on paper. */
const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b2430, #e6e9ee); --soft: light-dark(#5b6675, #9aa5b4);
  --line: light-dark(#dfe4ea, #333b46); --card: light-dark(#f5f7fa, #1d232b); --bar: light-dark(#2a6fdb, #6ea8fe);
  --last: light-dark(#c2410c, #fdba74); --page: light-dark(#fff, #13171c); }
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
header p, small, footer, .key { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.facts div { flex: 1 1 9rem; padding: .9rem 1rem; border-radius: 10px; background: var(--card); border: 1px solid var(--line); }
.facts strong { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; } .facts span { color: var(--soft); }
.bars { list-style: none; margin: 0; padding: 0; }
.bars li { display: grid; grid-template-columns: minmax(8rem, 13rem) 1fr 14rem; gap: .75rem; align-items: center; padding: .3rem 0; }
.bars small { display: block; font-size: .8rem; } .bars .value { font-variant-numeric: tabular-nums; text-align: right; }
.bar { height: 1.1rem; border-radius: 4px; background: var(--card); border: 1px solid var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--bar); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.time { width: 100%; height: auto; overflow: visible; } .time line { stroke: var(--soft); stroke-width: 2; }
.time circle { fill: var(--bar); } .time .last { fill: var(--last); } .time text { fill: var(--soft); font-size: 12px; }
.key { font-size: .85rem; margin: .2rem 0 0; } .dot { display: inline-block; width: .7em; height: .7em; border-radius: 50%; background: var(--bar); print-color-adjust: exact; }
.tip { display: inline-block; margin-left: 1em; border: .4em solid transparent; border-top: 0; border-bottom: .7em solid var(--last); }
table { width: 100%; border-collapse: collapse; } th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
.n { text-align: right; padding-right: 0; padding-left: .6rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
footer { margin-top: 2.5rem; font-size: .85rem; }
@media (max-width: 40rem) { .bars li { grid-template-columns: 1fr; gap: .1rem; } .bars .value { text-align: left; } }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; font-size: 10.5pt; }
  .facts, .bars li, tr, svg { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; } @page { margin: 16mm; } }
`;

/** One page without scripts, and without anything from elsewhere: it can be sent by mail, and printed. */
export function reportHtml(report: Report): string {
  const { day, days, unusedLicenses, savings, byPlan, byHolder, renewals } = report;
  const currencies = Object.keys(savings);
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
${fact(String(unusedLicenses), "licenses that nobody uses")}
${currencies.map((currency) => fact(money(savings[currency] ?? 0, currency), "could be saved a year")).join("\n")}
${fact(String(renewals.length), `contracts renew within ${days} days`)}
</section>
${currencies.map((currency) => savingsChart(currency, byPlan)).join("\n")}
${timeline(report)}
<section><h2>Renewals within ${days} days</h2>
${renewals.length === 0 ? "<p>None.</p>" : renewalTable(renewals)}
</section>
<section><h2>Unused licenses by plan</h2>
${unusedTable("Plan", "Integration", byPlan)}
</section>
<section><h2>Unused licenses by holder</h2>
${unusedTable("Holder", "E-mail", byHolder)}
</section>
<footer>Amounts are estimates of the SaaS Management Service. Currencies are not converted.</footer>
</body>
</html>
`;
}

function fact(value: string, label: string): string {
  return `<div><strong>${markup(value)}</strong><span>${markup(label)}</span></div>`;
}

/** Bars, the longest first. The text beside each says what it shows, so that nothing depends on seeing it. */
function savingsChart(currency: string, byPlan: readonly Unused[]): string {
  const amountOf = ({ savings }: Unused) => Number(savings[currency] ?? 0);
  const all = byPlan.filter((plan) => amountOf(plan) > 0).sort((a, b) => amountOf(b) - amountOf(a));
  const shown = all.slice(0, MOST_BARS);
  const longest = Math.max(0, ...shown.map(amountOf));
  const bars = shown.map((plan) => {
    const width = ((100 * amountOf(plan)) / longest).toFixed(1);
    const text = `${money(amountOf(plan), currency)} · ${plan.licenses} licenses`;
    return `<li><span class="name">${markup(plan.name)}<small>${markup(plan.detail)}</small></span><span class="bar"><i style="width:${width}%"></i></span><span class="value">${markup(text)}</span></li>`;
  });
  const more =
    all.length > shown.length ? `<p>${all.length - shown.length} smaller plans are not shown.</p>` : "";
  return `<section><h2>What could be saved a year, in ${markup(currency)}</h2><ol class="bars">${bars.join("")}</ol>${more}</section>`;
}

/** When contracts renew: above the line the renewal, below it the last day to terminate. */
function timeline({ day, days, renewals }: Report): string {
  if (renewals.length === 0) return "";
  const at = (date: string) => (100 * (Date.parse(date) - Date.parse(day))) / (days * DAY_MS);
  const place = (date: string) => (2 + 0.96 * Math.min(100, Math.max(0, at(date)))).toFixed(2);
  const dates = [...new Set(renewals.map(({ date }) => date))];
  const lasts = renewals.flatMap(({ terminateBy }) =>
    terminateBy === null || at(terminateBy) < 0 ? [] : [terminateBy],
  );
  const renew = dates.map((date) => {
    const count = renewals.filter((renewal) => renewal.date === date).length;
    return `<circle cx="${place(date)}%" cy="34" r="${5 + 2 * Math.min(count, 5)}"><title>${markup(date)}: ${count}</title></circle><text x="${place(date)}%" y="12" text-anchor="middle">${markup(date.slice(5))}</text>`;
  });
  const terminate = [...new Set(lasts)].map(
    (date) =>
      `<path class="last" d="M-5 0L5 0L0 -9Z" style="transform:translate(${place(date)}%, 58px)"></path><text x="${place(date)}%" y="74" text-anchor="middle">${markup(date.slice(5))}</text>`,
  );
  return `<section><h2>When contracts renew</h2>
<svg viewBox="0 0 1000 84" class="time" role="img" aria-label="Renewals from ${markup(day)} on, for ${days} days; the table below lists them">
<line x1="2%" x2="98%" y1="34" y2="34"></line>${renew.join("")}${terminate.join("")}
</svg><p class="key"><b class="dot"></b> renews <b class="tip"></b> last day to terminate</p></section>`;
}

function renewalTable(renewals: readonly Renewal[]): string {
  const rows = renewals.map((renewal) => {
    const { date, terminateBy, plan, integration, contract, unusedSeats, annualCost, currency } = renewal;
    const cost = annualCost === null ? "" : money(annualCost, currency ?? "");
    return row([date, terminateBy ?? "", `${integration} ${plan}`, contract], [String(unusedSeats), cost]);
  });
  return table(["Renews on", "Terminate by", "Plan", "Contract"], ["Unused seats", "Cost a year"], rows);
}

function unusedTable(name: string, detail: string, all: readonly Unused[]): string {
  if (all.length === 0) return "<p>None.</p>";
  const rows = all
    .slice(0, MOST_ROWS)
    .map((unused) => row([unused.name, unused.detail], [String(unused.licenses), moneyOf(unused.savings)]));
  const more = all.length > MOST_ROWS ? `<p>${all.length - MOST_ROWS} more are in the CSV report.</p>` : "";
  return `${table([name, detail], ["Licenses", "Saving a year"], rows)}${more}`;
}

function table(texts: readonly string[], numbers: readonly string[], rows: readonly string[]): string {
  return `<table><thead>${row(texts, numbers, "th")}</thead><tbody>${rows.join("")}</tbody></table>`;
}

function row(texts: readonly string[], numbers: readonly string[], tag: "th" | "td" = "td"): string {
  const cell = (kind: string) => (text: string) => `<${tag}${kind}>${markup(text)}</${tag}>`;
  return `<tr>${[...texts.map(cell("")), ...numbers.map(cell(' class="n"'))].join("")}</tr>`;
}

/** Names come from vendors: none of them may become an element. */
function markup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
