/** Bytes -> text of whole lines, in one of a few encodings. */
import type { InvalidInputError } from "../errors.js";
import { type Decode, decodeOf, type TextEncoding } from "./encoding.js";
import { problemAt } from "./problem.js";

const LINE_FEED = 0x0a;

/** Longest line in bytes, where the caller sets none: the service takes no record of this size. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** How the bytes are read. */
export interface TextFormat {
  readonly name: string;
  readonly encoding: TextEncoding;
  /** Longest line in bytes. */
  readonly maxLineBytes: number;
}

/** Whole lines: everything but the last line of a file ends with a line feed. */
export interface TextBlock {
  readonly text: string;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/**
 * Cuts bytes at line ends and decodes them, so that no character is ever cut.
 * @throws {InvalidInputError} bytes that are not valid in the encoding, or a line that is too long
 */
export async function* textBlocks(
  chunks: AsyncIterable<Uint8Array>,
  format: TextFormat,
): AsyncGenerator<TextBlock, void, undefined> {
  const lines = new WholeLines(format);
  const decoder = new LineDecoder(format);
  for await (const chunk of chunks) {
    const bytes = lines.push(chunk, decoder.line);
    if (bytes !== undefined) yield decoder.decode(bytes);
  }
  const rest = lines.rest();
  if (rest.length > 0) yield decoder.decode(rest);
}

/** Holds back the bytes after the last line end. */
class WholeLines {
  readonly #format: TextFormat;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(format: TextFormat) {
    this.#format = format;
  }

  push(chunk: Uint8Array, line: number): Uint8Array | undefined {
    const { name, encoding, maxLineBytes } = this.#format;
    const end = encoding === "utf-16le" ? this.#endOfWideLine(chunk) : chunk.lastIndexOf(LINE_FEED) + 1;
    const whole = end === 0 ? undefined : this.#take(chunk.subarray(0, end));
    // A copy: the chunk's memory is used again.
    this.#hold(chunk.slice(end));
    if (this.#heldBytes > maxLineBytes) {
      const before = whole === undefined ? 0 : [...linesOf(whole, encoding)].length;
      throw tooLong(`${name}:${line + before}`, maxLineBytes);
    }
    return whole;
  }

  rest(): Uint8Array {
    return this.#take(new Uint8Array());
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #take(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0) return bytes;
    const all = Buffer.concat([...this.#held, bytes]);
    this.#held = [];
    this.#heldBytes = 0;
    return all;
  }

  /** A line feed is two bytes there, of which the first is at an even place in the file. */
  #endOfWideLine(chunk: Uint8Array): number {
    const odd = this.#heldBytes % 2;
    for (let at = chunk.length - 1; at >= 0; at -= 1) {
      const low = at === 0 ? this.#held.at(-1)?.at(-1) : chunk[at - 1];
      if (chunk[at] === 0 && low === LINE_FEED && at % 2 === 1 - odd) return at + 1;
    }
    return 0;
  }
}

/** Decodes whole lines, and knows the number of the next one. */
class LineDecoder {
  readonly #format: TextFormat;
  readonly #decode: Decode;
  #line = 1;

  constructor(format: TextFormat) {
    this.#format = format;
    this.#decode = decodeOf(format.encoding);
  }

  get line(): number {
    return this.#line;
  }

  decode(bytes: Uint8Array): TextBlock {
    const line = this.#line;
    let text: string;
    try {
      text = this.#decode(bytes);
    } catch {
      throw this.#undecodable(bytes);
    }
    if (line === 1 && text.startsWith("\uFEFF")) text = text.slice(1);
    this.#line += countIn(text, "\n");
    return { text, line };
  }

  #undecodable(bytes: Uint8Array): InvalidInputError {
    const { name, encoding } = this.#format;
    return problemAt(
      `${name}:${this.#line + this.#linesBefore(bytes)}`,
      `is not valid ${encoding.toUpperCase()}`,
      'Tell its encoding, such as encoding: "windows-1252" or "utf-16le".',
    );
  }

  /** Number of lines before the first that cannot be decoded. */
  #linesBefore(bytes: Uint8Array): number {
    let before = 0;
    for (const line of linesOf(bytes, this.#format.encoding)) {
      try {
        this.#decode(line);
      } catch {
        break;
      }
      before += 1;
    }
    return before;
  }
}

/** The lines of bytes that begin with one. */
function* linesOf(bytes: Uint8Array, encoding: TextEncoding): Generator<Uint8Array> {
  const wide = encoding === "utf-16le";
  let start = 0;
  for (let at = 0; at < bytes.length; at += wide ? 2 : 1) {
    if (bytes[at] !== LINE_FEED || (wide && bytes[at + 1] !== 0)) continue;
    yield bytes.subarray(start, at + (wide ? 2 : 1));
    start = at + (wide ? 2 : 1);
  }
  if (start < bytes.length) yield bytes.subarray(start);
}

/** A line, or a row of several lines, that no record can be as long as. */
export function tooLong(location: string, maxBytes: number): InvalidInputError {
  return problemAt(location, `is longer than ${maxBytes} bytes`);
}

/** How often a character occurs in a text. */
export function countIn(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
