import { expect, test } from "vitest";
import { DOCS, isInternal, Page } from "./pages.js";

const ROOT = new URL("../../", import.meta.url);
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", ...DOCS];

test.each(pages)("%s names only files that exist", async (path) => {
  expect((await Page.read(path)).missingFiles()).toEqual([]);
});

test("README.md links to every page in the package", async () => {
  const linked = (await Page.read("README.md")).links().map(({ pathname }) => pathname);
  const shipped = DOCS.filter((path) => !isInternal(path));
  expect(shipped.filter((path) => !linked.includes(new URL(path, ROOT).pathname))).toEqual([]);
});

test("CONTRIBUTING.md links to every page for maintainers", async () => {
  const linked = (await Page.read("CONTRIBUTING.md")).links().map(({ pathname }) => pathname);
  expect(DOCS.filter(isInternal).filter((path) => !linked.includes(new URL(path, ROOT).pathname))).toEqual(
    [],
  );
});

test.each(DOCS.filter((path) => !isInternal(path)))(
  "%s links to no page that the package lacks",
  async (path) => {
    const links = (await Page.read(path)).links().map(({ pathname }) => pathname.slice(ROOT.pathname.length));
    expect(links.filter(isInternal)).toEqual([]);
  },
);

test.each(pages)("%s shows code that needs no scrolling", async (path) => {
  // Terminal output and a ledger's first line can't be wrapped.
  const blocks = (await Page.read(path)).text.matchAll(/^```(?!console|text)\w+\n(.*?)^```/gms);
  const lines = [...blocks].flatMap(([, code = ""]) => code.split("\n"));
  expect(lines.filter((line) => line.length > 76)).toEqual([]);
});
