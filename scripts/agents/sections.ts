import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { ROOT } from "../api/entries.js";

const FENCE = /^(```.*?^```\n)/gms;
const INCLUDE = /<!-- include (\S+): (.+) -->/g;

/** Splits a page into its first heading and the rest. */
export async function titledPage(path: string): Promise<readonly [title: string, body: string]> {
  const text = await readFile(join(ROOT, path), "utf8");
  const [, title = "", body = ""] = /^# ([^\n]+)\n(.*)$/s.exec(text) ?? [];
  if (title === "") throw new Error(`${path} does not begin with a heading.`);
  return [title, body.trim()];
}

/** Replaces each include in a template with the current text of its sections. */
export async function withIncludes(template: string): Promise<string> {
  const included = new Map<string, string>();
  for (const [directive, path = "", headings = ""] of template.matchAll(INCLUDE)) {
    const text = await readFile(join(ROOT, path), "utf8");
    const sections = headings.split(", ").map((heading) => sectionOf(path, text, heading));
    included.set(directive, withoutLinks(path, sections.join("\n")));
  }
  return template.replace(INCLUDE, (directive) => included.get(directive)?.trim() ?? directive);
}

/** The text from a heading up to the next one, with the heading changed to the second level. */
function sectionOf(path: string, text: string, heading: string): string {
  const parts = text.split(FENCE);
  let found: string | undefined;
  let isIn = false;
  for (const part of parts) {
    if (part.startsWith("```")) {
      if (isIn) found += part;
      continue;
    }
    for (const line of part.split(/(?<=\n)/)) {
      const [, level = "", name] = /^(#+) (.+)\n?$/.exec(line) ?? [];
      if (level !== "") isIn = name === heading;
      if (isIn) found = level === "" ? `${found}${line}` : `## ${heading}\n`;
    }
  }
  if (found === undefined) throw new Error(`${path} has no heading "${heading}".`);
  return found;
}

/** Replaces links to pages with the pages' paths in the package, because an agent reads each file on its own. */
export function withoutLinks(path: string, text: string): string {
  const inPackage = (target: string) => posix.join(posix.dirname(path), target.replace(/#.*/, ""));
  return text
    .split(FENCE)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part
            .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
            .replace(/\[([^\]]*)\]\((?![a-z]+:)([^)\s]*)\)/g, (_, label: string, target: string) =>
              target.startsWith("#") || target === "" ? label : `${label} (${inPackage(target)})`,
            ),
    )
    .join("");
}
