/**
 * Every error class of the SDK, and its code.
 *
 * - A message is written by the SDK and safe to show: one line without control characters, never with a key, a variable
 *   or contents of a record other than its id.
 * - The server's own messages are in `serverMessage` or `errors`: not enumerable, so that neither `JSON.stringify` nor
 *   `util.inspect` prints them by accident.
 * - `instanceof` works across two copies of the package.
 * - Constructors are internal: programs catch errors and do not make them.
 */

import { isSdkError } from "./base.js";
import type * as common from "./common.js";
import type * as sync from "./sync.js";

export { annotate, type WalkPosition } from "./base.js";
export * from "./common.js";
export * from "./sync.js";

/**
 * Every error that the SDK makes: `if (error instanceof SaasManagementError) switch (error.code) { … }` reaches the
 * fields of each class.
 */
export type SaasManagementError =
  | common.ConfigurationError
  | common.InvalidInputError
  | common.AuthenticationError
  | common.PermissionDeniedError
  | common.RateLimitError
  | common.GraphQLResponseError
  | common.MutationError
  | common.PaginationError
  | sync.BatchInProgressError
  | sync.BatchStateError
  | sync.BatchOutcomeUnknownError
  | sync.SyncProtocolError
  | sync.RunHeldError
  | sync.RunOutdatedError
  | sync.SpoolError
  | sync.InterruptedError
  | common.ClosedError
  | common.TransportError
  | common.TimeoutError;

/** Narrows with `instanceof` to the union of all errors, also those of another copy of the package. */
export const SaasManagementError: { [Symbol.hasInstance](value: unknown): value is SaasManagementError } = {
  [Symbol.hasInstance]: (value): value is SaasManagementError => isSdkError(value),
};

/** What went wrong, as a stable string to branch on. */
export type ErrorCode = SaasManagementError["code"];
