/**
 * The GraphQL API alone. Runs in Node, Bun, Deno, browsers and on the edge: nothing here needs a module of Node.
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
export type { GraphQLClientOptions } from "./configuration.js";
export { type CalendarDate, calendarDate } from "./dates.js";
export type {
  ApplicationCategoryFilterInput,
  ApplicationCategorySortInput,
  ApplicationDiscoveryFilterInput,
  ApplicationDiscoveryFragment as ApplicationDiscovery,
  ApplicationDiscoverySortInput,
  ApplicationFilterInput,
  ApplicationOwnerFilterInput,
  ApplicationOwnerSortInput,
  ApplicationSortInput,
  ApplicationState,
  ApplicationStateOperationFilterInput,
  ChangeVendorsStateInput,
  ContractDetailsFilterInput,
  ContractDetailsSortInput,
  ContractRenewalFilterInput,
  ContractRenewalSortInput,
  CreateProcurementCaseInput,
  DataOrigin,
  DataOriginOperationFilterInput,
  DateOperationFilterInput,
  DecimalOperationFilterInput,
  IdOperationFilterInput,
  IntegrationFilterInput,
  IntegrationSortInput,
  IntOperationFilterInput,
  LicenseActivity,
  LicenseActivityOperationFilterInput,
  LicenseFilterInput,
  LicenseFragment as License,
  LicenseHolderFilterInput,
  LicenseHolderSortInput,
  LicensePlanFilterInput,
  LicensePlanFragment as LicensePlan,
  LicensePlanPotentialSavingFilterInput,
  LicensePlanPotentialSavingSortInput,
  LicensePlanPricingStatsFilterInput,
  LicensePlanPricingStatsSortInput,
  LicensePlanSortInput,
  LicensePlanUsageStatsFilterInput,
  LicensePlanUsageStatsSortInput,
  LicenseSortInput,
  LicenseStateFilterInput,
  LicenseStateSortInput,
  MoneyFilterInput,
  MoneySortInput,
  ProcurementCaseBaselineType,
  ProcurementCaseFragment as ProcurementCase,
  ProcurementCaseState,
  RenewalDateFilterInput,
  RenewalDateSortInput,
  SeatCountFilterInput,
  SeatCountSortInput,
  SortEnumType,
  StringOperationFilterInput,
  TerminationPeriodFilterInput,
  TerminationPeriodSortInput,
  UpdateProcurementCaseInput,
  UserCountStatFilterInput,
  UserCountStatSortInput,
  VendorDiscoveryFilterInput,
  VendorFilterInput,
} from "./generated/operations.js";
export { type MoneyAmount, type MoneySelector, sumByCurrency } from "./money.js";
export {
  isMutationError,
  type MutationErrorOf,
  type MutationName,
  type MutationOutcome,
  type MutationPayloadOf,
  type VendorsStateChange,
} from "./mutation-outcome.js";
export type { SafeMutations } from "./mutations.js";
export type { ConnectionOptions, PagingArguments } from "./paging/arguments.js";
export type { Connection } from "./paging/connection.js";
export type {
  ApplicationsArguments,
  LicensePlansArguments,
  LicensesArguments,
  ListArguments,
} from "./paging/list.js";
export type { Page, PageInfo } from "./paging/page.js";
export type { PaginateOptions } from "./paging/paginate.js";
export { renewalBetween } from "./renewal-filter.js";
export type { GraphQLAnswer } from "./request/answer.js";
export type { MutationOptions, RequestOptions } from "./request/request-options.js";
export type { ResponseLimits } from "./request/response-limits.js";

// For other libraries: what wraps the client, or stands in for its clock, logger, fetch or documents.

export { type Clock, systemClock, TestClock, type TimerOptions } from "../core/clock.js";
export type { CredentialOptions } from "../core/credential.js";
export type { ErrorDetails } from "../core/errors/index.js";
export type { HookOptions, OperationInfo, RequestEvent, ResponseEvent, RetryEvent } from "../core/hooks.js";
export type { Logger } from "../core/logger.js";
export type { CommonOptions } from "../core/options.js";
export type { UnknownTypename } from "./open-types.js";
export type { ConnectionData } from "./paging/page.js";
export type { FetchLike } from "./request/attempt.js";
export type { DocumentArguments, GraphQLDocument } from "./request/document-types.js";
export type { ResponseHead } from "./request/failures.js";
