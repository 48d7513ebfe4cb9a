/** Light, dark, and on paper. */
export const REPORT_STYLE = `
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
