const LINE_FEED = 0x0a;

/** Reads lines and blocks from pieces of any size. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();
  #block = Buffer.alloc(0);
  #isOver = false;

  constructor(value: AsyncIterable<Uint8Array>) {
    this.#pieces = value[Symbol.asyncIterator]();
  }

  /** Reads so many bytes, which stay until the next block is read; undefined if the value ends before. */
  async block(length: number): Promise<Buffer | undefined> {
    if (this.#block.length < length) this.#block = Buffer.allocUnsafeSlow(length);
    const block = this.#block.subarray(0, length);
    for (let at = 0; at < length; ) {
      if (!(await this.#fill())) return undefined;
      const part = this.#piece.subarray(0, length - at);
      block.set(part, at);
      at += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
    return block;
  }

  /** Reads up to the next line feed, and with it; undefined if there is none within so many bytes. */
  async line(maxBytes: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = [];
    for (let bytes = 0; bytes < maxBytes && (await this.#fill()); ) {
      const end = this.#piece.indexOf(LINE_FEED);
      const part = this.#piece.subarray(0, end === -1 ? undefined : end + 1);
      parts.push(Buffer.from(part));
      bytes += part.length;
      this.#piece = this.#piece.subarray(part.length);
      if (end !== -1) return Buffer.concat(parts);
    }
    return undefined;
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  /** Lets the store close what it has open. */
  async close(): Promise<void> {
    if (!this.#isOver) await this.#pieces.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#piece.length === 0 && !this.#isOver) {
      const step = await this.#pieces.next();
      if (step.done === true) this.#isOver = true;
      else this.#piece = step.value;
    }
    return this.#piece.length > 0;
  }
}
