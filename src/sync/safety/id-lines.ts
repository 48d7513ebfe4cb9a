/**
 * Ids as lines of UTF-8 text, which is how a ledger gets and gives them: each line is one id and ends with a line feed.
 * Within an id a backslash is written as `\\` and a line feed as `\n`.
 */

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;

/**
 * Lines -> ids.
 * @param lines Whole lines.
 */
export function idsOfLines(lines: Uint8Array): string[] {
  const ids = new TextDecoder().decode(lines).split("\n");
  ids.pop();
  return ids.map((line) =>
    line.includes("\\") ? line.replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c)) : line,
  );
}

/** Ids -> lines. */
export function linesOfIds(ids: Iterable<string>): Uint8Array {
  let text = "";
  for (const id of ids) text += `${id.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`;
  return new TextEncoder().encode(text);
}

/**
 * Writes an id's line to `target`, which must have room for twice its bytes and one.
 * @returns where the line ends, without its line feed
 */
export function putLine(
  target: Uint8Array,
  at: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let to = at;
  for (let from = start; from < end; from += 1) {
    const byte = bytes[from] ?? 0;
    if (byte === LINE_FEED || byte === BACKSLASH) {
      target[to++] = BACKSLASH;
      target[to++] = byte === LINE_FEED ? LETTER_N : BACKSLASH;
    } else {
      target[to++] = byte;
    }
  }
  target[to] = LINE_FEED;
  return to;
}

/** Text in pieces of any size -> pieces of whole lines. */
export async function* wholeLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let rest = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield bytes.subarray(0, end);
    // A copy: the piece may be large, and what is left of it is not.
    rest = bytes.slice(end);
  }
  if (rest.length > 0) yield Buffer.concat([rest, new Uint8Array([LINE_FEED])]);
}

/** Calls back with the place of each of these whole lines, without its line feed. */
export function eachLine(lines: Uint8Array, callback: (start: number, end: number) => void): void {
  let start = 0;
  for (let end = lines.indexOf(LINE_FEED); end !== -1; end = lines.indexOf(LINE_FEED, start)) {
    callback(start, end);
    start = end + 1;
  }
}
