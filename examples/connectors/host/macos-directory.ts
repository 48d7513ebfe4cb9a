import { firstOfEachName, type Parsed, parseId } from "./notes.js";
import type { HostGroup, HostUser } from "./user-database.js";

/** Parses the output of `dscacheutil -q user`: one paragraph per entry, one `name: value` per line. */
export function parseDirectoryUsers(text: string): Parsed<HostUser> {
  return parseParagraphs(text, "dscacheutil -q user", (fields, at) => {
    const name = fields.get("name");
    const uid = parseId(fields.get("uid"));
    const gid = parseId(fields.get("gid"));
    if (!name || uid === undefined || gid === undefined) return undefined;
    const value = (key: string) => fields.get(key) ?? "";
    return { name, uid, gid, gecos: value("gecos"), home: value("dir"), shell: value("shell"), at };
  });
}

/** Parses the output of `dscacheutil -q group`. Members are separated by spaces. */
export function parseDirectoryGroups(text: string): Parsed<HostGroup> {
  return parseParagraphs(text, "dscacheutil -q group", (fields, at) => {
    const name = fields.get("name");
    const gid = parseId(fields.get("gid"));
    if (!name || gid === undefined) return undefined;
    const members = (fields.get("users") ?? "").split(/\s+/).filter((member) => member !== "");
    return { name, gid, members, at };
  });
}

function parseParagraphs<T extends { readonly name: string; readonly at: string }>(
  text: string,
  source: string,
  toEntry: (fields: ReadonlyMap<string, string>, at: string) => T | undefined,
): Parsed<T> {
  const entries: T[] = [];
  const notes: string[] = [];
  const paragraphs = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  for (const [index, paragraph] of paragraphs.entries()) {
    const at = `${source}: entry ${index + 1}`;
    const fields = new Map(
      paragraph.split("\n").map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const entry = toEntry(fields, at);
    if (entry === undefined) notes.push(`${at} lacks a name or a numeric id and was skipped.`);
    else entries.push(entry);
  }
  return firstOfEachName(entries, notes);
}
