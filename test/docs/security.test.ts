import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const threats = await readFile(new URL("docs/security.md", ROOT), "utf8");
const rows = threats.split("\n").filter((line) => /^\| (?!---|can )/.test(line));

/** Tests that the rows name: path of the file, and a part of the test's name, or of what it is tried with. */
const named = [...threats.matchAll(/\]\(\.\.\/(test\/[^ )]+)(?: "([^"]*)")?\)/g)].map(
  ([, path = "", name]) => ({
    path,
    name,
  }),
);

/** A test's name as the source writes it: quotes of the link's title stand for themselves. */
async function holds(path: string, name: string): Promise<boolean> {
  return (await readFile(new URL(path, ROOT), "utf8")).includes(name);
}

describe("docs/security.md", () => {
  it("has a test for each threat, or says what is left open", () => {
    expect(rows.length).toBeGreaterThan(45);
    for (const row of rows) expect(row).toMatch(/\]\(\.\.\/test\/[^)]*"\)|\| not stopped: /);
  });

  it("names tests that are there, each by words of its name", async () => {
    expect(named.length).toBeGreaterThan(60);
    for (const { path, name } of named) {
      expect(name, `the link to ${path} needs the name of a test as its title`).toBeDefined();
      expect([path, name, await holds(path, name ?? "")]).toEqual([path, name, true]);
    }
  });

  it("knows each threat by one name", () => {
    const all = rows.map((row) => row.split("|")[1]);
    expect(new Set(all).size).toBe(all.length);
  });
});
