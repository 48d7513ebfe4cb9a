import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const docs = (await readdir(new URL("docs/", ROOT))).filter((file) => file.endsWith(".md"));
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...docs.map((file) => `docs/${file}`)];

/** The files of the package that a page links to. */
async function targets(page: string): Promise<URL[]> {
  const text = await readFile(new URL(page, ROOT), "utf8");
  return [...text.replace(/^```.*?^```/gms, "").matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(
    ([, path = ""]) => new URL(path, new URL(page, ROOT)),
  );
}

it.each(pages)("%s links to files that are there", async (page) => {
  expect((await targets(page)).filter((url) => !existsSync(url)).map(String)).toEqual([]);
});

it("README.md leads to every page in docs/", async () => {
  const linked = (await targets("README.md")).map(String);
  expect(docs.filter((file) => !linked.includes(new URL(`docs/${file}`, ROOT).href))).toEqual([]);
});
