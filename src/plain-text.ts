/**
 * What must not stand in a line that a person or a log reads: line ends and other control characters, with which a text
 * could forge a line or steer a terminal; the marks that turn the direction of reading; halves of surrogate pairs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/** A text in one line of printable characters: others are written as escapes, such as `\u000a`. */
export function plainText(text: string): string {
  return text.replace(UNPRINTABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
