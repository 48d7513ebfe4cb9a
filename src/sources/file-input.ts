/** Opens the file or stream that a source reads. */
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { InvalidInputError } from "../core/errors/index.js";
import { isText, type Rule } from "../core/validate.js";

/** A path, a `file:` URL, or a stream of bytes or text: a Node stream, a web stream, or any async iterable. */
export type FileInput = string | URL | AsyncIterable<Uint8Array | string>;

/** An input's name, as errors show it. */
export const NAME: Rule = { expected: "a string", fits: isText };

const CHUNK_BYTES = 64 * 1024;

/** A file can be opened any number of times, but a stream only once. */
export class Input {
  /** The name that errors show: by default the base name of a file, never its path. */
  readonly name: string;
  readonly #source: string | AsyncIterable<unknown>;
  #isOpened = false;

  constructor(input: FileInput, name: string | undefined) {
    this.#source = sourceOf(input);
    this.name = name ?? (typeof this.#source === "string" ? basename(this.#source) : "stream");
  }

  /**
   * Opens the input. A chunk is valid until the next one is requested.
   * @param stop Fires when the caller needs no more data; a stream is then released even while a chunk is pending.
   * @throws {InvalidInputError} the stream was already read
   */
  open(stop: AbortSignal): AsyncIterable<Uint8Array | string> {
    const source = this.#source;
    if (typeof source === "string") return fileChunks(source, this.name);
    if (this.#isOpened || wasRead(source)) {
      throw new InvalidInputError(
        `${this.name} was already read, and a stream can be read only once. Create a new source for each write, or pass a file path.`,
      );
    }
    this.#isOpened = true;
    return streamChunks(source, this.name, stop);
  }
}

function sourceOf(input: FileInput): string | AsyncIterable<unknown> {
  const given: unknown = input;
  if (input instanceof URL) {
    if (input.protocol !== "file:") throw new InvalidInputError("The URL of the input must be a file: URL.");
    return fileURLToPath(input);
  }
  if (typeof input === "string") {
    if (input === "") throw new InvalidInputError("The path of the input is empty.");
    return input;
  }
  if (typeof given === "object" && given !== null && Symbol.asyncIterator in given) return input;
  throw new InvalidInputError("The input must be a path, a file: URL or a stream.");
}

function wasRead(stream: object): boolean {
  // A stream that failed before it was read must report its own error.
  if (stream instanceof Readable) return stream.readableDidRead;
  return stream instanceof ReadableStream && Reflect.apply(Readable.isDisturbed, Readable, [stream]) === true;
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
        `${name} changed while it was read. Read the file after its writer has finished, or have the writer rename the complete file into place.`,
      );
    }
  } finally {
    await file.close();
  }
}

/** Doesn't use the operating system's message, because it contains the whole path. */
function unreadable(name: string, error: unknown): InvalidInputError {
  const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code === "ENOENT") return new InvalidInputError(`${name} does not exist.`);
  if (code === "EISDIR") return new InvalidInputError(`${name} is a directory, not a file.`);
  return new InvalidInputError(`${name} cannot be read${typeof code === "string" ? ` (${code})` : ""}.`);
}

function streamChunks(
  stream: AsyncIterable<unknown>,
  name: string,
  stop: AbortSignal,
): AsyncIterable<Uint8Array | string> {
  const iterator = stream[Symbol.asyncIterator]();
  let isDone = false;
  const close = () => {
    if (isDone) return;
    if (stream instanceof Readable) stream.destroy();
    // An error of the stream takes precedence over an error on closing it.
    else void (async () => iterator.return?.())().catch(() => {});
  };
  stop.addEventListener("abort", close, { once: true });
  const next = async (): Promise<IteratorResult<Uint8Array | string, void>> => {
    const { done, value } = await iterator.next();
    isDone = done === true;
    if (isDone) return { done: true, value: undefined };
    if (!(value instanceof Uint8Array) && typeof value !== "string") {
      throw new InvalidInputError(`${name} must be a stream of bytes or text.`);
    }
    return { done: false, value };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
