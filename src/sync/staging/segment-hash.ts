import { createHash, webcrypto } from "node:crypto";

/** Hashes under way at a time; each holds a copy of its frame. */
const MOST_PENDING = 2;

/** The hash of a segment: of its header, and of the hash of each frame, which other threads compute. */
export class SegmentHash {
  readonly #hash = createHash("sha256");
  readonly #pending: Promise<ArrayBuffer>[] = [];

  constructor(header: Uint8Array) {
    this.#hash.update(header);
  }

  /** Adds the records of a frame, which may be overwritten as soon as this returns. Resolves when there is room for more. */
  async add(frame: Uint8Array): Promise<void> {
    this.#pending.push(webcrypto.subtle.digest("SHA-256", frame));
    while (this.#pending.length > MOST_PENDING) await this.#takeFirst();
  }

  async digest(): Promise<string> {
    while (this.#pending.length > 0) await this.#takeFirst();
    return this.#hash.digest("hex");
  }

  async #takeFirst(): Promise<void> {
    const digest = await this.#pending.shift();
    if (digest !== undefined) this.#hash.update(new Uint8Array(digest));
  }
}
