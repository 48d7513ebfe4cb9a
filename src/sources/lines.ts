/** Splits bytes or text into decoded blocks of whole lines. */
import type { InvalidInputError } from "../core/errors/index.js";
import { encodingAdvice, otherKind, type TextEncoding } from "./file-kind.js";
import { problemAt } from "./source.js";

export interface TextFormat {
  readonly name: string;
  /** Encoding of chunks of bytes; chunks of text are already decoded. */
  readonly encoding: TextEncoding;
  /** Whether to refuse chunks of text that have no line end, because they may be lines whose ends were removed. */
  readonly needsLineEnd?: boolean;
}

/** Whole lines. Only the last line of a file may lack its line feed. */
export interface TextBlock {
  readonly text: string;
  readonly line: number;
}

/** The longest line that is read. The service wouldn't accept a record of this size. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const LINE_FEED = 0x0a;
const WIDE_LINE_FEEDS: Partial<Record<TextEncoding, readonly number[]>> = {
  "utf-16le": [LINE_FEED, 0],
  "utf-16be": [0, LINE_FEED],
};

export async function* textBlocks(
  chunks: AsyncIterable<Uint8Array | string>,
  format: TextFormat,
): AsyncGenerator<TextBlock, void, undefined> {
  let reader: LineReader | undefined;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    reader ??= new LineReader(format, typeof chunk === "string");
    const block = reader.push(chunk);
    if (block !== undefined) yield block;
  }
  const last = reader?.end();
  if (last !== undefined) yield last;
}

/** Cuts chunks after line feeds, so that no character is ever cut, and decodes the whole lines. */
class LineReader {
  readonly #format: TextFormat;
  readonly #isText: boolean;
  readonly #encoding: TextEncoding;
  readonly #decode: (bytes: Uint8Array) => string;
  /** The two bytes of a line feed in UTF-16. */
  readonly #wide: readonly number[] | undefined;
  readonly #maxKeptBytes: number;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #line = 1;
  #chunks = 0;

  constructor(format: TextFormat, isText: boolean) {
    this.#format = format;
    this.#isText = isText;
    // Text is buffered as UTF-16, which preserves a character that is split between two chunks.
    this.#encoding = isText ? "utf-16le" : format.encoding;
    this.#decode = decoderOf(this.#encoding);
    this.#wide = WIDE_LINE_FEEDS[this.#encoding];
    this.#maxKeptBytes = MAX_LINE_BYTES * (isText ? 2 : 1);
  }

  push(chunk: Uint8Array | string): TextBlock | undefined {
    const { name } = this.#format;
    if (this.#isText !== (typeof chunk === "string")) {
      throw problemAt(name, "mixes text and bytes", "Pass bytes only, and set their encoding.");
    }
    this.#chunks += 1;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf16le") : chunk;
    const end = this.#endOfLastLine(bytes);
    const block = end === 0 ? undefined : this.#block(bytes.subarray(0, end));
    // The rest is copied, because the chunk's memory is reused.
    if (end < bytes.length) this.#kept.push(new Uint8Array(bytes.subarray(end)));
    this.#keptBytes += bytes.length - end;
    if (this.#keptBytes > this.#maxKeptBytes) throw tooLong(`${name}:${this.#line}`);
    return block;
  }

  end(): TextBlock | undefined {
    if (this.#format.needsLineEnd === true && this.#isText && this.#chunks > 1 && this.#line === 1) {
      const problem = `arrives in ${this.#chunks} pieces without a line end`;
      throw problemAt(this.#format.name, problem, "Pass the stream itself, not its lines.");
    }
    return this.#keptBytes === 0 ? undefined : this.#block(new Uint8Array());
  }

  #block(bytes: Uint8Array): TextBlock {
    const whole = this.#keptBytes === 0 ? bytes : Buffer.concat([...this.#kept, bytes]);
    this.#kept = [];
    this.#keptBytes = 0;
    const line = this.#line;
    const { name } = this.#format;
    const other = line === 1 && !this.#isText ? otherKind(whole, this.#encoding) : undefined;
    if (other !== undefined) throw problemAt(name, other.is, other.advice, encodingAdvice(other.encoding));
    const decoded = this.#decodeOrRefuse(whole);
    const text = line === 1 && decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded;
    refuseZeros(text, line, name);
    this.#line += countIn(text, "\n");
    return { text, line };
  }

  #decodeOrRefuse(bytes: Uint8Array): string {
    try {
      return this.#decode(bytes);
    } catch {
      const location = `${this.#format.name}:${this.#line + countIn(this.#validPart(bytes), "\n")}`;
      if (this.#isText)
        throw problemAt(location, "has a lone surrogate, half of a character", "Pass bytes instead of text.");
      const advice = 'Set the encoding, such as encoding: "windows-1252".';
      const problem = `is not valid ${this.#encoding.toUpperCase()}`;
      throw problemAt(location, problem, advice, encodingAdvice("windows-1252"));
    }
  }

  /** The text before the first invalid byte, found by bisection. */
  #validPart(bytes: Uint8Array): string {
    let [text, valid, most] = ["", 0, bytes.length];
    while (valid < most) {
      const middle = Math.ceil((valid + most) / 2);
      const decoder = new TextDecoder(this.#encoding, { fatal: true });
      try {
        text = decoder.decode(bytes.subarray(0, middle), { stream: true });
        valid = middle;
      } catch {
        most = middle - 1;
      }
    }
    return text;
  }

  #endOfLastLine(chunk: Uint8Array): number {
    if (this.#wide === undefined) return chunk.lastIndexOf(LINE_FEED) + 1;
    // A line feed takes two bytes, the first of them at an even position in the file.
    const [first, second] = this.#wide;
    const odd = this.#keptBytes % 2;
    for (let at = chunk.length - 1; at >= 0; at -= 1) {
      const before = at === 0 ? this.#kept.at(-1)?.at(-1) : chunk[at - 1];
      if (chunk[at] === second && before === first && at % 2 === 1 - odd) return at + 1;
    }
    return 0;
  }
}

/** A function that decodes whole lines and throws for invalid bytes. */
function decoderOf(encoding: TextEncoding): (bytes: Uint8Array) => string {
  if (encoding === "windows-1252") return decodeWindows1252;
  // LineReader removes the byte order mark, because a decoder would remove one at the start of every block.
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

/** The characters 0x80 to 0x9F of windows-1252, where ISO 8859-1 has control characters. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

/** Some versions of Node decode windows-1252 as ISO 8859-1 and lose the € sign. */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return text.replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80));
}

/** A writer that failed may leave zeros in place of rows. Zeros without a line end would look like a header. */
function refuseZeros(text: string, line: number, name: string): void {
  const at = text.indexOf("\0");
  if (at < 0) return;
  throw problemAt(
    `${name}:${line + countIn(text.slice(0, at), "\n")}`,
    "contains a zero character",
    'The file may be damaged, or in UTF-16: try encoding: "utf-16le".',
    encodingAdvice("utf-16le"),
  );
}

export function tooLong(location: string): InvalidInputError {
  return problemAt(location, `is longer than ${MAX_LINE_BYTES} bytes`);
}

export function countIn(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
