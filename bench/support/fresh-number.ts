const LETTERS = 36;
const DIGITS = 7;

/**
 * A number as a string of seven characters. Base 36, not 10: V8 keeps the last thousands of decimal numbers that were
 * made into texts, which would be a source's memory and not the SDK's.
 */
export function freshNumber(i: number): string {
  return i.toString(LETTERS).padStart(DIGITS, "0");
}
