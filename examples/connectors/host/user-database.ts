import { entryLines, firstOfEachName, type Parsed, parseId } from "./notes.js";

export interface HostUser {
  readonly name: string;
  readonly uid: number;
  /** Id of the primary group. */
  readonly gid: number;
  /** Full name, optionally with room and telephone numbers after commas. */
  readonly gecos: string;
  readonly home: string;
  readonly shell: string;
  /** Location of the entry, for notes. */
  readonly at: string;
}

export interface HostGroup {
  readonly name: string;
  readonly gid: number;
  /** Names of its members, except those with this primary group. */
  readonly members: readonly string[];
  /** Location of the entry, for notes. */
  readonly at: string;
}

/** Parses `passwd(5)`: name, password, uid, gid, gecos, home and shell. */
export function parsePasswd(text: string, file = "/etc/passwd"): Parsed<HostUser> {
  return parseFields(
    text,
    file,
    7,
    ([name = "", , uidText, gidText, gecos = "", home = "", shell = ""], at) => {
      const uid = parseId(uidText);
      const gid = parseId(gidText);
      if (name === "" || uid === undefined || gid === undefined) return undefined;
      return { name, uid, gid, gecos, home, shell, at };
    },
  );
}

/** Parses `group(5)`: name, password, gid and members. */
export function parseGroup(text: string, file = "/etc/group"): Parsed<HostGroup> {
  return parseFields(text, file, 4, ([name = "", , gidText, list = ""], at) => {
    const gid = parseId(gidText);
    if (name === "" || gid === undefined) return undefined;
    const members = list.split(",").map((member) => member.trim());
    return { name, gid, members: members.filter((member) => member !== ""), at };
  });
}

function parseFields<T extends { readonly name: string; readonly at: string }>(
  text: string,
  file: string,
  count: number,
  toEntry: (fields: readonly string[], at: string) => T | undefined,
): Parsed<T> {
  const entries: T[] = [];
  const notes: string[] = [];
  for (const { number, line } of entryLines(text)) {
    const at = `${file}: line ${number}`;
    // nsswitch.conf(5), "compat": the line includes or excludes entries of a directory service.
    if (/^[+-]/.test(line)) {
      notes.push(`${at} refers to a directory service (NIS) and was skipped.`);
      continue;
    }
    const fields = line.split(":");
    const entry = fields.length === count ? toEntry(fields, at) : undefined;
    if (entry !== undefined) entries.push(entry);
    else if (fields.length !== count)
      notes.push(`${at} has ${fields.length} fields instead of ${count} and was skipped.`);
    else notes.push(`${at} lacks a name or a numeric id and was skipped.`);
  }
  return firstOfEachName(entries, notes);
}
