import { checkSignal } from "../../core/abort.js";
import type { RetryOptions } from "../../core/retry.js";
import type { KeysOf } from "../../core/validate.js";
import { readOptions } from "../../core/validate.js";

/** Options of one request, or of every page of a connection. */
export interface RequestOptions {
  /** Cancels the request, its retries and their pauses; the call rejects with the signal's own reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Time of the request in milliseconds, its retries included. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** Sent with the request, over the client's own headers. `authorization` is refused here. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * How transient failures are repeated, or `false` for never. What it leaves out is as the SDK has it, and not as the
   * client's `retry`. @default the client's `retry`
   */
  readonly retry?: RetryOptions | false | undefined;
}

/** The names of {@link RequestOptions}. */
export const REQUEST_NAMES = {
  signal: true,
  timeoutMs: true,
  headers: true,
  retry: true,
} satisfies KeysOf<RequestOptions>;

/** Options of a request that may change something. */
export interface MutationOptions extends RequestOptions {
  /**
   * Says that doing it twice is the same as doing it once, so that transient failures are repeated. A mutation is
   * never repeated without it. @default false
   */
  readonly idempotent?: boolean | undefined;
}

const MUTATION_NAMES = { ...REQUEST_NAMES, idempotent: true } satisfies KeysOf<MutationOptions>;

/**
 * A copy of the options of a call that sends one request, each of which is read once.
 * @throws {InvalidInputError} they are no object, cannot be read, have a name that is not known, or a signal that is
 * none
 */
export function callOptions(call: string, options: MutationOptions | undefined): MutationOptions | undefined {
  if (options === undefined) return undefined;
  const own = readOptions(`The options of ${call}`, options, MUTATION_NAMES);
  checkSignal(own.signal);
  return own;
}
