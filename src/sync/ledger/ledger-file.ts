/**
 * One file of a ledger:
 *
 *     \head {"format":…,"version":1,"endpoint":…,"installationId":…,"collection":…,…}
 *     u1
 *     u2
 *     \end
 *
 * A backslash in an id is written twice, so no id looks like the first or the last line. A file whose name ends with
 * `.gz` is compressed, and gzip detects damage. Other files are for people: characters that would not show are escaped.
 */
import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { pipeline as pipe, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import { wholeLines } from "./id-lines.js";
import type { LedgerScope, PendingApproval } from "./ledger.js";
import { createPrivateFile, openPrivateFile, removeFile, replaceFile } from "./private-files.js";

type Lines = AsyncGenerator<Uint8Array, void, undefined>;

const FORMAT = "saas-management-ledger";
const VERSION = 1;
const HEAD = "\\head ";
const END = "\\end";
const LINE_FEED = 0x0a;
const PIECE_BYTES = 256 * 1024;
/** Control characters except the line feed, and characters without a shape. */
const UNREADABLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?!\n)\p{Cc}/gu;

/** What the first line says about the ids. */
export interface LedgerHeader {
  readonly ids: "clear" | "hashed";
  /** The approval that this list of removals waits for. */
  readonly approval?: Omit<PendingApproval, "lines"> | undefined;
}

/** A file whose header was read. */
export interface LedgerFile {
  readonly header: LedgerHeader;
  /** Reads the lines of ids; throws if the file is damaged or incomplete. */
  lines(): AsyncIterable<Uint8Array>;
}

/** Writes a file: after a crash it is in place as a whole, or not at all. */
export async function writeLedgerFile(
  path: string,
  scope: LedgerScope,
  header: LedgerHeader,
  lines: AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await createPrivateFile(temporary);
  try {
    const { endpoint, installationId, collection } = scope;
    const head = { format: FORMAT, version: VERSION, endpoint, installationId, collection, ...header };
    const append = async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) await file.appendFile(piece);
    };
    const text = async function* () {
      yield Buffer.from(`${HEAD}${JSON.stringify(head)}\n`);
      yield* isCompressed(path) ? lines : rewritten(lines, escapeUnreadable);
      yield Buffer.from(`${END}\n`);
    };
    // Ids repeat little: looking for repetitions costs much time and saves little space.
    if (isCompressed(path)) await pipeline(text, createGzip({ strategy: constants.Z_HUFFMAN_ONLY }), append);
    else await append(text());
    await file.sync();
    await file.close();
    await replaceFile(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await removeFile(temporary).catch(() => {});
    throw error;
  }
}

/**
 * Reads the header of a file.
 * @returns undefined if it does not exist
 * @throws {ConfigurationError} it is damaged, or belongs to another service, installation or collection
 */
export async function openLedgerFile(path: string, scope: LedgerScope): Promise<LedgerFile | undefined> {
  const file = await openPrivateFile(path);
  if (file === undefined) return undefined;
  const lines = () =>
    isCompressed(path) ? idLines(path, scope) : rewritten(idLines(path, scope), unescapeUnreadable);
  for await (const piece of linesIn(path, file)) return { header: parseHeader(path, piece, scope), lines };
  throw unusable(path, "it is empty");
}

/** Reads a file that is being written, from its beginning. */
export async function* readAll(file: FileHandle): Lines {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

async function* idLines(path: string, scope: LedgerScope): Lines {
  const file = await openPrivateFile(path);
  if (file === undefined) throw unusable(path, "it was removed");
  let isFirst = true;
  let ended = false;
  for await (const piece of linesIn(path, file)) {
    if (ended) throw unusable(path, "data follows its end");
    if (isFirst) parseHeader(path, piece, scope);
    const ids = isFirst ? piece.subarray(piece.indexOf(LINE_FEED) + 1) : piece;
    isFirst = false;
    const end = startOfEnd(ids);
    ended = end !== -1;
    if (ended && ids.indexOf(LINE_FEED, end) !== ids.length - 1) throw unusable(path, "data follows its end");
    const own = ended ? ids.subarray(0, end) : ids;
    if (own.length > 0) yield own;
  }
  if (!ended) throw unusable(path, "its end is missing");
}

/** Where the last line begins; -1 if it is not in these lines. */
function startOfEnd(lines: Uint8Array): number {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  if (text.subarray(0, END.length).equals(Buffer.from(END))) return 0;
  const before = text.indexOf(`\n${END}`);
  return before === -1 ? -1 : before + 1;
}

/** The lines of an open file, which is closed afterwards. */
async function* linesIn(path: string, file: FileHandle): Lines {
  const bytes = Readable.from(readAll(file), { objectMode: false });
  // An error of the file ends the iteration below.
  const text: Readable = isCompressed(path) ? pipe(bytes, createGunzip(), () => {}) : bytes;
  try {
    yield* wholeLines(text);
  } catch (error) {
    throw unusable(path, error instanceof RangeError ? error.message : "it cannot be read", error);
  } finally {
    text.destroy();
    bytes.destroy();
    await file.close();
  }
}

function parseHeader(path: string, lines: Uint8Array, scope: LedgerScope): LedgerHeader {
  const head = parseLine(lines.subarray(0, lines.indexOf(LINE_FEED)));
  const { format, version, ids, approval } = head;
  if (format !== FORMAT) throw unusable(path, "it does not begin like a ledger file");
  if (version !== VERSION) throw unusable(path, `its format version is not ${VERSION}`);
  for (const key of ["endpoint", "installationId", "collection"] as const) {
    if (head[key] !== scope[key])
      throw unusable(path, `it belongs to another ${key === "installationId" ? "installation" : key}`);
  }
  if (ids !== "clear" && ids !== "hashed") throw unusable(path, "its first line is damaged");
  return { ids, approval: approvalOf(approval) };
}

function approvalOf(value: unknown): LedgerHeader["approval"] {
  const { id, reason, expiresAt } = fieldsOf(value);
  if (typeof id !== "string" || typeof expiresAt !== "number") return undefined;
  if (reason !== "removals" && reason !== "no-baseline" && reason !== "unreadable-ledger") return undefined;
  return { id, reason, expiresAt };
}

function parseLine(line: Uint8Array): Readonly<Record<string, unknown>> {
  const text = new TextDecoder().decode(line);
  try {
    return text.startsWith(HEAD) ? fieldsOf(JSON.parse(text.slice(HEAD.length))) : {};
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

async function* rewritten(lines: AsyncIterable<Uint8Array>, rewrite: (text: string) => string): Lines {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const piece of wholeLines(lines)) yield Buffer.from(rewrite(decoder.decode(piece)));
}

/** In a line of ids, a backslash is followed by another one or by `n`, so `\u{1b}` stands for nothing else. */
function escapeUnreadable(text: string): string {
  return text.replace(UNREADABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

function unescapeUnreadable(text: string): string {
  return text.replace(/\\(?:u\{(10[0-9a-f]{4}|[0-9a-f]{1,5})\}|.)/gu, (written, code: string | undefined) =>
    code === undefined ? written : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

function isCompressed(path: string): boolean {
  return path.endsWith(".gz");
}

function unusable(path: string, why: string, cause?: unknown): ConfigurationError {
  if (cause instanceof SaasManagementError) throw cause;
  return new ConfigurationError(`The ledger file ${path} cannot be used: ${why}.`, { cause });
}
