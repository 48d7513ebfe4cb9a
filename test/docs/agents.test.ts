import { expect, test } from "vitest";
import { agentFiles } from "../../scripts/agents/files.js";
import { withIncludes } from "../../scripts/agents/sections.js";
import { DOCS, isInternal, Page } from "./pages.js";

const files = await agentFiles();
const skills = [...files].filter(([path]) => path.startsWith("skills/"));

test("llms.txt names every guide, every reference page and every skill", () => {
  const pages = DOCS.filter((path) => /^docs\/(guides|reference)\//.test(path) && !isInternal(path));
  const named = files.get("llms.txt") ?? "";
  const paths = [...pages, ...skills.map(([path]) => path)];
  expect(paths.filter((path) => !named.includes(`](${path})`))).toEqual([]);
});

test("llms-full.txt has the code of every guide, and of no other page", async () => {
  const full = files.get("llms-full.txt") ?? "";
  const has = async (path: string) => {
    const snippets = (await Page.read(path)).snippets();
    return snippets.length > 0 && snippets.every((snippet) => full.includes(snippet));
  };
  const shown = await Promise.all(DOCS.map(has));
  const guides = await Promise.all(
    DOCS.map(async (path) => /^docs\/guides/.test(path) && (await Page.read(path)).snippets().length > 0),
  );
  expect(DOCS.filter((_, index) => shown[index])).toEqual(DOCS.filter((_, index) => guides[index]));
});

test.each(skills)("%s has a name and says when to use it, and includes pages unchanged", (path, text) => {
  const [, name, description = ""] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
  expect(path).toBe(`skills/${name}/SKILL.md`);
  expect(description).toMatch(/Management Service|@saas-management\/sdk/);
  expect(text).toMatch(/^## /m);
  expect(text).not.toContain("<!-- include");
});

test("a skill that includes a missing section is not written", async () => {
  const template = (heading: string) => `<!-- include docs/guides/sync.md: ${heading} -->`;
  expect(await withIncludes(template("Choose a source"))).toMatch(/^## Choose a source\n/);
  await expect(withIncludes(template("Choose a color"))).rejects.toThrow(
    'docs/guides/sync.md has no heading "Choose a color".',
  );
});
