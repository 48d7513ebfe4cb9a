import { readdir, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

/** The pages in `docs/`. */
export const DOCS = (await readdir(new URL("docs/", ROOT), { recursive: true }))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file.replaceAll("\\", "/")}`)
  .sort();

/** Pages for maintainers, which the package does not contain. */
export const isInternal = (path: string) => path.startsWith("docs/internals/");

/** Folders of the repository that pages refer to. */
const FOLDERS = [
  "api",
  "bench",
  "codegen",
  "contract",
  "docs",
  "examples",
  "proto",
  "schema",
  "scripts",
  "src",
  "test",
];
const IN_FOLDER = new RegExp(`^(?:${FOLDERS.join("|")})/`);

/** A file name without folders. Files with other extensions may be the reader's own. */
const SOURCE = /\w\.(?:ts|proto)$|^schema\.graphql$/;
const FENCE = /^```(\w*)\n(.*?)^```/gms;

const files = (
  await Promise.all(
    FOLDERS.map(async (folder) => {
      const entries = await readdir(new URL(folder, ROOT), { recursive: true });
      return entries.map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`);
    }),
  )
)
  .flat()
  .concat(await readdir(ROOT));

/** A page of the documentation, and what the page refers to. */
export class Page {
  readonly path: string;
  readonly text: string;

  private constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
  }

  static async read(path: string): Promise<Page> {
    return new Page(path, await readFile(new URL(path, ROOT), "utf8"));
  }

  /** The page's snippets that run alone: those in `ts`, not in `typescript`. */
  snippets(): readonly string[] {
    return [...this.text.matchAll(FENCE)].flatMap(([, language, code = ""]) =>
      language === "ts" ? [code] : [],
    );
  }

  /** Targets of the page's links within the repository, with their anchors. */
  links(): readonly URL[] {
    const links = this.text.replace(FENCE, "").matchAll(/\]\((?![a-z]+:)([^)\s]+)/g);
    return [...links].map(([, target = ""]) => new URL(target, new URL(this.path, ROOT)));
  }

  /** The rows of the table under a heading, without its head, as trimmed cells. */
  table(heading: string): readonly (readonly string[])[] {
    const section = this.text.split(new RegExp(`\n#+ ${heading}\n`))[1]?.split(/\n#+ /)[0] ?? "";
    return section
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2)
      .map(cells);
  }

  /** Files and folders that the page's text or a drawing names, but that don't exist in the repository. */
  missingFiles(): readonly string[] {
    const drawings = [...this.text.matchAll(FENCE)].flatMap(([, language, drawing = ""]) =>
      language === "" ? (drawing.match(/[\w/-]+\.ts\b/g) ?? []) : [],
    );
    const inText = [...this.text.replace(FENCE, "").matchAll(/`([\w./…*-]+)`/g)].map(([, name = ""]) => name);
    const named = inText.filter((name) => IN_FOLDER.test(name) || SOURCE.test(name));
    return [...new Set([...named, ...drawings])].filter((name) => !exists(name));
  }
}

/** The cells of a row; `\|` is a bar within a cell. */
function cells(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** True if a file or a folder has the name; `*` stands for characters and `…` for folders. */
function exists(name: string): boolean {
  const pattern = name
    .replace(/\/$/, "")
    .replaceAll(".", "\\.")
    .replaceAll("*", "[^/]*")
    .replaceAll("…", ".*");
  const path = new RegExp(`${IN_FOLDER.test(name) ? "^" : "(?:^|/)"}${pattern}(?:/|$)`);
  return files.some((file) => path.test(file));
}
