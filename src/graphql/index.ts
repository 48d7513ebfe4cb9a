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
} from "../errors.js";
export type { RetryOptions } from "../retry.js";
export type { GraphQLAnswer } from "./answer.js";
export { GraphQLClient } from "./client.js";
export type { GraphQLClientOptions } from "./configuration.js";
export type { Connection } from "./connection.js";
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
export type {
  ApplicationsArguments,
  LicensePlansArguments,
  LicensesArguments,
  ListArguments,
} from "./list.js";
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
export type { Page, PageInfo } from "./page.js";
export type { PaginateOptions } from "./paginate.js";
export type { ConnectionOptions, PagingArguments } from "./paging.js";
export { renewalBetween } from "./renewal-filter.js";
export type { MutationOptions, RequestOptions } from "./request-options.js";
export type { ResponseLimits } from "./response-limits.js";

// For other libraries: what wraps the client, or stands in for its clock, logger, fetch or documents.

export { type Clock, systemClock, TestClock, type TimerOptions } from "../clock.js";
export type { CredentialOptions } from "../credential.js";
export type { ErrorDetails } from "../errors.js";
export type { HookOptions, OperationInfo, RequestEvent, ResponseEvent, RetryEvent } from "../hooks.js";
export type { Logger } from "../logger.js";
export type { CommonOptions } from "../options.js";
export type { DocumentArguments, GraphQLDocument } from "./document-types.js";
export type { FetchLike } from "./exchange.js";
export type { ResponseHead } from "./failures.js";
export type { UnknownTypename } from "./open-types.js";
export type { ConnectionData } from "./page.js";
