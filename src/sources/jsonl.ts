import { InvalidInputError } from "../core/errors/index.js";
import type { LocatedRecords } from "../core/record-location.js";
import type { KeysOf } from "../core/validate.js";
import { readOptions } from "../core/validate.js";
import {
  FILE_NAMES,
  type FileOptions,
  FileRecords,
  type MutableFigures,
  type RecordPlace,
} from "./file-records.js";
import { GatheredRecords } from "./gathered-records.js";
import { type FileInput, Input } from "./input.js";
import { Line } from "./line.js";
import { problemAt } from "./problem.js";
import { MAX_LINE_BYTES, type TextBlock, textBlocks, tooLong } from "./text.js";

/** Options of `fromJsonl`. */
export interface JsonlOptions extends FileOptions {
  /** Longest line, in bytes. @default 16 MiB */
  readonly maxLineBytes?: number | undefined;
  /** Whether a file without a single value is an empty collection. @default it is refused: its writer may have failed */
  readonly allowEmpty?: boolean | undefined;
}

const JSONL_NAMES = {
  ...FILE_NAMES,
  maxLineBytes: true,
  allowEmpty: true,
} satisfies KeysOf<JsonlOptions>;

/**
 * The records of a JSON Lines file (one JSON value a line, UTF-8), streamed: memory does not grow with the file.
 *
 * - `map` makes a record of each value, or returns undefined to leave it out; `figures` counts those. What `map` throws
 *   comes back unchanged. Without `map` the values are the records: a write checks each of them.
 * - Empty lines are skipped, but a file of nothing else is refused; the last line need not end with a line feed.
 * - A line that is not JSON, as the last one of a truncated file, one that is too long, bytes that are not UTF-8, and
 *   half of a character in a stream of text end in an error with the line.
 * - An error of a write about one of the records names its place, such as `users.jsonl:1042`.
 *
 * The errors of the reading reach whoever iterates: `InvalidInputError` each.
 * @throws {InvalidInputError} an option is wrong
 */
export function fromJsonl<R>(
  input: FileInput,
  map: (value: unknown, place: RecordPlace) => R | undefined,
  options?: JsonlOptions,
): FileRecords<R>;
/** The same without a `map`: the values are the records. @throws {InvalidInputError} an option is wrong */
export function fromJsonl<R>(input: FileInput, map?: undefined, options?: JsonlOptions): FileRecords<R>;
export function fromJsonl(
  input: FileInput,
  map: ((value: unknown, place: RecordPlace) => unknown) | undefined,
  given: JsonlOptions = {},
): FileRecords<unknown> {
  const options = readOptions("The options of fromJsonl", given, JSONL_NAMES);
  const { maxLineBytes = MAX_LINE_BYTES, allowEmpty = false } = options;
  if (map !== undefined && typeof map !== "function") {
    throw new InvalidInputError("map must be a function that makes a record of a line's value.");
  }
  if (!Number.isInteger(maxLineBytes) || maxLineBytes < 1) {
    throw new InvalidInputError("maxLineBytes must be a positive whole number of bytes.");
  }
  const file = new Input(input, options.name);
  const { name } = file;
  const locationOf = (line: number) => new Line(name, line).location;

  async function* read(
    chunks: AsyncIterable<Uint8Array | string>,
    figures: MutableFigures,
  ): AsyncGenerator<LocatedRecords<unknown>, void, undefined> {
    for await (const block of textBlocks(chunks, { name, encoding: "utf-8", maxLineBytes })) {
      const records = new GatheredRecords<unknown>(figures, locationOf);
      for (const { value, place } of valuesOf(block, name, maxLineBytes)) {
        records.add(map === undefined ? value : map(value, place), place.line);
      }
      yield records.located();
    }
    if (figures.read === 0 && !allowEmpty) {
      throw problemAt(
        name,
        "is empty",
        "It holds no value; its writer may have failed. Say allowEmpty where that is fine.",
      );
    }
  }
  return new FileRecords(file, options.signal, ({ chunks }, figures) => read(chunks, figures));
}

function* valuesOf(
  block: TextBlock,
  name: string,
  maxLineBytes: number,
): Generator<{ readonly value: unknown; readonly place: Line }> {
  for (const [index, text] of block.text.split("\n").entries()) {
    // JSON's own white space: a line of it holds no value.
    if (/^[ \t\r]*$/.test(text)) continue;
    const place = new Line(name, block.line + index);
    if (Buffer.byteLength(text) > maxLineBytes) throw tooLong(place.location, maxLineBytes);
    yield { value: parse(text, place.location), place };
  }
}

/** The parser's own message would quote the line. */
function parse(text: string, location: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw problemAt(location, "is not valid JSON", "Where it is the last line, the file may be truncated.");
  }
}
