/** The largest window that gets through to the service: the network in between may allow less than the service does. */
import { TimeoutError, TransportError } from "../core/errors/index.js";
import type { Logger } from "../core/hooks.js";
import { count } from "./report-text.js";

/** Size of gRPC's prefix for each message. */
export const PREFIX_BYTES = 5;

/** A client learns its limit once, because all its windows take the same route. */
export class WindowLimit {
  readonly #logger: Logger;
  #bytes = Number.POSITIVE_INFINITY;
  /** The largest window that was accepted. */
  #passedBytes = 0;
  #cause: unknown;
  #isTold = true;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Maximum size of a window in bytes, including message prefixes; a single larger message is allowed. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * What the user should know about the limit: a sentence without its final period.
   * @param since The limit at an earlier time.
   */
  noteSince(since: number): string | undefined {
    return this.#bytes < since ? this.#note : undefined;
  }

  /**
   * Halves the limit after the failure of a window that may have been too large.
   * @returns false if a window of that size got through before
   */
  halve(bytes: number, error: unknown): boolean {
    const isRefused = error instanceof TransportError && error.status !== undefined;
    if (bytes <= this.#passedBytes && !isRefused) return false;
    // The limit is a power of two, because real limits usually are.
    this.#bytes = Math.min(this.#bytes, 2 ** Math.ceil(Math.log2(bytes / 2)));
    this.#cause = error;
    this.#isTold = false;
    return true;
  }

  accepted(bytes: number): void {
    this.#passedBytes = Math.max(this.#passedBytes, bytes);
    if (this.#isTold) return;
    this.#isTold = true;
    this.#logger.warn(`saas-management: ${this.#note}`);
  }

  get #note(): string {
    const set = `set windowBytes to ${this.#bytes}`;
    const halved = `windows were halved to ${count(this.#bytes)} bytes`;
    if (this.#cause instanceof TimeoutError)
      return `${halved}, because larger ones did not get through within timeoutMs: ${set}, or raise timeoutMs`;
    const { status } = this.#cause instanceof TransportError ? this.#cause : {};
    const what =
      status === undefined ? "cut larger ones off" : `refused larger ones with HTTP status ${status}`;
    return `${halved}, because something on the network, such as a proxy, ${what}: ${set}, or raise its limit for request bodies (nginx: client_max_body_size 0)`;
  }
}
