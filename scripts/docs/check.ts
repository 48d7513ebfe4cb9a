import { readdir, readFile, stat } from "node:fs/promises";
import { join, posix } from "node:path";

const MAX_MEGABYTES = 15;

/** Pages that the menu must have. */
const IN_MENU = /^(guides|reference)\//;

/** Finds links to pages or headings that a built site doesn't have, pages without a menu entry, and excessive size. */
export async function siteProblems(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  const pages = new Map<string, string>();
  for (const file of files.filter((name) => name.endsWith(".html")))
    pages.set(file, await readFile(join(folder, file), "utf8"));
  const ids = new Map([...pages].map(([file, text]) => [file, idsOf(text)]));
  const exists = (file: string, anchor: string) =>
    files.includes(file) && (anchor === "" || ids.get(file)?.has(anchor) === true);
  const dead = [...pages].flatMap(([page, text]) =>
    linksOf(page, text)
      .filter(([file, anchor]) => !exists(file, anchor))
      .map(([file, anchor]) => `${page} links to ${file}${anchor && `#${anchor}`}, which does not exist`),
  );
  const [, someGuide = ""] = [...pages].find(([page]) => page.startsWith("guides/")) ?? [];
  const inMenu = new Set(linksOf("guides/", someGuide).map(([file]) => file));
  const outside = [...pages.keys()].filter((page) => IN_MENU.test(page) && !inMenu.has(page));
  console.log(`${pages.size} pages, ${files.length} files, ${megabytes.toFixed(1)} MB`);
  const unreachable = outside.map((page) => `${page} is not in the menu of scripts/docs/vitepress/config.ts`);
  return [
    ...new Set(dead),
    ...unreachable,
    ...(megabytes > MAX_MEGABYTES ? [`larger than ${MAX_MEGABYTES} MB`] : []),
  ];
}

function idsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
}

/** The targets of a page's links within the site, as file and anchor. */
function linksOf(page: string, text: string): readonly (readonly [string, string])[] {
  const links = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z]+:|^\/\//.test(link))
    .map((link) => {
      const [path = "", anchor = ""] = decodeURIComponent(link.replaceAll("&amp;", "&")).split("#");
      const resolved = path === "" ? page : posix.join("/", posix.dirname(page), path).slice(1);
      const absolute = path.startsWith("/") ? path.slice(1) : resolved;
      return [
        absolute === "" || absolute.endsWith("/") ? `${absolute}index.html` : absolute,
        anchor,
      ] as const;
    });
}
