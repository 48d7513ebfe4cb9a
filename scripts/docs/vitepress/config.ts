import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";

/** Makes the same anchors as GitHub, so that a link works in the repository and on the site. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

const GUIDES: DefaultTheme.SidebarItem[] = [
  {
    text: "Start",
    items: [
      { text: "Overview", link: "/overview" },
      { text: "Your first connector", link: "/guides/first-connector" },
      { text: "Examples", link: "/examples" },
      { text: "From the C# and Python SDKs", link: "/guides/migrating" },
    ],
  },
  {
    text: "Push data",
    items: [
      { text: "Write a connector", link: "/guides/sync" },
      { text: "Files and paged APIs", link: "/guides/sources" },
      { text: "Snapshot safety", link: "/guides/snapshot-safety" },
      { text: "Test a connector", link: "/guides/testing" },
      { text: "Reference server", link: "/guides/reference-server" },
    ],
  },
  {
    text: "Read and change data",
    items: [
      { text: "Read the portfolio", link: "/guides/reading" },
      { text: "Change data, own documents", link: "/guides/graphql" },
      { text: "Build an app page", link: "/guides/apps" },
    ],
  },
  {
    text: "Run in production",
    items: [
      { text: "Command line", link: "/guides/operating" },
      { text: "Operate a connector", link: "/guides/operations" },
      { text: "Run a fleet", link: "/guides/fleet" },
      { text: "Handle errors", link: "/guides/errors" },
      { text: "Security", link: "/guides/security" },
      { text: "Performance", link: "/guides/performance" },
    ],
  },
];

const REFERENCE: DefaultTheme.SidebarItem[] = [
  {
    text: "Reference",
    items: [
      { text: "Errors and events", link: "/reference/errors" },
      { text: "Records", link: "/reference/records" },
      { text: "Runs, batches, ledger", link: "/reference/run-and-guard" },
      { text: "Ledger format", link: "/reference/ledger-format" },
      { text: "Command line", link: "/reference/command-line" },
      { text: "Browsers", link: "/reference/browsers" },
      { text: "Threats", link: "/reference/threats" },
      { text: "Versions", link: "/reference/versions" },
    ],
  },
  {
    text: "API",
    items: apiFolders().map((name) => ({
      text: name === "index" ? "sdk" : `sdk/${name}`,
      link: `/api/${name}/overview`,
    })),
  },
  {
    text: "The project",
    items: [
      { text: "Assumptions", link: "/assumptions" },
      { text: "Adopt a contract", link: "/contract" },
      { text: "Architecture", link: "/architecture" },
      { text: "Contributing", link: "/contributing" },
      { text: "Security policy", link: "/security-policy" },
      { text: "Changes", link: "/changelog" },
    ],
  },
];

function apiFolders(): readonly string[] {
  return readdirSync(fileURLToPath(new URL("../api", import.meta.url)), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort((a, b) => Number(b === "index") - Number(a === "index") || a.localeCompare(b));
}

/** Search terms that lead to a page although its text doesn't contain them. */
const ALSO_FOUND_AS: Readonly<Record<string, string>> = {
  "guides/sources.md": "Excel, XLSX, spreadsheet, CSV delimiter, semicolon, encoding, pagination",
  "guides/sync.md": "upsert, insert, update, incremental sync, delta",
  "guides/snapshot-safety.md": "delete, deletion, dry run, rollback, mass removal",
  "guides/operating.md": "cron, Excel, CSV delimiter, CLI",
};

export default defineConfig({
  title: "SaaS Management SDK",
  description: "The TypeScript SDK of the SaaS Management Service.",
  lang: "en",
  markdown: { anchor: { slugify }, toc: { slugify }, headers: { slugify } },
  vite: { build: { chunkSizeWarningLimit: 5_000 } },
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: "/favicon.svg" }],
    // Fits 76 columns of code at 1280 pixels.
    ["style", {}, ".vp-doc [class*=lang] code{font-size:13px;padding:0 12px} td{overflow-wrap:anywhere}"],
  ],
  themeConfig: {
    nav: [
      { text: "Guides", link: "/guides/first-connector", activeMatch: "^/(overview|guides/)" },
      { text: "Reference", link: "/reference/run-and-guard", activeMatch: "^/(reference|api)/" },
    ],
    sidebar: [...GUIDES, ...REFERENCE],
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env);
          const also = ALSO_FOUND_AS[String(env.relativePath)];
          return also === undefined ? html : html.replace("</h1>", `</h1><p>${also}</p>`);
        },
      },
    },
  },
});
