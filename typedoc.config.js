/** The API reference, a page for each subpath: `npm run docs` puts it on the site. */
import { readFileSync } from "node:fs";

const { exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

const operations = readFileSync(new URL("src/graphql/generated/operations.ts", import.meta.url), "utf8");
const exported = operations.match(/^export interface [\s\S]*?^}/gm).join("");
const nested = [...exported.matchAll(/\w+(?:Filter|Sort)Input(?= \|)/g)].map(([name]) => name);

const guard = readFileSync(new URL("src/runs/guard/rules.ts", import.meta.url), "utf8");
const rules = [...guard.matchAll(/^interface (\w+Rule)/gm)].map(([, name]) => name);

/** @type {import("typedoc").TypeDocOptions} */
export default {
  // Every subpath of package.json that has types.
  entryPoints: Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")],
  ),
  tsconfig: "tsconfig.json",
  plugin: ["typedoc-plugin-markdown"],
  out: "build/site/pages/api",
  readme: "none",
  // What is known of the repository is nothing: links to it would lead nowhere.
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  // Nested inputs are reached through filters and orders, the others through the fields and arguments that have them.
  intentionallyNotExported: [...new Set(nested), ...rules, "PaginateOptions", "OnProgress", "Lease"],
  validation: { invalidLink: true, notExported: true, rewrittenLink: true, invalidPath: true },
  treatWarningsAsErrors: true,
  hideGenerator: true,
  // A page for each class, interface and function, without what the site itself shows around it.
  outputFileStrategy: "members",
  entryFileName: "overview",
  hidePageHeader: true,
  // Its links count equal headings by another rule than the site does.
  useHTMLAnchors: true,
  parametersFormat: "table",
  propertiesFormat: "table",
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true, hideSources: true },
};
