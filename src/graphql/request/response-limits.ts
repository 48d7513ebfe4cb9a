import { ConfigurationError } from "../../core/errors/index.js";

/** How much of an answer is read. */
export interface ResponseLimits {
  /**
   * Most bytes of one response's body, counted after decompression. A larger one, also one that never ends, is a
   * `TransportError`; it is not read further and not held. @default 67_108_864 (64 MiB)
   */
  readonly maxResponseBytes?: number | undefined;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** Checks the bound of a body. */
export function resolveMaxResponseBytes(maxBytes: number = DEFAULT_MAX_BYTES): number {
  if (Number.isSafeInteger(maxBytes) && maxBytes > 0) return maxBytes;
  throw new ConfigurationError("maxResponseBytes must be a whole number of bytes, 1 or more.");
}
