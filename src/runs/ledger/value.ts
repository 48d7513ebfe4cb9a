/**
 * The value of a ledger's key:
 *
 *     \head {"format":…,"version":1,"of":"inst_1-…/accounts.00000007.….ids",…}
 *     u1
 *     u2
 *     \end {"bytes":…,"crc32":"…"}
 *
 * The first line says what the value belongs to, and holds its fields. Lines of ids may follow: a backslash in an id is
 * written twice, so no id looks like the first or the last line. The last line has the length of everything before it,
 * and a CRC-32. In a list for people, whose key ends with `.txt`, invisible characters are escaped.
 */
import { crc32 } from "node:zlib";
import { ConfigurationError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import { wholeLines } from "./id-lines.js";
import type { Store } from "./store.js";

export type Lines = AsyncIterable<Uint8Array>;

/** What the first line of a value holds. */
export type Fields = Readonly<Record<string, unknown>>;

const FORMAT = "saas-management-ledger";
const VERSION = 1;
const HEAD = "\\head ";
const END = "\\end";
const LINE_FEED = 0x0a;
/** Control characters except the line feed, and invisible characters. */
const UNREADABLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?!\n)\p{Cc}/gu;

/**
 * Encodes a value.
 * @param of The value's key, or the name of something else that the value belongs to.
 * @param ids Whole lines; a piece's bytes may be reused once the next piece is requested. If the ids
 *   throw, nothing is stored.
 */
export async function* encodeValue(of: string, fields: Fields, ids: Lines = noLines()): Lines {
  const sum = new Checksum();
  yield sum.add(
    Buffer.from(`${HEAD}${JSON.stringify({ format: FORMAT, version: VERSION, of, ...fields })}\n`),
  );
  for await (const piece of isList(of) ? rewritten(ids, escapeUnreadable) : ids) yield sum.add(piece);
  yield Buffer.from(`${END} ${JSON.stringify(sum.figures)}\n`);
}

/**
 * Decodes a value: yields its fields with the lines of its ids. The first piece has no lines. The value
 * isn't known to be intact until the last piece has been read.
 * @param place Its path, for messages.
 * @throws {ConfigurationError} it is damaged or incomplete, or belongs to something else
 */
export async function* decodeValue(
  value: Lines,
  place: string,
  of: string,
): AsyncGenerator<{ readonly fields: Fields; readonly lines: Uint8Array }, void, undefined> {
  let fields: Fields | undefined;
  let ended = false;
  const sum = new Checksum();
  for await (const piece of linesOf(value, place)) {
    if (ended) throw unusable(place, "data follows its end");
    const begin = fields === undefined ? piece.indexOf(LINE_FEED) + 1 : 0;
    if (fields === undefined) {
      fields = parseHead(place, piece.subarray(0, begin), of);
      yield { fields, lines: piece.subarray(0, 0) };
    }
    const lines = piece.subarray(begin);
    const end = startOfEnd(lines);
    ended = end !== -1;
    const own = ended ? lines.subarray(0, end) : lines;
    sum.add(piece.subarray(0, begin + own.length));
    if (own.length > 0) yield { fields, lines: isList(of) ? rewrite(own, unescapeUnreadable) : own };
    if (ended) checkEnd(place, lines.subarray(end), sum);
  }
  if (fields === undefined) throw unusable(place, "it is empty");
  if (!ended) throw unusable(place, "its last line, with its length and checksum, is missing");
}

/**
 * Stores a value under a new key.
 * @throws the store failed, did not read all of the value, or already has a value for the key
 */
export async function putValue(...value: Parameters<typeof putIfAbsent>): Promise<void> {
  if (!(await putIfAbsent(...value))) throw unstored(value[1], "the store already has a value for this key");
}

/**
 * Stores the value of a key.
 * @returns false if the key already has one
 * @throws the store failed, or did not read all of the value
 */
