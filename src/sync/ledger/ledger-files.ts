/** Writes and reads single files of a ledger. */
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { pipeline as pipe, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import { ConfigurationError, SaasManagementError } from "../../core/errors/index.js";
import type { LedgerScope } from "./ledger.js";
import { Checksum, headerLine, type LedgerHeader, LedgerText } from "./ledger-format.js";
import { createPrivateFile, openPrivateFile, removeFile, replaceFile } from "./private-files.js";

const PIECE_BYTES = 256 * 1024;

/** What is written into a file's first line. */
export interface FileFacts extends Pick<LedgerHeader, "ids" | "sequence" | "approval"> {
  readonly scope: LedgerScope;
}

/** Ids as they come, in a file without form; what is good of it is written anew when all are there. */
export class Spool {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<Spool> {
    return new Spool(path, await createPrivateFile(path));
  }

  /** Synchronous: a queue of writes would hold the ids in memory where the disk is slower than the source. */
  write(lines: Uint8Array): void {
    for (let at = 0; at < lines.length; ) at += writeSync(this.#file.fd, lines, at);
  }

  /** Everything that was written. */
  read(): AsyncIterable<Uint8Array> {
    return readAll(this.#file);
  }

  async remove(): Promise<void> {
    await this.#file.close().catch(() => {});
    await removeFile(this.#path);
  }
}

/** Writes a whole file and puts it into its place: after a crash it is there with everything, or not at all. */
export async function writeLedgerFile(
  path: string,
  { scope, ...facts }: FileFacts,
  lines: AsyncIterable<Uint8Array>,
): Promise<void> {
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await createPrivateFile(beside);
  try {
    const text = Readable.from(textOf(headerLine(scope, facts), lines), { objectMode: false });
    const target = async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) await file.appendFile(piece);
    };
    if (isCompressed(path)) {
      // Ids repeat little, so that looking for repetitions costs much and gains little.
      await pipeline(text, createGzip({ strategy: constants.Z_HUFFMAN_ONLY }), target);
    } else {
      await pipeline(text, target);
    }
    await file.sync();
    await file.close();
    await replaceFile(beside, path);
  } catch (error) {
    await file.close().catch(() => {});
    await removeFile(beside).catch(() => {});
    throw error;
  }
}

/** Reads a file's header; undefined where the file is not there. */
export async function readLedgerHeader(path: string, scope: LedgerScope): Promise<LedgerHeader | undefined> {
  const file = await openPrivateFile(path);
  if (file === undefined) return undefined;
  const text = new LedgerText(path, contents(path, file));
  try {
    return (await text.open(scope)).header;
  } finally {
    await text.close();
    await file.close();
  }
}

/** Reads the lines of ids of a file, which must be there. */
export async function* readLedgerLines(
  path: string,
  scope: LedgerScope,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await openPrivateFile(path);
  if (file === undefined) throw new ConfigurationError(`The ledger's file ${path} is not there any more.`);
  const text = new LedgerText(path, contents(path, file));
  try {
    yield* (await text.open(scope)).lines;
  } finally {
    await text.close();
    await file.close();
  }
}

async function* textOf(
  head: Uint8Array,
  lines: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const checksum = new Checksum();
  checksum.add(head);
  yield head;
  for await (const piece of lines) {
    checksum.add(piece);
    yield piece;
  }
  yield checksum.footerLine();
}

async function* contents(path: string, file: FileHandle): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Readable.from(readAll(file), { objectMode: false });
  // What goes wrong on the way ends the reading of the text.
  const text: Readable = isCompressed(path) ? pipe(bytes, createGunzip(), () => {}) : bytes;
  try {
    yield* text;
  } catch (error) {
    if (error instanceof SaasManagementError) throw error;
    throw new ConfigurationError(`The ledger's file ${path} cannot be used: it cannot be read.`, {
      cause: error,
    });
  } finally {
    text.destroy();
    bytes.destroy();
  }
}

/** Everything in a file, from its beginning. */
async function* readAll(file: FileHandle): AsyncGenerator<Uint8Array, void, undefined> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function isCompressed(path: string): boolean {
  return path.endsWith(".gz");
}
