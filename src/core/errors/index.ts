/**
 * Every error class of the SDK, and its code.
 *
 * - A message is written by the SDK and safe to show: one line without control characters, never with a key, a variable
 *   or contents of a record other than its id.
 * - The server's own messages are in `serverMessage` or `errors`: not enumerable, so that neither `JSON.stringify` nor
 *   `util.inspect` prints them by accident.
 * - `instanceof` works across two copies of the package.
 */

export {
  annotate,
  type ErrorCode,
  type ErrorDetails,
  type RecordOutcome,
  SaasManagementError,
  type StopReason,
  type WalkPosition,
} from "./base.js";
export {
  type GraphQLErrorEntry,
  GraphQLResponseError,
  MutationError,
  type MutationErrorEntry,
  PaginationError,
} from "./graphql.js";
export { ConfigurationError, type InputIssue, InvalidInputError } from "./input.js";
export {
  BatchInProgressError,
  BatchOutcomeUnknownError,
  type BatchState,
  BatchStateError,
  type BatchStateReason,
  type HeldSnapshot,
  RunHeldError,
  SyncProtocolError,
} from "./sync.js";
export {
  AuthenticationError,
  ClosedError,
  PermissionDeniedError,
  RateLimitError,
  TimeoutError,
  TransportError,
} from "./transport.js";
