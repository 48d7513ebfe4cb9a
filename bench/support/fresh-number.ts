const LETTERS = 36;
const DIGITS = 7;

/**
 * A number as a string of seven characters, in base 36: V8 caches thousands of decimal numbers as texts, whose memory
 * would be the source's, not the SDK's.
 */
export function freshNumber(i: number): string {
  return i.toString(LETTERS).padStart(DIGITS, "0");
}
