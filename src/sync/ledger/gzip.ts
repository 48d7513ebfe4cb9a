import { pipeline, Readable } from "node:stream";
import { constants, createGunzip, createGzip, type Gzip, gunzipSync, gzipSync } from "node:zlib";

type Pieces = AsyncIterable<Uint8Array>;

// Compression would halve the ids, and cost as much time as hashing them.
const OPTIONS = { level: constants.Z_NO_COMPRESSION };
/** Written and read at a time: each chunk costs a turn of the event loop. */
const CHUNK_BYTES = 128 * 1024;
/** What is written or read at once: for less, a stream and its threads cost more than the work. */
const SMALL_BYTES = CHUNK_BYTES / 2;

/** A value in gzip's format, which detects damage, while it is written. */
export class GzipValue {
  /** What the store reads. */
  readonly bytes: Pieces;
  #begin: (value: Pieces) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  /** Of a large value. */
  #gzip: Gzip | undefined;
  #ended = false;
  #held: [piece: Uint8Array, done: (() => void) | undefined][];
  #heldBytes = 0;

  constructor(first: Uint8Array) {
    this.#held = [[first, undefined]];
    const value = new Promise<Pieces>((resolve, reject) => {
      this.#begin = resolve;
      this.#fail = reject;
    });
    // The store gets it.
    value.catch(() => {});
    this.bytes = follow(value);
  }

  /** @param done Called when the bytes of the piece were read, if the value goes on */
  write(piece: Uint8Array, done?: () => void): void {
    this.#held.push([piece, done]);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < SMALL_BYTES) return;
    this.#gzip ??= this.#stream();
    for (const [held, wasRead] of this.#held) this.#gzip.write(held, wasRead);
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Ends the value, once. */
  end(last: Uint8Array): void {
    if (this.#ended) return;
    this.#ended = true;
    const rest = Buffer.concat([...this.#held.map(([held]) => held), last]);
    if (this.#gzip === undefined) this.#begin(inOrder([gzipSync(rest, OPTIONS)]));
    else this.#gzip.end(rest);
  }

  /** Fails the value: nothing of it is stored. */
  destroy(error = new Error("The value is not needed any more.")): void {
    this.#gzip?.destroy(error);
    this.#fail(error);
  }

  #stream(): Gzip {
    const gzip = createGzip({ ...OPTIONS, chunkSize: CHUNK_BYTES });
    // The store gets it.
    gzip.on("error", () => {});
    this.#begin(gzip);
    return gzip;
  }
}

/** Reads such a value. Fails if it is damaged. */
export async function* gunzipped(value: Pieces): Pieces {
  const pieces = copied(value);
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes < SMALL_BYTES; ) {
    const { value: piece, done } = await pieces.next();
    if (done === true) {
      if (bytes > 0) yield gunzipSync(Buffer.concat(first));
      return;
    }
    first.push(piece);
    bytes += piece.length;
  }
  const source = Readable.from(inOrder(first, pieces), { objectMode: false });
  // An error of the store ends the iteration.
  const text: Readable = pipeline(source, createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  try {
    yield* text;
  } finally {
    text.destroy();
    source.destroy();
    pieces.return().catch(() => {});
  }
}

async function* follow(value: Promise<Pieces>): Pieces {
  yield* await value;
}

async function* inOrder(first: readonly Uint8Array[], others?: Pieces): Pieces {
  yield* first;
  if (others !== undefined) yield* others;
}

/** Streams keep pieces, and the store may use their buffer again. */
async function* copied(value: Pieces): AsyncGenerator<Uint8Array, void> {
  for await (const piece of value) yield new Uint8Array(piece);
}
