/** Maximum time that bytes wait before they enter the link: the length of a router's queue. */
const QUEUE_MS = 100;
/** Size of a transfer unit: small enough that its last byte isn't much later than the first. */
const PIECE_BYTES = 16 * 1024;

/** One direction of a link: data comes out in order, after the delay, and no faster than the bandwidth. */
export class Lane {
  readonly #bytesPerMs: number;
  readonly #delayMs: number;
  readonly #onItsWay: { readonly at: number; readonly comeOut: () => void }[] = [];
  /** The time at which all bytes so far will have entered the link. */
  #freeAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bytesPerMs: number, delayMs: number) {
    this.#bytesPerMs = bytesPerMs;
    this.#delayMs = delayMs;
  }

  /** Takes bytes, and returns how many milliseconds to wait before sending more: 0 if there's room. */
  enter(bytes: Uint8Array, comeOut: (piece: Uint8Array) => void): number {
    const now = performance.now();
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      const piece = bytes.subarray(from, from + PIECE_BYTES);
      this.#freeAt = Math.max(this.#freeAt, now) + piece.length / this.#bytesPerMs;
      this.last(() => comeOut(piece));
    }
    return Math.max(0, this.#freeAt - now - QUEUE_MS);
  }

  /** Calls back once all bytes that went in have come out. */
  last(then: () => void): void {
    this.#onItsWay.push({ at: this.#freeAt + this.#delayMs, comeOut: then });
    this.#timer ??= this.#wait();
  }

  #wait(): NodeJS.Timeout | undefined {
    const [next] = this.#onItsWay;
    if (next === undefined) return undefined;
    return setTimeout(() => this.#release(), next.at - performance.now());
  }

  #release(): void {
    const now = performance.now();
    const waiting = this.#onItsWay.findIndex(({ at }) => at > now);
    const due = this.#onItsWay.splice(0, waiting < 0 ? this.#onItsWay.length : waiting);
    for (const { comeOut } of due) comeOut();
    this.#timer = this.#wait();
  }
}
