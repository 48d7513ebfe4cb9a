/**
 * Every error class of the SDK, and its code.
 *
 * - The SDK writes every message, and each is safe to show: one line without control characters. A message never
 *   contains a key or a variable, and no part of a record except its id.
 * - The server's own messages are in `serverMessage` or `errors`. Neither field is enumerable, so `JSON.stringify` and
 *   `util.inspect` don't print them by accident.
 * - `instanceof` works across two copies of the package.
 * - Constructors are internal: catch these errors, but don't create them.
 */

import { isSdkError } from "./base.js";
import type * as common from "./common.js";
import type * as sync from "./sync.js";

export { annotate, type WalkPosition } from "./base.js";
export * from "./common.js";
export * from "./sync.js";

/**
 * Every error that the SDK throws: `if (error instanceof SaasManagementError) switch (error.code) { … }` gives access
 * to the fields of each class.
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

/** `instanceof` narrows to the union of all errors, including those of another copy of the package. */
export const SaasManagementError: { [Symbol.hasInstance](value: unknown): value is SaasManagementError } = {
  [Symbol.hasInstance]: (value): value is SaasManagementError => isSdkError(value),
};

/** Identifies what went wrong; stable, so you can branch on it. */
export type ErrorCode = SaasManagementError["code"];
