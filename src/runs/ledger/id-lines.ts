/** Ids as lines of UTF-8, one id per line. A backslash in an id is written as `\\`, and a line feed as `\n`. */

const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;
const NEW_LINE = new Uint8Array([LINE_FEED]);
/** An id may begin with U+FEFF. In an id, it isn't a byte order mark. */
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

export function idOfLine(line: Uint8Array): string {
  return TEXT.decode(line).replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}

/** The opposite of `idOfLine`, for a few ids. */
export async function* linesOf(ids: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(ids.map((id) => `${id.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`).join(""));
}

/** The ids of whole lines. */
export async function* idsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) {
    const ids: string[] = [];
    eachLine(piece, (start, end) => void ids.push(idOfLine(piece.subarray(start, end))));
    yield* ids;
  }
}

/** Replaces each id in whole lines; the new ids contain no line feeds or backslashes. */
export function mapLines(lines: Uint8Array, change: (id: Uint8Array) => Uint8Array): Uint8Array {
  const changed: Uint8Array[] = [];
  eachLine(lines, (start, end) => {
    changed.push(change(Buffer.from(idOfLine(lines.subarray(start, end)))), NEW_LINE);
  });
  return Buffer.concat(changed);
}

/**
 * Writes the line of an id to `target`, which needs room for twice the bytes of the id, plus one.
 * @returns the end of the line, without its line feed
 */
export function putLine(target: DataView, at: number, bytes: DataView, start: number, end: number): number {
  let to = at;
  let from = start;
  for (; from + 4 <= end; from += 4) {
    const word = bytes.getInt32(from, true);
    if (hasByte(word, LINE_FEED) || hasByte(word, BACKSLASH)) break;
    target.setInt32(to, word, true);
    to += 4;
  }
  for (; from < end; from += 1) {
    const byte = bytes.getUint8(from);
    if (byte === LINE_FEED || byte === BACKSLASH) {
      target.setUint8(to++, BACKSLASH);
      target.setUint8(to++, byte === LINE_FEED ? LETTER_N : BACKSLASH);
    } else {
      target.setUint8(to++, byte);
    }
  }
  target.setUint8(to, LINE_FEED);
  return to;
}

/** Whether a word of four bytes contains a byte. Subtracting 1 from a zero byte borrows from its upper bit. */
function hasByte(word: number, byte: number): boolean {
  const zeros = word ^ Math.imul(byte, 0x01010101);
  return ((zeros - 0x01010101) & ~zeros & 0x80808080) !== 0;
}

/** No line is this long: a message has less than 16 MiB, and a line has at most two bytes for each byte of its id. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Splits text in pieces of any size into pieces of whole lines. @throws {RangeError} a line is longer than any id */
export async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const from = rest.length === 0 ? 0 : piece.indexOf(LINE_FEED) + 1;
      if (from > 0) yield Buffer.concat([...rest, piece.subarray(0, from)]);
      if (from < end) yield piece.subarray(from, end);
      rest = [];
      restBytes = 0;
    }
    if (end === piece.length) continue;
    // A copy, so that the large piece isn't kept in memory.
    rest.push(new Uint8Array(piece.subarray(end)));
    restBytes += piece.length - end;
    if (restBytes > MAX_LINE_BYTES) throw new RangeError("a line is longer than any id");
  }
  if (rest.length > 0) yield Buffer.concat([...rest, NEW_LINE]);
}

/** Calls back with the start and end of each line, without its line feed. */
export function eachLine(lines: Uint8Array, callback: (start: number, end: number) => void): void {
  let start = 0;
  for (let end = lines.indexOf(LINE_FEED); end !== -1; end = lines.indexOf(LINE_FEED, start)) {
    callback(start, end);
    start = end + 1;
  }
}
