/**
 * What was read, and what was not: a machine's own tools pass over lines that they do not understand, and so does this
 * connector, but it says so. Notes tell the place and never the content.
 */
export interface Parsed<T> {
  readonly entries: readonly T[];
  readonly notes: readonly string[];
}

/** The lines of a database that hold an entry, with their numbers from 1: no empty lines and no comments. */
export function entryLines(text: string): { readonly number: number; readonly line: string }[] {
  return text
    .split("\n")
    .map((line, index) => ({ number: index + 1, line }))
    .filter(({ line }) => line.trim() !== "" && !line.trimStart().startsWith("#"));
}

/** A user or group id: a number of 32 bits, which macOS may show with a sign. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  return id <= 0xffff_ffff ? id : undefined;
}

/** The first of the entries of each name, as the machine takes it, too; and a note on every other one. */
export function firstOfEachName<T extends { readonly name: string; readonly at: string }>(
  entries: readonly T[],
  notes: readonly string[],
): Parsed<T> {
  const byName = new Map<string, T>();
  const repeated: string[] = [];
  for (const entry of entries) {
    if (byName.has(entry.name))
      repeated.push(`${entry.at} repeats the name of an earlier entry and is not read.`);
    else byName.set(entry.name, entry);
  }
  return { entries: [...byName.values()], notes: [...notes, ...repeated] };
}
