import { InvalidInputError } from "../errors.js";

/** The arrays that a stream gave: it makes the next chunk while one waits to be taken in, so each must be its own. */
export class StreamChunks {
  readonly #given = new WeakSet<object>();

  /** @throws {InvalidInputError} the array came before: what it held then may have been lost */
  take(chunk: readonly unknown[]): void {
    if (this.#given.has(chunk)) {
      throw new InvalidInputError(
        "The source is a stream that gave the same array again: it fills the next one while one is read, so what was sent may be a part. Make a new array for each chunk; then start a new batch.",
      );
    }
    this.#given.add(chunk);
  }
}
