/** Text that a stream hands out in pieces -> UTF-8. A piece may end in the middle of a character. */
import type { InvalidInputError } from "../core/errors/index.js";
import { countIn } from "./count-in.js";
import { problemAt } from "./problem.js";

/** The pieces of one stream. Of a character of two code units the first waits for the second. */
export class TextPieces {
  readonly #name: string;
  readonly #encoder = new TextEncoder();
  #waiting = "";

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * The next piece as UTF-8, but for half a character at its end.
   * @param line Number of the line that the piece goes on with.
   * @throws {InvalidInputError} half a character without its other half: an encoder would put `\ufffd` in its place
   */
  encode(piece: string, line: number): Uint8Array {
    const joined = this.#waiting + piece;
    const text = endsInHalf(joined) ? joined.slice(0, -1) : joined;
    this.#waiting = joined.slice(text.length);
    if (!text.isWellFormed()) {
      const before = text.slice(0, text.search(/\p{Surrogate}/u));
      throw this.#half(line + countIn(before, "\n"));
    }
    return this.#encoder.encode(text);
  }

  /** No text follows. @throws {InvalidInputError} half a character is left */
  end(line: number): void {
    if (this.#waiting !== "") throw this.#half(line);
  }

  #half(line: number): InvalidInputError {
    return problemAt(
      `${this.#name}:${line}`,
      "has half of a character (a lone surrogate)",
      "Whatever decoded the text may have cut it; a stream of bytes is decoded here.",
    );
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
