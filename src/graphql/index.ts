/**
 * The GraphQL API alone. Runs in Node, Bun, Deno, browsers and on the edge: it uses no module of Node.
 *
 * @packageDocumentation
 */

// For users: the client, and what its methods take and return.

export {
  AuthenticationError,
  ClosedError,
  ConfigurationError,
  type ErrorCode,
  type GraphQLErrorEntry,
  GraphQLResponseError,
  type InputIssue,
  InvalidInputError,
  MutationError,
  type MutationErrorEntry,
  PaginationError,
  PermissionDeniedError,
  RateLimitError,
  type RecordOutcome,
  SaasManagementError,
  type StopReason,
  TimeoutError,
  TransportError,
  type WalkPosition,
} from "../core/errors/index.js";
export type { RetryOptions } from "../core/retry.js";
export { GraphQLClient } from "./client.js";
export { calendarDate, renewalBetween } from "./filters.js";
export { type MoneyAmount, type MoneySelector, sumByCurrency } from "./money.js";
export {
  isMutationError,
  type MutationErrorOf,
  type MutationName,
  type MutationOutcome,
  type MutationPayloadOf,
  type SafeMutations,
  type VendorsStateChange,
} from "./mutations.js";
export type { GraphQLOptions, MutationOptions, RequestOptions, ResponseLimits } from "./options.js";
export type { ConnectionOptions, ListArguments, PagingArguments } from "./paging/arguments.js";
export type { Connection } from "./paging/connection.js";
export type { Page, PageInfo } from "./paging/page-walk.js";
export type { PaginateOptions } from "./paging/paginate.js";
export type { GraphQLAnswer } from "./request/response.js";
export type { CalendarDate } from "./scalars.js";
export type * from "./types.js";

// For other libraries: what wraps the client, or stands in for its clock, logger, fetch or documents.

export { type Clock, systemClock, TestClock, type TimerOptions } from "../core/clock.js";
export type { CredentialOptions } from "../core/credential.js";
export type { ErrorDetails } from "../core/errors/index.js";
export type { HookOptions, OperationInfo, RequestEvent, ResponseEvent, RetryEvent } from "../core/hooks.js";
export type { Logger } from "../core/logger.js";
export type { CommonOptions } from "../core/options.js";
export type { FetchLike } from "./options.js";
export type { ConnectionData } from "./paging/page-walk.js";
export type { DocumentArguments, GraphQLDocument } from "./request/document.js";
export type { ResponseHead } from "./request/response.js";
export type { UnknownTypename } from "./scalars.js";
