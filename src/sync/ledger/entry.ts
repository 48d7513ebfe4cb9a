/**
 * The value of a ledger's key:
 *
 *     \head {"format":…,"version":1,"endpoint":…,"installationId":…,"collection":…,…}
 *     u1
 *     u2
 *     \end
 *
 * A backslash in an id is written twice, so no id looks like the first or the last line. If the key ends with `.gz`, the
 * value is compressed, and gzip detects damage. Other values are for people: characters that would not show are escaped.
 */
import { pipeline, Readable } from "node:stream";
import { constants, createGunzip, createGzip } from "node:zlib";
import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import type { SnapshotCollection } from "../collections.js";
import { wholeLines } from "./id-lines.js";

export type Lines = AsyncIterable<Uint8Array>;

/** Whose ids are meant: one snapshot collection of one installation of one service. */
export interface LedgerScope {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  readonly installationId: string;
  readonly collection: SnapshotCollection;
}

export type HoldReason = "removals" | "no-baseline" | "unreadable-ledger";

/** What a held run leaves behind for a person to approve. */
export interface Approval {
  readonly id: string;
  readonly reason: HoldReason;
  readonly expiresAt: number;
}

export interface EntryHeader {
  readonly ids: "clear" | "hashed";
  readonly approval?: Approval | undefined;
}

interface Head extends LedgerScope, EntryHeader {
  readonly format: string;
  readonly version: number;
}

const FORMAT = "saas-management-ledger";
const VERSION = 1;
const HEAD = "\\head ";
const END = Buffer.from("\\end\n");
const LINE_FEED = 0x0a;
/** Control characters except the line feed, and characters without a shape. */
const UNREADABLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?!\n)\p{Cc}/gu;

export function encodeEntry(key: string, scope: LedgerScope, header: EntryHeader, ids: Lines): Lines {
  const head: Head = { format: FORMAT, version: VERSION, ...scope, ...header };
  const text = async function* () {
    yield Buffer.from(`${HEAD}${JSON.stringify(head)}\n`);
    yield* isCompressed(key) ? ids : rewritten(ids, escapeUnreadable);
    yield END;
  };
  if (!isCompressed(key)) return text();
  // Ids repeat little: looking for repetitions costs much time and saves little space.
  const gzip = createGzip({ strategy: constants.Z_HUFFMAN_ONLY });
  return pipeline(Readable.from(text(), { objectMode: false }), gzip, () => {});
}

/**
 * Yields the ids of a value.
 * @param place Its key or path, for messages.
 * @param onHeader Called before the first ids.
 * @throws {ConfigurationError} it is damaged or incomplete, or belongs to another service, installation or collection
 */
export async function* decodeEntry(
  get: () => Promise<Lines | undefined>,
  place: string,
  scope: LedgerScope,
  onHeader: (header: EntryHeader) => void,
): Lines {
  const value = await get();
  if (value === undefined) throw unusable(place, "it is missing");
  let isFirst = true;
  let ended = false;
  for await (const piece of linesOf(value, place)) {
    if (ended) throw unusable(place, "data follows its end");
    if (isFirst) onHeader(parseHeader(place, piece, scope));
    const ids = isFirst ? piece.subarray(piece.indexOf(LINE_FEED) + 1) : piece;
    isFirst = false;
    const end = startOfEnd(ids);
    ended = end !== -1;
    if (ended && end + END.length !== ids.length) throw unusable(place, "data follows its end");
    const own = ended ? ids.subarray(0, end) : ids;
    if (own.length > 0) yield isCompressed(place) ? own : rewrite(own, unescapeUnreadable);
  }
  if (isFirst) throw unusable(place, "it is empty");
  if (!ended) throw unusable(place, "its end is missing");
}

function startOfEnd(lines: Uint8Array): number {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  if (text.subarray(0, END.length).equals(END)) return 0;
  const before = text.indexOf(`\n${END}`);
  return before === -1 ? -1 : before + 1;
}

async function* linesOf(value: Lines, place: string): Lines {
  const bytes = Readable.from(value, { objectMode: false });
  // An error of the store ends the iteration below.
  const text: Readable = isCompressed(place) ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  try {
    yield* wholeLines(text);
  } catch (error) {
    throw unusable(place, error instanceof RangeError ? error.message : "it cannot be read", error);
  } finally {
    text.destroy();
    bytes.destroy();
  }
}

function parseHeader(place: string, lines: Uint8Array, scope: LedgerScope): EntryHeader {
  const head = parseLine(new TextDecoder().decode(lines.subarray(0, lines.indexOf(LINE_FEED))));
  if (head.format !== FORMAT) throw unusable(place, "it does not begin like a ledger file");
  if (head.version !== VERSION) throw unusable(place, `its format version is not ${VERSION}`);
  for (const key of ["endpoint", "installationId", "collection"] as const) {
    if (head[key] !== scope[key])
      throw unusable(place, `it belongs to another ${key === "installationId" ? "installation" : key}`);
  }
  const { ids, approval } = head;
  if (ids !== "clear" && ids !== "hashed") throw unusable(place, "its first line is damaged");
  const isApproval = typeof approval?.id === "string" && typeof approval.expiresAt === "number";
  return { ids, approval: isApproval ? approval : undefined };
}

function parseLine(line: string): Partial<Head> {
  try {
    return (line.startsWith(HEAD) && JSON.parse(line.slice(HEAD.length))) || {};
  } catch {
    return {};
  }
}

async function* rewritten(lines: Lines, change: (text: string) => string): Lines {
  for await (const piece of wholeLines(lines)) yield rewrite(piece, change);
}

function rewrite(lines: Uint8Array, change: (text: string) => string): Uint8Array {
  return Buffer.from(change(new TextDecoder("utf-8", { ignoreBOM: true }).decode(lines)));
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

function isCompressed(key: string): boolean {
  return key.endsWith(".gz");
}

export function unusable(place: string, why: string, cause?: unknown): ConfigurationError {
  if (cause instanceof SaasManagementError) throw cause;
  return new ConfigurationError(`The ledger file ${place} cannot be used: ${why}.`, { cause });
}
