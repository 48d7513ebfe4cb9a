/** Letters of a name that are compared: nobody mistypes a name into a longer one. */
const MAX_LENGTH = 60;

/**
 * The known name that a mistyped one was probably meant to be: `accounts` for `acounts`, `groupMembers` for
 * `group_members`. Undefined where none is near.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const meant = folded(name);
  if (meant.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let fewest = Math.floor(meant.length / 3) + 1;
  for (const candidate of known) {
    const edits = editsBetween(meant, folded(candidate));
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

/** `Did you mean accounts?` as the end of a message, with a blank before it; empty where no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** How a name sounds: case and separators are the likeliest slips. */
function folded(name: string): string {
  return name
    .slice(0, 2 * MAX_LENGTH)
    .toLowerCase()
    .replace(/[\s_-]/g, "");
}

/** How many letters must be put in, left out or changed (Levenshtein's distance). */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
