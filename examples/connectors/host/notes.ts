/**
 * Entries, and notes about lines that were skipped, as the tools of the machine skip them. Notes name the line and never
 * its content.
 */
export interface Parsed<T> {
  readonly entries: readonly T[];
  readonly notes: readonly string[];
}

/** The lines with entries, with their numbers from 1. Empty lines and comments are left out. */
export function entryLines(text: string): { readonly number: number; readonly line: string }[] {
  return text
    .split("\n")
    .map((line, index) => ({ number: index + 1, line }))
    .filter(({ line }) => line.trim() !== "" && !line.trimStart().startsWith("#"));
}

/** Parses a user or group id of 32 bits; macOS may print it as negative. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  return id <= 0xffff_ffff ? id : undefined;
}

/** Keeps the first entry of each name, as the machine does, and notes the others. */
export function firstOfEachName<T extends { readonly name: string; readonly at: string }>(
  entries: readonly T[],
  notes: readonly string[],
): Parsed<T> {
  const byName = new Map<string, T>();
  const repeated: string[] = [];
  for (const entry of entries) {
    if (byName.has(entry.name))
      repeated.push(`${entry.at} repeats the name of an earlier entry and was skipped.`);
    else byName.set(entry.name, entry);
  }
  return { entries: [...byName.values()], notes: [...notes, ...repeated] };
}
