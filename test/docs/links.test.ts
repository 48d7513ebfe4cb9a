import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { DOCS, Page } from "./pages.js";

const ROOT = new URL("../../", import.meta.url);
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...DOCS];

async function isThere(link: URL): Promise<boolean> {
  if (!existsSync(fileURLToPath(link))) return false;
  const isAnchor = link.hash !== "" && link.pathname.endsWith(".md");
  return !isAnchor || (await Page.read(fileURLToPath(link))).anchors().includes(link.hash);
}

it.each(pages)("%s links to files and headings that are there", async (path) => {
  const links = (await Page.read(path)).links();
  const found = await Promise.all(links.map(isThere));
  expect(links.filter((_, index) => !found[index]).map(String)).toEqual([]);
});

it.each(pages)("%s names files that are there", async (path) => {
  expect((await Page.read(path)).missingFiles()).toEqual([]);
});

it("README.md leads to every page in docs/", async () => {
  const linked = (await Page.read("README.md")).links().map(({ pathname }) => pathname);
  expect(DOCS.filter((path) => !linked.includes(new URL(path, ROOT).pathname))).toEqual([]);
});
