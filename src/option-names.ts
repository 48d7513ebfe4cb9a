/** The names of an options type, as a value: the compiler refuses one that lacks a name, or has one too many. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/** Names that are known in one place. */
export type KnownNames = Readonly<Record<string, true>>;

/** More names than these are too many for a message. */
const FEW = 12;

/**
 * What is wrong with the first name that nobody reads, and what it may have been meant for; undefined where all names are
 * known. Symbols and what is inherited are no options; a name whose value is undefined is one.
 * @param place What the options are of: `The options of write`.
 */
export function unknownName(place: string, given: object, known: KnownNames): string | undefined {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const names = Object.keys(known);
  const nearest = nearestName(unknown, names);
  const meant = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const list = names.length > FEW ? "" : ` Known are: ${names.join(", ")}.`;
  return `${place}: there is no ${shown(unknown)}.${meant}${list}`;
}

/** A name that does not look like one may be anything, such as a key that came into the wrong place. */
function shown(name: string): string {
  return /^[A-Za-z_$][\w$-]{0,31}$/.test(name) ? name : "option of that name";
}

/** The known name that was most likely meant: written otherwise, cut short or made longer, or with a slip or two. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const slips = (other: string) => distance(plain, plainName(other));
  const [nearest] = known.toSorted((a, b) => slips(a) - slips(b));
  if (nearest !== undefined && slips(nearest) <= 2 && slips(nearest) * 2 <= plain.length) return nearest;
  return known.find((other) => {
    const [short = "", long = ""] = [plain, plainName(other)].toSorted((a, b) => a.length - b.length);
    return short.length > 2 && long.startsWith(short);
  });
}

function plainName(name: string): string {
  return name.slice(0, 32).toLowerCase().replace(/[-_]/g, "");
}

/** How many letters must be changed, added or left out to make one text of the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [above = 0, right = 0, left = 0] = [row[column], row[column + 1], next[column]];
      next.push(Math.min(above + (letter === other ? 0 : 1), right + 1, left + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
