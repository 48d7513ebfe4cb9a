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
  GraphQLResponseError,
  type InputIssue,
  InvalidInputError,
  MutationError,
  PaginationError,
  PermissionDeniedError,
  RateLimitError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../core/errors/index.js";
export type { RetryOptions } from "../core/retry.js";
export { GraphQLClient } from "./client.js";
export { calendarDate } from "./filters.js";
export type {
  Application,
  ApplicationFilter,
  ApplicationOrder,
  ApplicationState,
  ChangeVendorsStateInput,
  CreateProcurementCaseInput,
  License,
  LicenseFilter,
  LicenseOrder,
  LicensePlan,
  LicensePlanFilter,
  LicensePlanOrder,
  MutationErrors,
  ProcurementCase,
  UpdateProcurementCaseInput,
  VendorFilter,
} from "./generated/operations.js";
export { sumByCurrency } from "./money.js";
export { isMutationError } from "./mutations.js";
export type { GraphQLOptions, MutationOptions, RequestOptions } from "./options.js";
export type { Connection } from "./paging/connection.js";
export type { ListOptions } from "./paging/list-options.js";
export type { Page, PageInfo } from "./paging/page-walk.js";
export type { Document } from "./request/document.js";

// For other libraries: what wraps the client, or stands in for its clock, logger, fetch or documents.

export { type Clock, systemClock, TestClock, type TimerOptions } from "../core/clock.js";
export type { CredentialOptions } from "../core/credential.js";
export type { HookOptions, OperationInfo, RequestEvent, ResponseEvent, RetryEvent } from "../core/hooks.js";
export type { Logger } from "../core/logger.js";
export type { CommonOptions } from "../core/options.js";
