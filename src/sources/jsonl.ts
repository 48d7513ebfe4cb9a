import { SIGNAL } from "../core/abort.js";
import { FLAG, type OptionTable, readOptions } from "../core/validate.js";
import { type FileInput, Input, NAME } from "./file-input.js";
import { ENCODING } from "./file-kind.js";
import { MAX_LINE_BYTES, textBlocks, tooLong } from "./lines.js";
import {
  ALLOW_EMPTY,
  Line,
  MAP,
  problemAt,
  RecordBlock,
  type RecordLocation,
  RecordsSource,
  type Source,
} from "./source.js";

type JsonlOptions = NonNullable<Parameters<typeof fromJsonl>[1]>;

const JSONL_OPTIONS = {
  map: MAP,
  encoding: ENCODING,
  allowEmpty: FLAG,
  name: NAME,
  signal: SIGNAL,
} satisfies OptionTable<JsonlOptions>;

/**
 * Streams the records of a JSON Lines file (one JSON value per line); memory doesn't grow with the file.
 *
 * - Skips empty lines, but refuses a file that has nothing else. The last line needs no line feed.
 * - Refuses a line that isn't JSON (a truncated one, for example), is too long, has invalid bytes, or has half of a
 *   character in a stream of text. The error names the line.
 * - If a write rejects a record, the error names its location, such as `users.jsonl:1042`.
 *
 * The iteration throws `InvalidInputError`; errors that `map` throws are rethrown unchanged.
 * @throws {InvalidInputError} an option is invalid
 */
export function fromJsonl<R>(
  input: FileInput,
  options?: {
    /**
     * Turns a value into a record, or returns undefined to skip it; `stats` counts skipped values.
     * @default the values are the records, and a write checks each of them
     */
    readonly map?: ((value: unknown, at: RecordLocation) => R | undefined) | undefined;
    /**
     * Encoding of the file or byte stream; invalid bytes are an error. Streams of text don't need this.
     * @default "utf-8"
     */
    readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | undefined;
    /**
     * Whether a file without values counts as an empty collection.
     * @default false: such a file is an error, because the program that wrote it may have failed
     */
    readonly allowEmpty?: boolean | undefined;
    /** The file's name in locations. @default the file's base name; `stream` for a stream */
    readonly name?: string | undefined;
    /** Ends the iteration, which then throws the signal's reason. @default none */
    readonly signal?: AbortSignal | undefined;
  },
): Source<R>;
export function fromJsonl(input: FileInput, options: JsonlOptions = {}): Source<unknown> {
  const {
    map = (value: unknown) => value,
    encoding = "utf-8",
    allowEmpty = false,
    signal,
    ...given
  } = readOptions("fromJsonl", options, JSONL_OPTIONS);
  const file = new Input(input, given.name);
  const { name } = file;
  const format = { name, encoding };
  return new RecordsSource(signal, (stats, stop) => {
    const blocks = textBlocks(file.open(stop), format);
    return (async function* () {
      for await (const block of blocks) {
        const records = new RecordBlock(map, stats);
        for (const [index, text] of block.text.split("\n").entries()) {
          // Lines that have only JSON's white space are empty.
          if (/^[ \t\r]*$/.test(text)) continue;
          const at = new Line(name, block.line + index);
          if (Buffer.byteLength(text) > MAX_LINE_BYTES) throw tooLong(at.location);
          records.add(parse(text, at), at);
        }
        yield records.located();
      }
      if (stats.read === 0 && !allowEmpty) {
        const advice =
          "The program that wrote it may have failed. If an empty file is valid, set allowEmpty.";
        throw problemAt(name, "is empty", advice, ALLOW_EMPTY);
      }
    })();
  });
}

function parse(text: string, at: RecordLocation): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message isn't passed on, because it quotes the line.
    throw problemAt(at.location, "is not valid JSON", "If it is the last line, the file may be truncated.");
  }
}
