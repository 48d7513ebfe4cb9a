/** Pages to mail or print, each in one file without scripts or external resources. */
import type { Io } from "./io.js";
import { type Options, UsageError } from "./options.js";

/** Styles for light and dark screens, for print, and for phones, where there is one column. */
const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b2430, #e6e9ee); --soft: light-dark(#5b6675, #9aa5b4);
  --line: light-dark(#dfe4ea, #333b46); --card: light-dark(#f5f7fa, #1d232b); --bar: light-dark(#2a6fdb, #6ea8fe);
  --new: light-dark(#1d8a52, #58c48b); --gone: light-dark(#c2362b, #ff8a7a); --page: light-dark(#fff, #13171c); }
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
header p, small, footer { color: var(--soft); } small { display: block; font-size: .8rem; }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; }
.facts div { flex: 1 1 9rem; padding: .9rem 1rem; border-radius: 10px; background: var(--card); border: 1px solid var(--line); }
strong { display: block; font-size: 1.35rem; } .facts span { color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; } ul ul { padding-left: 1.25rem; } summary { cursor: pointer; }
.row { display: grid; grid-template-columns: 13rem 1fr auto; gap: .2rem .75rem; align-items: center; padding: .4rem 0;
  border-bottom: 1px solid var(--line); }
.value { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: block; height: 1.1rem; border-radius: 4px; background: var(--card); border: 1px solid var(--line); overflow: hidden; }
i { background: var(--bar); print-color-adjust: exact; -webkit-print-color-adjust: exact; } .bar i { display: block; height: 100%; }
summary .value::after { content: " ▾"; } footer { margin-top: 2.5rem; font-size: .85rem; }
figure { margin: 1.5rem 0; break-inside: avoid; } figure small { font-size: .85rem; }
li { break-inside: avoid; padding: .15rem 0; }
.runs { display: flex; gap: 2px; margin: .5rem 0; }
.runs span { flex: 1; max-width: 2rem; display: grid; grid-template-rows: 7rem 3rem 3rem; row-gap: 2px; }
.runs i { grid-column: 1; min-height: 1px; align-self: end; } .runs .added { grid-row: 2; }
.runs .removed, .runs .limit { grid-row: 3; align-self: start; } .added { background: var(--new); } .removed { background: var(--gone); }
.limit { background: none; border-bottom: 2px dashed var(--text); } small i { display: inline-block; width: .7em; height: .7em; }
@media (max-width: 40rem) { .row { grid-template-columns: 1fr; } .value { text-align: left; } }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; } @page { margin: 16mm; } }
`;

/** @throws {UsageError} `--json` and `--format` together */
export function isPage({ format }: Options, { json }: Io): boolean {
  if (json && format !== "text") throw new UsageError("--json prints JSON. Leave out --format.");
  return format === "html";
}

/** @param body Markup. */
export function page(title: string, day: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${markup(title)}, ${markup(day)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${markup(title)}</h1><p>As of <time>${markup(day)}</time></p></header>
${body}
</body>
</html>
`;
}

/** @param facts Values, each with its label. */
export function factsOf(facts: readonly (readonly [value: string, label: string])[]): string {
  const all = facts.map(
    ([value, label]) => `<div><strong>${markup(value)}</strong><span>${markup(label)}</span></div>`,
  );
  return `<section class="facts">\n${all.join("")}\n</section>`;
}

/** @param items Markup. */
export function list(items: readonly string[]): string {
  const all = items.map((item) => `<li>${item}</li>`).join("\n");
  return all === "" ? "<p>None.</p>" : `<ul>${all}</ul>`;
}

/** Escapes text. Names and ids come from vendors, and must not become HTML elements. */
export function markup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
