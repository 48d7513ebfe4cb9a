/** Bytes in one of a few encodings, or text in pieces -> text of whole lines. */
import type { InvalidInputError } from "../core/errors/index.js";
import { countIn } from "./count-in.js";
import { type Decode, decodeOf, type TextEncoding } from "./encoding.js";
import { problemAt } from "./problem.js";
import { TextPieces } from "./text-pieces.js";

const LINE_FEED = 0x0a;

/** Longest line in bytes, where the caller sets none: the service takes no record of this size. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** How the bytes are read. */
export interface TextFormat {
  readonly name: string;
  /** Of bytes: text has been decoded already. */
  readonly encoding: TextEncoding;
  /** Longest line in bytes. */
  readonly maxLineBytes: number;
  /** Whether text in several pieces must have a line end: without any it may be lines that have lost theirs. */
  readonly needsLineEnd?: boolean;
}

/** Whole lines: everything but the last line of a file ends with a line feed. */
export interface TextBlock {
  readonly text: string;
  /** Number of the first line, from 1. */
  readonly line: number;
}

/**
 * Cuts bytes at line ends and decodes them, so that no character is ever cut.
 * @throws {InvalidInputError} bytes that are not valid in the encoding, text that is cut within a character, or a line
 *   that is too long
 */
export async function* textBlocks(
  chunks: AsyncIterable<Uint8Array | string>,
  format: TextFormat,
): AsyncGenerator<TextBlock, void, undefined> {
  let reader: BlockReader | undefined;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    reader ??= new BlockReader(format, typeof chunk === "string");
    const block = reader.push(chunk);
    if (block !== undefined) yield block;
  }
  const last = reader?.end();
  if (last !== undefined) yield last;
}

/** Chunks -> blocks. Text goes the way of bytes too, as UTF-8: what is cut, held back and counted are bytes. */
class BlockReader {
  readonly #isText: boolean;
  /** Text and bytes may come mixed where both end up as UTF-8. */
  readonly #mayMix: boolean;
  readonly #name: string;
  readonly #needsLineEnd: boolean;
  readonly #pieces: TextPieces;
  readonly #lines: WholeLines;
  readonly #decoder: LineDecoder;
  #chunks = 0;

  constructor(format: TextFormat, isText: boolean) {
    const read: TextFormat = isText ? { ...format, encoding: "utf-8" } : format;
    this.#isText = isText;
    this.#mayMix = format.encoding === "utf-8";
    this.#name = format.name;
    this.#needsLineEnd = isText && format.needsLineEnd === true;
    this.#pieces = new TextPieces(format.name);
    this.#lines = new WholeLines(read);
    this.#decoder = new LineDecoder(read);
  }

  push(chunk: Uint8Array | string): TextBlock | undefined {
    const { line } = this.#decoder;
    this.#chunks += 1;
    const isText = typeof chunk === "string";
    if (isText !== this.#isText && !this.#mayMix) {
      throw problemAt(
        this.#name,
        "gives both text and bytes",
        "Hand over its bytes alone, with their encoding.",
      );
    }
    if (!isText) this.#pieces.end(line);
    const bytes = this.#lines.push(isText ? this.#pieces.encode(chunk, line) : chunk, line);
    return bytes === undefined ? undefined : this.#decoder.decode(bytes);
  }

  end(): TextBlock | undefined {
    this.#pieces.end(this.#decoder.line);
    if (this.#needsLineEnd && this.#chunks > 1 && this.#decoder.line === 1) {
      const problem = `comes in ${this.#chunks} pieces without any line end`;
      throw problemAt(this.#name, problem, "Hand over the stream itself, not a reader of its lines.");
    }
    const rest = this.#lines.rest();
    return rest.length === 0 ? undefined : this.#decoder.decode(rest);
  }
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
