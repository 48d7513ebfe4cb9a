import type {
  ApplicationDiscoveryFilterInput,
  ApplicationDiscoverySortInput,
  LicenseFilterInput,
  LicensePlanFilterInput,
  LicensePlanSortInput,
  LicenseSortInput,
} from "./generated/operations.js";
import type { ListArguments } from "./paging/arguments.js";

// Everything in this file is public: the arguments, nodes and inputs of the queries and mutations.

/** Arguments of `applications` (service description, "GraphQL API"). */
export type ApplicationsArguments = ListArguments<
  ApplicationDiscoveryFilterInput,
  ApplicationDiscoverySortInput
>;
/** Arguments of `licenses` (service description, "GraphQL API"). */
export type LicensesArguments = ListArguments<LicenseFilterInput, LicenseSortInput>;
/** Arguments of `licensePlans` (service description, "GraphQL API"). */
export type LicensePlansArguments = ListArguments<LicensePlanFilterInput, LicensePlanSortInput>;

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
