/**
 * Every error class of the SDK, and its code.
 *
 * - A message is written by the SDK and safe to show; it never holds a key, a variable or contents of a record but its
 *   id. It is one line, without control characters.
 * - What the server said is kept apart, in `serverMessage` or `errors`: not enumerable, so that neither
 *   `JSON.stringify` nor `util.inspect` prints it by accident.
 * - `instanceof` works across two copies of the package.
 */

export { AuthenticationError, PermissionDeniedError } from "./access.js";
export {
  type ErrorDetails,
  noteAttempts,
  noteOutcomes,
  notePosition,
  noteRequestId,
  retelling,
  SaasManagementError,
} from "./base.js";
export { ClosedError } from "./closed.js";
export type { ErrorCode } from "./code.js";
export type { RecordOutcome, StopReason, WalkPosition } from "./facts.js";
export {
  type GraphQLErrorEntry,
  GraphQLResponseError,
  MutationError,
  type MutationErrorEntry,
} from "./graphql.js";
export { ConfigurationError, type InputIssue, InvalidInputError } from "./input.js";
export { PaginationError } from "./pagination.js";
export { type HeldSnapshot, RemovalGuardError } from "./removal-guard.js";
export {
  BatchAlreadyInProgressError,
  BatchOutcomeUnknownError,
  type BatchState,
  BatchStateError,
  type BatchStateReason,
  SyncProtocolError,
} from "./sync.js";
export { RateLimitError, TimeoutError, TransportError } from "./transport.js";
