/** The files that the package and the site have for agents: llms.txt, llms-full.txt and skills. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT } from "../api/entries.js";
import { titledPage, withIncludes, withoutLinks } from "./sections.js";

const SKILLS = join(ROOT, "scripts/agents/skills");

/** The first guides in a list; the others follow by name. */
const FIRST = ["first-connector.md", "sync.md", "snapshot-safety.md", "reading.md"];

const INTRODUCTION = `# @saas-management/sdk

> The TypeScript SDK of the SaaS Management Service. Push data from connectors over the Sync API (a bad run is held before
> anything is sent), read and change the portfolio over GraphQL, and test both against a server that ships in the package.

These files are in the package, node_modules/@saas-management/sdk, and on its site. llms-full.txt has all guides in one
file; skills/ has instructions for three tasks.
`;

/** Each file by its path. Page links begin with `docs`, which is an empty string for the site. */
export async function agentFiles(docs = "docs/"): Promise<ReadonlyMap<string, string>> {
  const guides = await pages("docs/guides");
  const reference = await pages("docs/reference");
  const skills = (await readdir(SKILLS)).sort();
  const files = new Map([
    ["llms.txt", (await listing(guides, reference, skills)).replaceAll("](docs/", `](${docs}`)],
    ["llms-full.txt", await everyGuide(guides)],
  ]);
  for (const skill of skills) {
    const template = await readFile(join(SKILLS, skill), "utf8");
    files.set(`skills/${skill.replace(/\.md$/, "")}/SKILL.md`, await withIncludes(template));
  }
  return files;
}

/** Writes them into the package, or into the site. */
export async function writeAgentFiles(folder: string, docs?: string): Promise<void> {
  await rm(join(folder, "skills"), { recursive: true, force: true });
  for (const [path, text] of await agentFiles(docs)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function listing(
  guides: readonly string[],
  reference: readonly string[],
  skills: readonly string[],
): Promise<string> {
  const paths = skills.map((skill) => `skills/${skill.replace(/\.md$/, "")}/SKILL.md`);
  const tasks = paths.map((path) => `- [${path.split("/")[1]?.replaceAll("-", " ")}](${path})`);
  const lines = async (names: readonly string[]) =>
    Promise.all(names.map(async (path) => `- [${(await titledPage(path))[0]}](${path})`));
  return [
    INTRODUCTION,
    `## Skills\n\n${tasks.join("\n")}\n`,
    `## Guides\n\n${(await lines(guides)).join("\n")}\n`,
    `## Reference\n\n${(await lines(reference)).join("\n")}\n`,
  ].join("\n");
}

async function everyGuide(guides: readonly string[]): Promise<string> {
  const texts = guides.map(async (path) => {
    const [title, body] = await titledPage(path);
    return `# ${title}\n\nFrom ${path}.\n\n${withoutLinks(path, body)}\n`;
  });
  return [INTRODUCTION, ...(await Promise.all(texts))].join("\n");
}

async function pages(folder: string): Promise<readonly string[]> {
  const names = (await readdir(join(ROOT, folder))).filter((name) => name.endsWith(".md")).sort();
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return names.sort((a, b) => rank(a) - rank(b)).map((name) => `${folder}/${name}`);
}
