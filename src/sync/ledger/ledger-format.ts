/**
 * The format of a ledger's files: text, one line a piece of information.
 *
 *     \head {"format":…,"version":1,"endpoint":…,"installationId":…,"collection":…,…}
 *     u1
 *     u2
 *     \end {"bytes":6,"crc32":…}
 *
 * No id's line begins like the first or the last one: a backslash within an id is written as two. The last line proves
 * that nothing is missing and nothing was changed by accident.
 */
import { crc32 } from "node:zlib";
import { ConfigurationError } from "../../core/errors/index.js";
import { wholeLines } from "./id-lines.js";
import type { LedgerScope, PendingApproval } from "./ledger.js";

const FORMAT = "saas-management-ledger";
const VERSION = 1;
const HEAD = "\\head ";
const END = "\\end ";
const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;

/** What the first line of a file says. */
export interface LedgerHeader extends LedgerScope {
  readonly version: typeof VERSION;
  readonly ids: "clear" | "hashed";
  /** Later files of one collection have higher numbers. */
  readonly sequence: number;
  /** Of a list of removals that waits for an approval. */
  readonly approval?: Omit<PendingApproval, "lines"> | undefined;
}

/** The first line. */
export function headerLine(
  { endpoint, installationId, collection }: LedgerScope,
  rest: Pick<LedgerHeader, "ids" | "sequence" | "approval">,
): Uint8Array {
  const written = { format: FORMAT, version: VERSION, endpoint, installationId, collection, ...rest };
  return new TextEncoder().encode(`${HEAD}${JSON.stringify(written)}\n`);
}

/** Adds up what the last line says. */
export class Checksum {
  #bytes = 0;
  #crc = 0;

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#crc = crc32(bytes, this.#crc);
  }

  /** The last line, of everything that was added. */
  footerLine(): Uint8Array {
    return new TextEncoder().encode(`${END}${JSON.stringify({ bytes: this.#bytes, crc32: this.#crc })}\n`);
  }

  isSaidBy(line: Uint8Array): boolean {
    const said = parsed(line, END);
    return said["bytes"] === this.#bytes && said["crc32"] === this.#crc;
  }
}

/** Reads a file's text: its header first, then its ids. */
export class LedgerText {
  readonly #path: string;
  readonly #pieces: AsyncGenerator<Uint8Array, void, undefined>;
  readonly #checksum = new Checksum();

  constructor(path: string, pieces: AsyncIterable<Uint8Array>) {
    this.#path = path;
    this.#pieces = this.#whole(pieces);
  }

  /**
   * Reads the header, and checks whose ids they are.
   * @returns the header, and the lines of ids; whoever reads them to the end knows that nothing is missing
   * @throws {ConfigurationError} not a ledger's file, or one of another version, service, installation or collection
   */
  async open(scope: LedgerScope): Promise<{ header: LedgerHeader; lines: AsyncIterable<Uint8Array> }> {
    const first = await this.#pieces.next();
    const piece = first.done === true ? new Uint8Array() : first.value;
    const end = piece.indexOf(LINE_FEED) + 1;
    const said = parsed(piece.subarray(0, end), HEAD);
    if (said["format"] !== FORMAT) throw this.#unusable("it does not begin like a ledger's file");
    if (said["version"] !== VERSION)
      throw this.#unusable(`its format has another version than this SDK reads, which is ${VERSION}`);
    for (const key of ["endpoint", "installationId", "collection"] as const) {
      if (said[key] !== scope[key])
        throw this.#unusable(`it belongs to another ${key === "installationId" ? "installation" : key}`);
    }
    const header = headerOf(said, scope);
    if (header === undefined) throw this.#unusable("its first line is damaged");
    this.#checksum.add(piece.subarray(0, end));
    return { header, lines: this.#lines(piece.subarray(end)) };
  }

  /** Ends early: the file is closed. */
  async close(): Promise<void> {
    await this.#pieces.return();
  }

  async *#lines(first: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    let ended = false;
    for (let piece: Uint8Array | undefined = first; piece !== undefined; ) {
      if (piece.length > 0) {
        if (ended) throw this.#unusable("something comes after its end");
        const last = lastLine(piece);
        ended = piece[last] === BACKSLASH && piece[last + 1] === LETTER_E;
        const ids = ended ? piece.subarray(0, last) : piece;
        this.#checksum.add(ids);
        if (ended && !this.#checksum.isSaidBy(piece.subarray(last)))
          throw this.#unusable("its checksum is wrong");
        if (ids.length > 0) yield ids;
      }
      const next = await this.#pieces.next();
      piece = next.done === true ? undefined : next.value;
    }
    if (!ended) throw this.#unusable("its end is missing");
  }

  async *#whole(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* wholeLines(pieces);
    } catch (error) {
      throw error instanceof RangeError ? this.#unusable(error.message) : error;
    }
  }

  #unusable(what: string): ConfigurationError {
    return new ConfigurationError(`The ledger's file ${this.#path} cannot be used: ${what}.`);
  }
}

/** Where the last of these whole lines begins. */
function lastLine(lines: Uint8Array): number {
  return lines.length < 2 ? 0 : lines.lastIndexOf(LINE_FEED, lines.length - 2) + 1;
}

function headerOf(said: Fields, scope: LedgerScope): LedgerHeader | undefined {
  const { ids, sequence, approval } = said;
  if ((ids !== "clear" && ids !== "hashed") || !Number.isSafeInteger(sequence)) return undefined;
  const facts = { ...scope, version: VERSION, ids, sequence: Number(sequence) } as const;
  if (approval === undefined) return facts;
  const { id, reason, expiresAt } = fieldsOf(approval);
  if (typeof id !== "string" || typeof expiresAt !== "number") return undefined;
  if (reason !== "removals" && reason !== "no-baseline" && reason !== "unreadable-ledger") return undefined;
  return { ...facts, approval: { id, reason, expiresAt } };
}

/** Fields of a JSON object; those that it lacks are undefined. */
type Fields = Readonly<{ [Name in string]: unknown }> & {
  readonly ids?: unknown;
  readonly sequence?: unknown;
  readonly approval?: unknown;
  readonly id?: unknown;
  readonly reason?: unknown;
  readonly expiresAt?: unknown;
};

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The JSON object of a line that begins like this; an empty one where it is none. */
function parsed(line: Uint8Array, begin: string): Fields {
  const text = new TextDecoder().decode(line);
  if (!text.startsWith(begin)) return {};
  try {
    return fieldsOf(JSON.parse(text.slice(begin.length)));
  } catch {
    return {};
  }
}
