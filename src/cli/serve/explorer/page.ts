import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { SCRIPT } from "./script.js";

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a404b); --soft: light-dark(#f5f6f8, #1c2027);
  --accent: light-dark(#1a5fb4, #8ab8f5); font: 14px/1.45 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template-rows: auto 1fr; background: light-dark(#fff, #14171c); }
header { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; padding: .6rem 1rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1rem; margin: 0 auto 0 0; }
label { display: flex; gap: .4rem; align-items: center; }
main { display: grid; grid-template-columns: 1fr 1fr minmax(14rem, .6fr); min-height: 0; }
main > * { min-width: 0; min-height: 0; border-right: 1px solid var(--line); }
.edit { display: grid; grid-template-rows: 1fr auto 7rem; }
textarea, pre { width: 100%; margin: 0; padding: .8rem 1rem; border: 0; resize: none; background: transparent; color: inherit;
  font: 13px/1.5 ui-monospace, monospace; overflow: auto; tab-size: 2; }
.edit label { padding: .3rem 1rem; background: var(--soft); border-block: 1px solid var(--line); }
textarea:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
input, select, button { font: inherit; padding: .25rem .5rem; border: 1px solid var(--line); border-radius: 5px; background: var(--soft); color: inherit; }
button.run { background: var(--accent); border-color: var(--accent); color: light-dark(#fff, #10141a); font-weight: 600; }
@media (max-width: 60rem) { body { height: auto; } main { grid-template-columns: 1fr; } .edit { min-height: 24rem; } }
`;

const schemaFile = createRequire(import.meta.url).resolve("@saas-management/sdk/schema.graphql");
const SCHEMA = readFileSync(schemaFile, "utf8");

/** A page that sends queries to the server that it comes from. It needs nothing from elsewhere. */
export const EXPLORER_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphQL API, reference server</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>GraphQL API, reference server</h1>
<label>Example <select id="examples"></select></label>
<label>API key <input id="key" type="password" autocomplete="off" spellcheck="false"></label>
<span id="status" role="status"></span>
<button class="run" form="form" title="Ctrl+Enter">Run</button>
</header>
<main>
<form id="form" class="edit">
<textarea id="query" aria-label="Query" spellcheck="false"></textarea>
<label for="variables">Variables (JSON)</label>
<textarea id="variables" spellcheck="false"></textarea>
</form>
<pre id="result" tabindex="0" aria-label="Result"></pre>
<pre tabindex="0" aria-label="Schema">${SCHEMA.replace(/[&<]/g, (character) => `&#${character.codePointAt(0)};`)}</pre>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page runs its own program only, and calls its own server only. */
export const EXPLORER_POLICY = `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
