import { access, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const threats = await readFile(new URL("docs/security.md", ROOT), "utf8");

describe("docs/security.md", () => {
  it("names tests that are there", async () => {
    const links = [...threats.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(20);
    for (const path of new Set(links)) await expect(access(new URL(path, ROOT))).resolves.toBeUndefined();
  });

  it("has a test for each threat, or says what is left open", () => {
    const rows = threats.split("\n").filter((line) => /^\| (?!---|can |what )/.test(line));
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) expect(row).toMatch(/\]\(\.\.\/test\/|not stopped/);
  });
});
