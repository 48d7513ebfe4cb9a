import { InvalidInputError } from "../core/errors/index.js";
import { type KeysOf, readOptions } from "../core/validate.js";
import { type FileInput, Input } from "./file-input.js";
import { FILE_KEYS, type FileOptions, FileRecords, Line, type RecordLocation } from "./file-records.js";
import { MAX_LINE_BYTES, type TextBlock, textBlocks, tooLong } from "./lines.js";
import { problemAt, RecordBlock } from "./located-records.js";

/** Options of `fromJsonl`. */
export interface JsonlOptions extends FileOptions {
  /** Longest line, in bytes. @default 16 MiB */
  readonly maxLineBytes?: number | undefined;
  /** Whether a file without a single value is an empty collection. @default it is refused: its writer may have failed */
  readonly allowEmpty?: boolean | undefined;
}

const JSONL_KEYS = { ...FILE_KEYS, maxLineBytes: true, allowEmpty: true } satisfies KeysOf<JsonlOptions>;

/**
 * The records of a JSON Lines file (one JSON value per line, UTF-8), streamed: memory does not grow with the file.
 *
 * - `map` makes a record of each value, or returns undefined to leave it out; `figures` counts those. Errors that `map`
 *   throws are rethrown unchanged. Without `map` the values are the records, and a write checks each of them.
 * - Empty lines are skipped, but a file of nothing else is refused. The last line does not need a line feed.
 * - Errors name the line: a line that is not JSON (such as a truncated last line), a line that is too long, bytes that
 *   are not UTF-8, half of a character in a stream of text.
 * - An error of a write about a record names its location, such as `users.jsonl:1042`.
 *
 * The iteration throws `InvalidInputError`.
 * @throws {InvalidInputError} an option is invalid
 */
export function fromJsonl<R>(
  input: FileInput,
  map: (value: unknown, place: RecordLocation) => R | undefined,
  options?: JsonlOptions,
): FileRecords<R>;
/** Without `map`: the values are the records. @throws {InvalidInputError} an option is invalid */
export function fromJsonl<R>(input: FileInput, map?: undefined, options?: JsonlOptions): FileRecords<R>;
export function fromJsonl(
  input: FileInput,
  map: ((value: unknown, place: RecordLocation) => unknown) | undefined,
  options: JsonlOptions = {},
): FileRecords<unknown> {
  const {
    maxLineBytes = MAX_LINE_BYTES,
    allowEmpty = false,
    name,
    signal,
  } = readOptions("fromJsonl", options, JSONL_KEYS);
  if (map !== undefined && typeof map !== "function")
    throw new InvalidInputError("map must be a function that turns a value into a record.");
  if (!Number.isInteger(maxLineBytes) || maxLineBytes < 1) {
    throw new InvalidInputError("maxLineBytes must be a positive integer.");
  }
  const file = new Input(input, name);
  const format = { name: file.name, encoding: "utf-8", maxLineBytes } as const;
  return new FileRecords(file, signal, async function* (chunks, figures) {
    for await (const block of textBlocks(chunks, format)) {
      const records = new RecordBlock<unknown>(figures, (line) => new Line(file.name, line).location);
      for (const { value, place } of valuesOf(block, file.name, maxLineBytes)) {
        records.add(map === undefined ? value : map(value, place), place.line);
      }
      yield records.located();
    }
    if (figures.read === 0 && !allowEmpty) {
      const advice = "The program that wrote it may have failed. If an empty file is valid, set allowEmpty.";
      throw problemAt(file.name, "is empty", advice);
    }
  });
}

function* valuesOf(
  block: TextBlock,
  name: string,
  maxLineBytes: number,
): Generator<{ readonly value: unknown; readonly place: Line }> {
  for (const [index, text] of block.text.split("\n").entries()) {
    // The white space of JSON.
    if (/^[ \t\r]*$/.test(text)) continue;
    const place = new Line(name, block.line + index);
    if (Buffer.byteLength(text) > maxLineBytes) throw tooLong(place.location, maxLineBytes);
    yield { value: parse(text, place.location), place };
  }
}

function parse(text: string, location: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the line.
    throw problemAt(location, "is not valid JSON", "If it is the last line, the file may be truncated.");
  }
}
