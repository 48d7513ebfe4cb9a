const LETTERS = 36;
const DIGITS = 7;

/**
 * A number as a string of seven characters, in base 36: decimal ones would fill V8's cache of number strings, and that
 * memory would be the source's, not the SDK's.
 */
export function freshNumber(i: number): string {
  return i.toString(LETTERS).padStart(DIGITS, "0");
}
