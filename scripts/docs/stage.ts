import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { entries, ROOT } from "../api/entries.js";

/** Pages outside `docs/`, and their names on the site. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["README.md", "overview.md"],
  ["CHANGELOG.md", "changelog.md"],
  ["CONTRIBUTING.md", "contributing.md"],
  ["SECURITY.md", "security-policy.md"],
  ["examples/README.md", "examples.md"],
]);
const FENCE = /^(```.*?^```)/gms;

/** Copies the repository's pages to their places on the site, and adjusts their links. */
export async function stagePages(folder: string): Promise<void> {
  const docs = await readdir(join(ROOT, "docs"), { recursive: true });
  const files = docs.map((file) => `docs/${file.replaceAll("\\", "/")}`);
  for (const path of [...OTHERS.keys(), ...files]) {
    const target = join(folder, sitePath(path) ?? path);
    await mkdir(dirname(target), { recursive: true });
    if (path.endsWith(".svg")) await cp(join(ROOT, path), target);
    if (path.endsWith(".md")) await writeFile(target, moved(path, await readFile(join(ROOT, path), "utf8")));
  }
}

/** Sets the titles of the API reference's pages to import specifiers, and clears defaults shown as "undefined". */
export async function editApiPages(folder: string): Promise<void> {
  for (const { name, specifier } of await entries()) {
    await edit(join(folder, "api", name, "overview.md"), (page) => page.replace(/^# .*$/m, `# ${specifier}`));
  }
  for (const file of await readdir(join(folder, "api"), { recursive: true })) {
    if (!file.endsWith(".md")) continue;
    await edit(join(folder, "api", file), (page) =>
      page.replaceAll(" | `undefined` | ", " | | ").replaceAll("`SdkError", "`SaasManagementError"),
    );
  }
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}

function sitePath(path: string): string | undefined {
  return OTHERS.get(path) ?? (path.startsWith("docs/") ? path.slice("docs/".length) : undefined);
}

/** A page as the site shows it. A link to a file that isn't on the site becomes plain text. */
function moved(path: string, text: string): string {
  const here = posix.dirname(sitePath(path) ?? path);
  const parts = text.split(FENCE);
  return parts.map((part) => (part.startsWith("```") ? part : part.replace(LINK, replaced))).join("");

  function replaced(link: string, label: string, target: string, hash = ""): string {
    if (/^[a-z]+:/.test(target) || target === "") return link;
    const file = posix.join(posix.dirname(path), target);
    if (!existsSync(join(ROOT, file))) throw new Error(`${path} links to ${target}, which does not exist.`);
    const site = sitePath(file);
    if (site === undefined) return label;
    const relative = posix.relative(here, site);
    return `[${label}](${relative.startsWith(".") ? relative : `./${relative}`}${hash})`;
  }
}

const LINK = /\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g;
