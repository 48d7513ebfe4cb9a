/**
 * What must not stand in a line that a person or a log reads: line ends and other control characters, with which a text
 * could forge a line or steer a terminal; what has no shape of its own, such as the marks that turn the direction of
 * reading, blanks without width and letters that only fill a place; halves of surrogate pairs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** A text in one line of printable characters: others are written as escapes, such as `\u000a` or `\u{e0041}`. */
export function plainText(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}
