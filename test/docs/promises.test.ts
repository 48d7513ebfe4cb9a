import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Page } from "./pages.js";

const ROOT = new URL("../../", import.meta.url);
const { text } = await Page.read("test/promises.md");

/** Rows of all tables: promise, test file, title of the test. */
const rows = text
  .split("\n")
  .filter((line) => /^\| (?!promise |-)/.test(line))
  .map((line) => {
    const [promise = "", file = "", title = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    return { promise, file: file.replaceAll("`", ""), title };
  });

/** Whether the file contains the title as a string of its own. */
async function hasTest(file: string, title: string): Promise<boolean> {
  const source = await readFile(new URL(file, ROOT), "utf8").catch(() => "");
  return ['"', "'", "`"].some((quote) => source.includes(`${quote}${title}${quote}`));
}

test("the docs make each promise once", () => {
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(new Set(rows.map(({ promise }) => promise)).size).toBe(rows.length);
});

test("each promise of the docs names an existing test by its exact title", async () => {
  const found = await Promise.all(rows.map(({ file, title }) => title !== "" && hasTest(file, title)));
  expect(rows.filter((_, index) => !found[index])).toEqual([]);
});
