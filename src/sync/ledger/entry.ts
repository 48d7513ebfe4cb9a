/**
 * The value of a ledger's key:
 *
 *     \head {"format":…,"version":1,"endpoint":…,"installationId":…,"collection":…,…}
 *     u1
 *     u2
 *     \end {"bytes":…,"crc32":"…","past":{"at":…,"sent":…,"filled":…}}
 *
 * A backslash in an id is written twice, so no id looks like the first or the last line. The last line has the length of
 * everything before it, a CRC-32, and what the ledger remembers of the snapshot, if there is something to tell. In a
 * list for people, whose key ends with `.txt`, characters that would not show are escaped.
 */
import { crc32 } from "node:zlib";
import { ConfigurationError, type HeldReason, SaasManagementError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import type { SnapshotCollection } from "../collections.js";
import type { FieldSample } from "../ids/field-sample.js";
import { isPast, isSample, type PastSnapshot } from "./history.js";
import { wholeLines } from "./id-lines.js";

export type Lines = AsyncIterable<Uint8Array>;

/** One installation of one service. */
export interface InstallationScope {
  /** Origin of the Sync API's endpoint, such as `https://sync.example.com`. */
  readonly endpoint: string;
  readonly installationId: string;
}

/** Whose ids are meant: one snapshot collection of an installation. */
export interface LedgerScope extends InstallationScope {
  readonly collection: SnapshotCollection;
}

/** What a held run leaves behind for a person to approve. */
export interface Approval {
  readonly id: string;
  readonly expiresAt: number;
  readonly covers: readonly CoveredRule[];
}

/** A rule that was broken, and by what: nothing else of it is approved. */
export interface CoveredRule {
  readonly rule: HeldReason["rule"];
  readonly fields?: readonly string[] | undefined;
  /** Number of new ids, for the rule about those. */
  readonly added?: number | undefined;
  /** What the held snapshot had, for the rule about fields. */
  readonly sample?: FieldSample | undefined;
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
const END = "\\end";
const LINE_FEED = 0x0a;
/** Control characters except the line feed, and characters without a shape. */
const UNREADABLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?!\n)\p{Cc}/gu;

/** The value of a list of ids that people read. */
export async function* encodeList(scope: LedgerScope, header: EntryHeader, ids: Lines): Lines {
  yield* encodeIds(scope, header, rewritten(ids, escapeUnreadable), async () => undefined);
}

/**
 * The value of a snapshot's ids.
 * @param lines Whole lines; the bytes of a piece may be used again when the next one is asked for.
 * @param past Asked after the last id for what the ledger remembers of the snapshot. If it throws, nothing is stored.
 */
export async function* encodeIds(
  scope: LedgerScope,
  header: EntryHeader,
  lines: Lines,
  past: () => Promise<PastSnapshot | undefined>,
): Lines {
  const sum = new Checksum();
  yield sum.add(headLine(scope, header));
  for await (const piece of lines) yield sum.add(piece);
  const remembered = await past();
  const end: End = { ...sum.figuresWith(remembered), past: remembered };
  yield Buffer.from(`${END} ${JSON.stringify(end)}\n`);
}

/** What the last line tells. */
interface End {
  readonly bytes: number;
  readonly crc32: string;
  readonly past?: PastSnapshot | undefined;
}

/** Counts and sums up what lies before the last line. */
class Checksum {
  #bytes = 0;
  #crc = 0;

  add(piece: Uint8Array): Uint8Array {
    this.#bytes += piece.length;
    this.#crc = crc32(piece, this.#crc);
    return piece;
  }

  /** @param past Summed up too: it stands in the last line. */
  figuresWith(past: unknown): Omit<End, "past"> {
    const crc = crc32(JSON.stringify(past ?? null), this.#crc);
    return { bytes: this.#bytes, crc32: crc.toString(16).padStart(8, "0") };
  }
}

function headLine(scope: LedgerScope, header: EntryHeader): Uint8Array {
  const head: Head = { format: FORMAT, version: VERSION, ...scope, ...header };
  return Buffer.from(`${HEAD}${JSON.stringify(head)}\n`);
}

interface EntryCallbacks {
  /** Called before the first ids. */
  readonly onHeader: (header: EntryHeader) => void;
  /** Called after the last ids. */
  readonly onPast?: ((past: PastSnapshot | undefined) => void) | undefined;
}

/**
 * Yields the ids of a value.
 * @param place Its key or path, for messages.
 * @throws {ConfigurationError} it is damaged or incomplete, or belongs to another service, installation or collection
 */
export async function* decodeEntry(
  get: () => Promise<Lines | undefined>,
  place: string,
  scope: LedgerScope,
  { onHeader, onPast }: EntryCallbacks,
): Lines {
  const value = await get();
  if (value === undefined) throw unusable(place, "it is missing");
  let isFirst = true;
  let ended = false;
  const sum = new Checksum();
  for await (const piece of linesOf(value, place)) {
    if (ended) throw unusable(place, "data follows its end");
    if (isFirst) onHeader(parseHeader(place, piece, scope));
    const ids = isFirst ? piece.subarray(piece.indexOf(LINE_FEED) + 1) : piece;
    isFirst = false;
    const end = startOfEnd(ids);
    ended = end !== -1;
    const own = ended ? ids.subarray(0, end) : ids;
    sum.add(ended ? piece.subarray(0, piece.length - ids.length + end) : piece);
    if (own.length > 0) yield isList(place) ? rewrite(own, unescapeUnreadable) : own;
    if (!ended) continue;
    const past = parseEnd(place, ids.subarray(end), sum);
    onPast?.(past);
  }
  if (isFirst) throw unusable(place, "it is empty");
  if (!ended) throw unusable(place, "its end is missing");
}

/** Reads the header of a value, and none of its ids. @throws as {@link decodeEntry} */
export async function readHeader(
  get: () => Promise<Lines | undefined>,
  place: string,
  scope: LedgerScope,
): Promise<EntryHeader | undefined> {
  let header: EntryHeader | undefined;
  const onHeader = (read: EntryHeader) => {
    header = read;
  };
  for await (const _ of decodeEntry(get, place, scope, { onHeader })) break;
  return header;
}

/** No id begins with a single backslash. */
function startOfEnd(lines: Uint8Array): number {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  if (text.subarray(0, END.length).equals(Buffer.from(END))) return 0;
  const before = text.indexOf(`\n${END}`);
  return before === -1 ? -1 : before + 1;
}

function parseEnd(place: string, lines: Uint8Array, sum: Checksum): PastSnapshot | undefined {
  const lineEnd = lines.indexOf(LINE_FEED);
  if (lineEnd + 1 !== lines.length) throw unusable(place, "data follows its end");
  const json = parseJson(new TextDecoder().decode(lines.subarray(END.length, lineEnd)));
  const end: Partial<Record<keyof End, unknown>> = isObject(json) ? json : {};
  const { past } = end;
  const expected = sum.figuresWith(past);
  if (end.bytes !== expected.bytes || end.crc32 !== expected.crc32)
    throw unusable(place, "it is not what was written: its length or its checksum differs");
  if (past !== undefined && !isPast(past)) throw unusable(place, "its last line is damaged");
  return past;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

async function* linesOf(value: Lines, place: string): Lines {
  try {
    yield* wholeLines(value);
  } catch (error) {
    throw unusable(place, error instanceof RangeError ? error.message : "it cannot be read", error);
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
  return { ids, approval: parseApproval(approval) };
}

function parseApproval(value: unknown): Approval | undefined {
  if (!isObject(value)) return undefined;
  const { id, expiresAt, covers }: Partial<Record<keyof Approval, unknown>> = value;
  if (typeof id !== "string" || typeof expiresAt !== "number" || !Array.isArray(covers)) return undefined;
  return { id, expiresAt, covers: covers.filter(isCovered) };
}

function isCovered(value: unknown): value is CoveredRule {
  if (!isObject(value)) return false;
  const { rule, fields, added, sample }: Partial<Record<keyof CoveredRule, unknown>> = value;
  return (
    typeof rule === "string" &&
    (fields === undefined || Array.isArray(fields)) &&
    (added === undefined || typeof added === "number") &&
    (sample === undefined || isSample(sample))
  );
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

function isList(key: string): boolean {
  return key.endsWith(".txt");
}

export function unusable(place: string, why: string, cause?: unknown): ConfigurationError {
  if (cause instanceof SaasManagementError) throw cause;
  return new ConfigurationError(`The ledger file ${place} cannot be used: ${why}.`, { cause });
}
