import { didYouMean, slipOf } from "./nearest.js";

/** The names of an options type, as a value: the compiler refuses one that lacks a name, or has one too many. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/** Names that are known in one place. */
export type KnownNames = Readonly<Record<string, true>>;

/** More names than these are too many for a message. */
const FEW = 12;

/**
 * What is wrong with the first name that nobody reads, and what it may have been meant for; undefined where all names
 * are known. Symbols and what is inherited are no options; a name whose value is undefined is one.
 * @param place What the options are of: `The options of write`.
 */
export function unknownName(place: string, given: object, known: KnownNames): string | undefined {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const names = Object.keys(known);
  const list = names.length > FEW ? "" : ` Known are: ${names.join(", ")}.`;
  return `${place}: there is no ${shown(unknown)}.${didYouMean(unknown, names)}${list}`;
}

/** A name that does not look like one may be anything, such as a key that came into the wrong place. */
function shown(name: string): string {
  return /^[A-Za-z_$][\w$-]{0,31}$/.test(name) ? name : "option of that name";
}

/**
 * What is wrong with the first name that is a slip of a known one, among names of which some are for others: people
 * hand over an object that holds more than a client's options. Undefined where there is none.
 */
export function misspelledName(place: string, given: object, known: KnownNames): string | undefined {
  const names = Object.keys(known);
  for (const name of Object.keys(given)) {
    const meant = Object.hasOwn(known, name) ? undefined : slipOf(name, names);
    if (meant !== undefined) return `${place}: there is no ${shown(name)}. Did you mean ${meant}?`;
  }
  return undefined;
}
