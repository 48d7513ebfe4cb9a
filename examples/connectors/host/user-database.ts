import { entryLines, firstOfEachName, type Parsed, parseId } from "./notes.js";

/** An account of the machine. */
export interface HostUser {
  readonly name: string;
  readonly uid: number;
  /** Id of the primary group. */
  readonly gid: number;
  /** Full name, perhaps with room and telephone number after commas. */
  readonly gecos: string;
  readonly home: string;
  readonly shell: string;
  /** Where the entry stands, for notes. */
  readonly at: string;
}

/** A group of the machine. */
export interface HostGroup {
  readonly name: string;
  readonly gid: number;
  /** Names of the accounts that belong to it beside those whose primary group it is. */
  readonly members: readonly string[];
  /** Where the entry stands, for notes. */
  readonly at: string;
}

/** Reads the text of a `passwd(5)` file: name, password, uid, gid, gecos, home and shell between colons. */
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

/** Reads the text of a `group(5)` file: name, password, gid and members between colons. */
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
    // nsswitch.conf(5), "compat": such a line includes or excludes entries that a directory service holds.
    if (/^[+-]/.test(line)) {
      notes.push(`${at} refers to a directory service (NIS), which is not read.`);
      continue;
    }
    const fields = line.split(":");
    const entry = fields.length === count ? toEntry(fields, at) : undefined;
    if (entry !== undefined) entries.push(entry);
    else if (fields.length !== count)
      notes.push(`${at} has ${fields.length} fields instead of ${count} and is not read.`);
    else notes.push(`${at} lacks a name or a numeric id and is not read.`);
  }
  return firstOfEachName(entries, notes);
}
