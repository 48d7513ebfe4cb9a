/**
 * Every error class of the SDK, and its code.
 *
 * - A message is written by the SDK and safe to show; it never holds a key, a variable or contents of a record but its
 *   id. It is one line, without control characters.
 * - What the server said is kept apart, in `serverMessage` or `errors`: not enumerable, so that neither
 *   `JSON.stringify` nor `util.inspect` prints it by accident.
 * - `instanceof` works across two copies of the package.
 */

export { AuthenticationError, PermissionDeniedError } from "./errors/access.js";
export {
  type ErrorDetails,
  noteAttempts,
  noteOutcomes,
  notePosition,
  noteRequestId,
  retelling,
  SaasManagementError,
} from "./errors/base.js";
export {
  BatchAlreadyInProgressError,
  BatchOutcomeUnknownError,
  type BatchState,
  BatchStateError,
  type BatchStateReason,
  SyncProtocolError,
} from "./errors/batch.js";
export { ClosedError } from "./errors/closed.js";
export type { ErrorCode } from "./errors/code.js";
export type { RecordOutcome, StopReason, WalkPosition } from "./errors/facts.js";
export {
  type GraphQLErrorEntry,
  GraphQLResponseError,
  MutationError,
  type MutationErrorEntry,
} from "./errors/graphql.js";
export { ConfigurationError, type InputIssue, InvalidInputError } from "./errors/input.js";
export { PaginationError } from "./errors/pagination.js";
export { type HeldSnapshot, RemovalGuardError } from "./errors/removal-guard.js";
export { RateLimitError, TimeoutError, TransportError } from "./errors/transport.js";
