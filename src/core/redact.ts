/**
 * Line ends and control characters can forge a log line or steer a terminal; direction marks, zero-width and filler
 * characters hide text; lone surrogates are not valid text.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Shorter words in an `Authorization` value are names of schemes and parameters. */
const MIN_SECRET_LENGTH = 8;

/** Returns one line of printable characters; all others become escapes such as `\u000a` or `\u{e0041}`. */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

export function redactSecrets(text: string, secrets: readonly string[]): string {
  // Begins with the longest, because a shorter secret may be part of a longer one.
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}

/** The secrets in an `Authorization` value. A server may echo only the second word of `Bearer abc…`. */
export function secretsIn(authorization: string): readonly string[] {
  const words = authorization.split(" ").filter((word) => word.length >= MIN_SECRET_LENGTH);
  return [authorization, ...words];
}
