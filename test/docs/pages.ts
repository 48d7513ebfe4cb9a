import { readdir, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

/** The pages in `docs/`. */
export const DOCS = (await readdir(new URL("docs/", ROOT)))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);

/** Folders of the repository that pages speak of. */
const FOLDERS = ["api", "bench", "codegen", "docs", "examples", "proto", "schema", "scripts", "src", "test"];
const IN_FOLDER = new RegExp(`^(?:${FOLDERS.join("|")})/`);

/** A file that is named without its folders. What ends otherwise may be a file of the reader's. */
const SOURCE = /\w\.(?:ts|mjs|proto|graphql)$/;
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

/** A page of the documentation, with what it points at. */
export class Page {
  readonly #url: URL;
  readonly #text: string;

  private constructor(url: URL, text: string) {
    this.#url = url;
    this.#text = text;
  }

  static async read(path: string): Promise<Page> {
    const url = new URL(path, ROOT);
    return new Page(url, await readFile(url, "utf8"));
  }

  /** Where its links within the package lead to, each with its anchor. */
  links(): readonly URL[] {
    const links = this.#text.replace(FENCE, "").matchAll(/\]\((?![a-z]+:)([^)\s]+)/g);
    return [...links].map(([, target = ""]) => new URL(target, this.#url));
  }

  /** Anchors of its headings, as GitHub makes them. */
  anchors(): readonly string[] {
    return [...this.#text.replace(FENCE, "").matchAll(/^#+ (.+)$/gm)].map(
      ([, heading = ""]) =>
        `#${heading
          .toLowerCase()
          .replace(/[^\w\- ]/g, "")
          .replaceAll(" ", "-")}`,
    );
  }

  /** Files and folders of the repository that its text, or a drawing in it, names and that are not there. */
  missingFiles(): readonly string[] {
    const drawings = [...this.#text.matchAll(FENCE)].flatMap(([, language, drawing = ""]) =>
      language === "" ? (drawing.match(/[\w/-]+\.ts\b/g) ?? []) : [],
    );
    const inText = [...this.#text.replace(FENCE, "").matchAll(/`([\w./…*-]+)`/g)].map(
      ([, name = ""]) => name,
    );
    const named = inText.filter((name) => IN_FOLDER.test(name) || SOURCE.test(name));
    return [...new Set([...named, ...drawings])].filter((name) => !isThere(name));
  }
}

/** True where a file or a folder has the name, in which `*` stands for letters and `…` for folders. */
function isThere(name: string): boolean {
  const pattern = name
    .replace(/\/$/, "")
    .replaceAll(".", "\\.")
    .replaceAll("*", "[^/]*")
    .replaceAll("…", ".*");
  const path = new RegExp(`${IN_FOLDER.test(name) ? "^" : "(?:^|/)"}${pattern}(?:/|$)`);
  return files.some((file) => path.test(file));
}
