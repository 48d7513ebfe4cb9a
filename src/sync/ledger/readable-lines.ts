/**
 * Lines of ids as a person reads them, in a file that says what a run would remove: what would steer a terminal or hide
 * something from its reader is written as an escape such as `\u{1b}`. In a line of ids a backslash is followed by
 * another one or by an `n`, so that these escapes are told from everything else.
 */
import { wholeLines } from "./id-lines.js";

type Lines = AsyncIterable<Uint8Array>;

/** Control characters but for the line feed, which ends a line, and what has no shape of its own. */
const UNREADABLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?!\n)\p{Cc}/gu;

/** Lines of ids -> the same as a person reads them. */
export function readableLines(lines: Lines): Lines {
  return rewritten(lines, (text) =>
    text.replace(UNREADABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`),
  );
}

/** Lines as a person reads them -> lines of ids. */
export function linesOfReadable(lines: Lines): Lines {
  return rewritten(lines, (text) =>
    text.replace(/\\(?:u\{([0-9a-f]{1,6})\}|.)/gu, (written, code: string | undefined) =>
      code === undefined ? written : characterOf(Number.parseInt(code, 16)),
    ),
  );
}

/** What is beyond Unicode was not written by the SDK; the file's checksum tells of it. */
function characterOf(code: number): string {
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

async function* rewritten(
  lines: Lines,
  rewrite: (text: string) => string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const piece of wholeLines(lines)) yield encoder.encode(rewrite(decoder.decode(piece)));
}