export async function putIfAbsent(
  store: Pick<Store, "putIfAbsent">,
  key: string,
  fields: Fields,
  ids?: Lines,
): Promise<boolean> {
  let isWhole = false;
  const whole = async function* () {
    yield* encodeValue(key, fields, ids);
    isWhole = true;
  };
  // Untyped callers may return anything.
  const isNew: unknown = await store.putIfAbsent(key, whole());
  if (isNew === false) return false;
  if (isNew !== true || !isWhole) throw unstored(key, "the store didn't read all of it");
  return true;
}

/** The error for a store that breaks the rules of {@link Store}. @param place The key or the ledger */
export function unstored(place: string, why: string): ConfigurationError {
  return new ConfigurationError(`The ledger could not store ${place}: ${why}.`);
}

export function unusable(place: string, why: string): ConfigurationError {
  return new ConfigurationError(`The ledger file ${place} cannot be used: ${why}.`);
}

/** Whether a value was read and is damaged. If the error has a cause, the value is out of reach, and may be intact. */
export function isDamage(error: unknown): error is ConfigurationError {
  return error instanceof ConfigurationError && error.cause === undefined;
}

/** The length and checksum of everything before the last line. */
class Checksum {
  #bytes = 0;
  #crc = 0;

  add(piece: Uint8Array): Uint8Array {
    this.#bytes += piece.length;
    this.#crc = crc32(piece, this.#crc);
    return piece;
  }

  get figures(): { readonly bytes: number; readonly crc32: string } {
    return { bytes: this.#bytes, crc32: this.#crc.toString(16).padStart(8, "0") };
  }
}

/** Finds the last line: no line of an id looks like it, because a backslash in an id is written twice. */
function startOfEnd(lines: Uint8Array): number {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  if (text.subarray(0, END.length).equals(Buffer.from(END))) return 0;
  const before = text.indexOf(`\n${END}`);
  return before === -1 ? -1 : before + 1;
}

function checkEnd(place: string, lines: Uint8Array, { figures }: Checksum): void {
  if (lines.indexOf(LINE_FEED) + 1 !== lines.length) throw unusable(place, "data follows its end");
  const end = fieldsOf(lines, END);
  if (end["bytes"] !== figures.bytes || end["crc32"] !== figures.crc32)
    throw unusable(place, "it has changed since it was written: its length or checksum differs");
}

function parseHead(place: string, line: Uint8Array, of: string): Fields {
  const { format, version, of: written, ...fields } = fieldsOf(line, HEAD);
  if (format !== FORMAT) throw unusable(place, "it doesn't begin like a ledger file");
  if (version !== VERSION) throw unusable(place, `its format version is not ${VERSION}`);
  if (written !== of) throw unusable(place, "it belongs to another service, installation, collection or run");
  return fields;
}

/** The fields of the first or the last line; none if it is damaged. */
function fieldsOf(line: Uint8Array, begin: string): Fields {
  const text = new TextDecoder().decode(line);
  try {
    const fields: unknown = text.startsWith(begin) ? JSON.parse(text.slice(begin.length)) : undefined;
    return isObject(fields) ? { ...fields } : {};
  } catch {
    return {};
  }
}

async function* linesOf(value: Lines, place: string): Lines {
  try {
    yield* wholeLines(value);
  } catch (error) {
    throw error instanceof RangeError ? unusable(place, error.message) : error;
  }
}

export async function* noLines(): Lines {}

function isList(key: string): boolean {
  return key.endsWith(".txt");
}

async function* rewritten(lines: Lines, change: (text: string) => string): Lines {
  for await (const piece of wholeLines(lines)) yield rewrite(piece, change);
}

function rewrite(lines: Uint8Array, change: (text: string) => string): Uint8Array {
  return Buffer.from(change(new TextDecoder("utf-8", { ignoreBOM: true }).decode(lines)));
}

/** In a line of ids, a backslash is followed by another one or by `n`, so `\u{1b}` can't be part of an id. */
function escapeUnreadable(text: string): string {
  return text.replace(UNREADABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

function unescapeUnreadable(text: string): string {
  return text.replace(/\\(?:u\{(10[0-9a-f]{4}|[0-9a-f]{1,5})\}|.)/gu, (written, code: string | undefined) =>
    code === undefined ? written : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
