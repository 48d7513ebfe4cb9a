import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConfigurationError, InvalidInputError, SpoolError } from "../core/errors/index.js";
import { isText, type OptionTable, readOptions, wholeNumber } from "../core/validate.js";
import type { Collection } from "../sync/collections.js";
import type { EncodedMessage } from "../sync/encoding/message-builder.js";

/** Where a run keeps the connector's records until it has judged and sent all of them. */
export interface SpoolOptions {
  /**
   * Folder of the temporary file. During the run it holds personal data, in a file that nobody else can open and that
   * vanishes with the process.
   * @default `os.tmpdir()`
   */
  readonly directory?: string | undefined;
  /** How many bytes to keep in memory before using the file. @default 4 MiB */
  readonly memoryBytes?: number | undefined;
}

const OPTIONS = {
  directory: {
    expected: "the path of a folder",
    fits: (value: unknown) => isText(value) && value !== "" && !value.includes("\0"),
  },
  memoryBytes: wholeNumber(0),
} satisfies OptionTable<SpoolOptions>;
const MEMORY_BYTES = 4 * 1024 * 1024;
/** The Windows flag `FILE_FLAG_DELETE_ON_CLOSE`: an open file can't be unlinked there. */
const DELETE_ON_CLOSE = 0x40;
/** `__O_TMPFILE` of Linux: a file that never has a name. Some file systems don't support it. */
const TMPFILE = 0o20000000;

/** @throws {ErrorClass} an option is wrong */
export function readSpoolOptions(
  place: string,
  given: SpoolOptions = {},
  ErrorClass: typeof ConfigurationError | typeof InvalidInputError = InvalidInputError,
): { readonly directory: string; readonly memoryBytes: number } {
  const { directory = tmpdir(), memoryBytes = MEMORY_BYTES } = readOptions<SpoolOptions>(
    place,
    given,
    OPTIONS,
    ErrorClass,
  );
  return { directory, memoryBytes };
}

/** Bytes in memory, or where they are in the file. */
interface Piece {
  readonly memory: Uint8Array | undefined;
  readonly at: number;
  readonly length: number;
}

/** A message without the id of its batch, and whether it was accepted. */
export interface SpooledMessage extends Piece {
  readonly records: number;
  /** Whether the service accepted it in a batch of the run. */
  isAccepted: boolean;
}

/**
 * Keeps what a connector has written until it's judged and sent: the messages of each collection, and the lines of
 * their ids for the ledger. It's an append-only log, at first in memory and then in a file without a name.
 */
export class Spool {
  readonly #options: ReturnType<typeof readSpoolOptions>;
  readonly #messages = new Map<Collection, SpooledMessage[]>();
  readonly #lines = new Map<Collection, Piece[]>();
  readonly #storing = new Set<Promise<void>>();
  #memoryBytes = 0;
  #fileBytes = 0;
  #file: Promise<FileHandle> | undefined;
  #failure: unknown;

  constructor(options: ReturnType<typeof readSpoolOptions>) {
    this.#options = options;
  }

  get collections(): readonly Collection[] {
    return [...this.#messages.keys()];
  }

  messages(collection: Collection): readonly SpooledMessage[] {
    return this.#messages.get(collection) ?? [];
  }

  /**
   * Stores a message. Its buffer may be reused once this has resolved.
   * @throws {SpoolError} the file cannot be written
   */
  async append(collection: Collection, { bytes, bodyStart, records }: EncodedMessage): Promise<void> {
    const piece = this.#put(bytes.subarray(bodyStart));
    listOf(this.#messages, collection).push({ ...piece, records, isAccepted: false });
    // Waits for the lines of ids too, so that they don't pile up in memory.
    await this.settled();
  }

  /** Stores lines of ids. @param done Called when their bytes may be reused. */
  appendLines(collection: Collection, lines: Uint8Array, done: () => void): void {
    listOf(this.#lines, collection).push(this.#put(lines, done));
  }

  /** Resolves once everything so far is stored. @throws {SpoolError} the file cannot be written */
  async settled(): Promise<void> {
    await Promise.all(this.#storing);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Copies a piece into a buffer. */
  async read({ memory, at, length }: Piece, into: Uint8Array, offset: number): Promise<void> {
    if (memory !== undefined) {
      into.set(memory, offset);
      return;
    }
    try {
      const file = await this.#file;
      for (let done = 0; done < length; ) {
        const read = await file?.read(into, offset + done, length - done, at + done);
        if (read === undefined || read.bytesRead === 0)
          throw new Error("it is shorter than what was written");
        done += read.bytesRead;
      }
    } catch (cause) {
      throw this.#error(cause, "Nothing was completed.");
    }
  }

  /** The lines of a collection. A piece is valid until the next one is requested. */
  async *lines(collection: Collection): AsyncGenerator<Uint8Array, void, undefined> {
    let buffer = new Uint8Array();
    for (const piece of this.#lines.get(collection) ?? []) {
      if (piece.length > buffer.length) buffer = new Uint8Array(piece.length);
      await this.read(piece, buffer, 0);
      yield buffer.subarray(0, piece.length);
    }
  }

  /** Drops everything. */
  async close(): Promise<void> {
    this.#messages.clear();
    this.#lines.clear();
    const file = await this.#file?.catch(() => undefined);
    await Promise.allSettled(this.#storing);
    await file?.close().catch(() => {});
  }

  #put(bytes: Uint8Array, done = () => {}): Piece {
    const { length } = bytes;
    if (this.#memoryBytes + length <= this.#options.memoryBytes) {
      this.#memoryBytes += length;
      const memory = new Uint8Array(bytes);
      done();
      return { memory, at: 0, length };
    }
    const at = this.#fileBytes;
    this.#fileBytes += length;
    const stored = this.#write(bytes, at)
      .then(done, (error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#storing.delete(stored));
    this.#storing.add(stored);
    return { memory: undefined, at, length };
  }

  async #write(bytes: Uint8Array, at: number): Promise<void> {
    try {
      this.#file ??= this.#open();
      const file = await this.#file;
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    } catch (cause) {
      throw this.#error(cause, "Nothing was sent.");
    }
  }

  async #open(): Promise<FileHandle> {
    const { directory } = this.#options;
    const { O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW = 0 } = constants;
    if (process.platform === "linux") {
      const nameless = await open(directory, O_RDWR | O_DIRECTORY | TMPFILE, 0o600).catch(() => undefined);
      if (nameless !== undefined) return nameless;
    }
    const path = join(directory, `saas-management-${randomBytes(12).toString("hex")}.spool`);
    const flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
    if (process.platform === "win32") return open(path, flags | DELETE_ON_CLOSE, 0o600);
    const file = await open(path, flags, 0o600);
    // From now on it has no name, so nothing remains if the process dies.
    await unlink(path);
    return file;
  }

  #error(cause: unknown, consequence: string): SpoolError {
    const { directory } = this.#options;
    const bytesNeeded = this.#fileBytes;
    const why = cause instanceof Error ? cause.message : String(cause);
    const advice = why.startsWith("ENOENT")
      ? "Create that directory"
      : `At least ${bytesNeeded} bytes are needed there. Free some space`;
    return new SpoolError(
      `The run can't store its records until it sends them: a temporary file in ${directory} failed (${why}). ${advice}, or set spool.directory (sync.spool.directory of a client). ${consequence}`,
      { directory, bytesNeeded, cause },
    );
  }
}

function listOf<T>(map: Map<Collection, T[]>, collection: Collection): T[] {
  const list = map.get(collection) ?? [];
  map.set(collection, list);
  return list;
}
