/** Letters of a name that are compared: nobody mistypes a name into a longer one. */
const MAX_LENGTH = 60;

/** Edits that two letters in each other's place count for, and the fewest letters of a name that may have them. */
const SWAP = 2;
const MIN_SWAPPED = 4;

/** Letters of a name for each that may be wrong in it, where names of others are no surprise. */
const MIN_SLIP = 5;

/** What a name may end with, and is left out easily. */
const UNIT = "ms";

/** Fewest letters that one name must be of another, to be taken for its beginning. */
const MIN_BEGINNING = 3;

/**
 * The known name that a mistyped one was probably meant to be: `accounts` for `acounts`, `groupMembers` for
 * `group_members`, `timeoutMs` for `timeout`. Undefined where none is near.
 */
function nearest(name: string, known: readonly string[]): string | undefined {
  const meant = folded(name);
  if (meant.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let fewest = Math.max(Math.floor(meant.length / 3), meant.length < MIN_SWAPPED ? 0 : SWAP) + 1;
  for (const candidate of known) {
    const edits = editsBetween(meant, folded(candidate));
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best ?? known.find((candidate) => oneBeginsOther(meant, folded(candidate)));
}

function oneBeginsOther(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= MIN_BEGINNING && long.startsWith(short);
}

/** `Did you mean accounts?` as the end of a message, with a blank before it; empty where no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/**
 * The known name that one is certainly a slip of: written with other capitals or separators, without its unit, or with
 * one or two letters wrong in a long name. For objects that may hold names of others.
 */
export function slipOf(name: string, known: readonly string[]): string | undefined {
  const meant = folded(name);
  return known.find((candidate) => {
    const other = folded(candidate);
    if (meant.length < MIN_SLIP || meant.length > MAX_LENGTH) return meant === other;
    return other === meant + UNIT || editsBetween(meant, other) * MIN_SLIP <= meant.length;
  });
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
