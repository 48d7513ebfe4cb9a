import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ATTACK_TABLES, attacksAsMarkdown } from "../sync/safety/attacks/tables.js";

const documented = await readFile(new URL("../../docs/snapshot-safety.md", import.meta.url), "utf8");
const all = Object.values(ATTACK_TABLES).flat();

describe("docs/snapshot-safety.md", () => {
  it("lists the attacks of the test tables and what stops each: paste what the test expected where it differs", () => {
    const [, listed] = /<!-- attacks: begin -->\n(.*)<!-- attacks: end -->/s.exec(documented) ?? [];
    expect(listed).toBe(attacksAsMarkdown());
  });

  it("knows each attack by one name", () => {
    const names = all.map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(45);
    expect(new Set(names).size).toBe(names.length);
  });
});
