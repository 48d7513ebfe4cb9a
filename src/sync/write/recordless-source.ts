/** Sources that can be read and never hold a record: an empty one would pass for an empty collection. */
import { Interface } from "node:readline";
import { Readable } from "node:stream";
import { types } from "node:util";
import { InvalidInputError } from "../../core/errors/index.js";
import type { CollectionName } from "../collections.js";

/**
 * Checks that a source is none of those. A stream that is one is closed, as after any other failure of its write.
 * @throws {InvalidInputError} it is one
 */
export function checkHoldsRecords(source: object, collection: CollectionName): void {
  const refusal = recordless(source);
  if (refusal === undefined) return;
  discard(source);
  throw new InvalidInputError(
    `The source of ${collection} is ${refusal.what}, which holds no records: an empty one would be taken for an empty collection. ${refusal.advice}`,
  );
}

/** Why a source holds no records. */
interface Refusal {
  readonly what: string;
  readonly advice: string;
}

function recordless(source: object): Refusal | undefined {
  if (source instanceof Readable && !source.readableObjectMode) return text("a stream of bytes or text");
  if (source instanceof ReadableStream && isOfBytes(source)) return text("a stream of bytes");
  if (source instanceof Interface) return text("a reader of lines");
  if (ArrayBuffer.isView(source)) return text("a buffer of bytes or numbers");
  if (types.isStringObject(source)) return text("a text");
  if (types.isMap(source)) return pairs("a Map");
  if (source instanceof URLSearchParams) return pairs("a URLSearchParams");
  if (source instanceof Headers) return pairs("a Headers");
  if (source instanceof FormData) return pairs("a FormData");
  return undefined;
}

function text(what: string): Refusal {
  return {
    what,
    advice: "Make records of a file with fromCsv or fromJsonl, of a response with fromPages.",
  };
}

function pairs(what: string): Refusal {
  return { what, advice: "It gives pairs of a key and a value: give its values() where they are records." };
}

/** Only a stream of bytes can be read into a buffer of the reader's own. */
function isOfBytes(stream: ReadableStream): boolean {
  try {
    stream.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** Lets a stream go, which nobody else will read. One that cannot be opened says so later: that is not what is wrong. */
function discard(source: object): void {
  if (source instanceof Readable) source.on("error", () => {}).destroy();
  if (source instanceof ReadableStream) source.cancel().catch(() => {});
  if (source instanceof Interface) source.close();
}
