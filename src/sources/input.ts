/** Where the bytes or the text of a file source come from: a file, or a stream that can be read only once. */
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { InvalidInputError } from "../core/errors/index.js";
import { wasRead } from "../core/was-read.js";

/** A path, a `file:` URL, or a stream of bytes or text: a Node stream, a web stream, or any async iterable. */
export type FileInput = string | URL | AsyncIterable<Uint8Array | string>;

/** Bytes that are read at once. */
const CHUNK_BYTES = 64 * 1024;

/** The bytes or the text of an input, being read. A chunk is valid until the next one is asked for. */
export interface OpenInput {
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** Lets go of the stream, also while it owes a chunk. */
  close(): void;
}

/** An input that can be opened: a file as often as wanted, a stream once. */
export class Input {
  /** What places are named after: the base name of a file, never its path. */
  readonly name: string;
  readonly #path: string | undefined;
  readonly #stream: AsyncIterable<Uint8Array | string> | undefined;
  #begun = false;

  /** @throws {InvalidInputError} neither a path nor a stream, or a reader of lines */
  constructor(input: FileInput, name: string | undefined) {
    const given: unknown = input;
    if (name !== undefined && typeof name !== "string") throw new InvalidInputError("name must be a text.");
    if (typeof input === "string" || input instanceof URL) {
      this.#path = typeof input === "string" ? input : pathOf(input);
      if (this.#path === "") throw new InvalidInputError("The path of the file is empty.");
      this.name = name ?? basename(this.#path);
    } else if (typeof given === "object" && given !== null && Symbol.asyncIterator in given) {
      refuseLineReader(given);
      this.#stream = input;
      this.name = name ?? "stream";
    } else {
      throw new InvalidInputError("The file must be a path, a file: URL or a stream.");
    }
  }

  /** @throws {InvalidInputError} the stream was read before */
  open(): OpenInput {
    if (this.#path !== undefined) return { chunks: fileChunks(this.#path, this.name), close: () => {} };
    const stream = this.#stream;
    if (stream === undefined)
      throw new InvalidInputError("The file must be a path, a file: URL or a stream.");
    if (this.#begun || wasRead(stream)) {
      throw new InvalidInputError(
        `${this.name} was read before: a stream is exhausted then, and would be taken for an empty collection. Make a new source for each write, or give the path of a file, which is read from its beginning each time.`,
      );
    }
    this.#begun = true;
    const closable = new ClosableStream(stream);
    return { chunks: streamChunks(closable, this.name), close: () => closable.close() };
  }
}

/** Node has several classes of them, not all of which are public: what a line reader alone has tells it. */
function refuseLineReader(given: object): void {
  if (!("getCursorPos" in given && "prompt" in given)) return;
  throw new InvalidInputError(
    "The file must be the stream itself, not a reader of its lines: those have lost their line ends.",
  );
}

function pathOf(url: URL): string {
  if (url.protocol !== "file:") throw new InvalidInputError("The URL of the file must be a file: URL.");
  return fileURLToPath(url);
}

async function* fileChunks(path: string, name: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  try {
    const before = await file.stat();
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES).catch((error: unknown) => {
        throw unreadable(name, error);
      });
      if (bytesRead === 0) break;
      yield buffer.subarray(0, bytesRead);
    }
    const after = await file.stat();
    if (before.isFile() && (before.size !== after.size || before.mtimeMs !== after.mtimeMs)) {
      throw new InvalidInputError(
        `${name} was written to while it was read: what was read may be a part of it. Read it when its writer is done; writers do well to write under another name and rename the file at the end.`,
      );
    }
  } finally {
    await file.close();
  }
}

/** The system's own message holds the whole path. */
function unreadable(name: string, error: unknown): InvalidInputError {
  const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code === "ENOENT") return new InvalidInputError(`${name} does not exist.`);
  if (code === "EISDIR") return new InvalidInputError(`${name} is a directory, not a file.`);
  return new InvalidInputError(`${name} cannot be read${typeof code === "string" ? ` (${code})` : ""}.`);
}

async function* streamChunks(
  stream: AsyncIterable<unknown>,
  name: string,
): AsyncGenerator<Uint8Array | string, void, undefined> {
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array || typeof chunk === "string") yield chunk;
    else throw new InvalidInputError(`${name} must be a stream of bytes or text.`);
  }
}

/** A stream that can be let go of while it owes a chunk. */
class ClosableStream implements AsyncIterable<unknown> {
  readonly #stream: AsyncIterable<unknown>;
  #iterator: AsyncIterator<unknown> | undefined;
  #returned: Promise<IteratorResult<unknown>> | undefined;

  constructor(stream: AsyncIterable<unknown>) {
    this.#stream = stream;
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    const iterator = this.#stream[Symbol.asyncIterator]();
    this.#iterator = iterator;
    return { next: () => iterator.next(), return: () => this.#return() };
  }

  close(): void {
    if (this.#stream instanceof Readable) this.#stream.destroy();
    else this.#return().catch(() => {});
  }

  /** Tells the stream once that no more is wanted, if it was begun. */
  #return(): Promise<IteratorResult<unknown>> {
    this.#returned ??= (async () => {
      const answer = await this.#iterator?.return?.();
      return answer ?? { done: true, value: undefined };
    })();
    return this.#returned;
  }
}
