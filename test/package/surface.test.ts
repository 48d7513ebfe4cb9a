import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { entries, ROOT } from "../../scripts/api/entries.js";
import { MAX_NAMES, publicNames, reachableNames } from "../../scripts/api/names.js";
import { DOCS } from "../docs/pages.js";

const all = await entries();
const names = publicNames(all);

test("the package exports at most 150 names over all subpaths", () => {
  expect(names.length).toBeLessThanOrEqual(MAX_NAMES);
});

test.each(all)("$specifier exports the values in its report, and no others", async (entry) => {
  const report = await readFile(`${ROOT}api/${entry.name}.api.md`, "utf8");
  const values = report.matchAll(/^export (?:declare )?(?:abstract )?(?:class|function|const|enum) (\w+)/gm);
  const atRunTime = Object.keys(await import(`${ROOT}${entry.source}`));
  expect(atRunTime.sort()).toEqual([...new Set([...values].map(([, name]) => name))].sort());
});

test("the README, the docs and the examples use every exported name, directly or as a type", async () => {
  const examples = await readdir(`${ROOT}examples`, { recursive: true });
  const programs = examples.filter((file) => /\.m?ts$/.test(file)).map((file) => `examples/${file}`);
  const files = ["README.md", ...DOCS, ...programs];
  const text = (await Promise.all(files.map((file) => readFile(ROOT + file, "utf8")))).join("\n");
  const words = new Set(text.match(/\w+/g));
  const used = reachableNames(
    names,
    names.filter(({ name }) => words.has(name)),
  );
  expect(names.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
});
