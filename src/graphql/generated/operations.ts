import type { Document } from "../request/document.js";

/** Selects applications; several conditions combine with AND (service description, "GraphQL API"). */
export interface ApplicationFilter {
  /** All of these hold. */
  readonly and?: readonly ApplicationFilter[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly ApplicationFilter[] | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the state. */
  readonly state?: ApplicationStateOperationFilterInput | null | undefined;
  /** Conditions on the kind of portfolio. */
  readonly portfolioType?: StringOperationFilterInput | null | undefined;
  /** Conditions on the day of the last use. */
  readonly lastUsed?: DateOperationFilterInput | null | undefined;
  /** Conditions on the application. */
  readonly application?: ApplicationFilterInput | null | undefined;
  /** Conditions on the owner. */
  readonly owner?: ApplicationOwnerFilterInput | null | undefined;
  /** Conditions on the numbers of users. */
  readonly userCountStat?: UserCountStatFilterInput | null | undefined;
}

/** Conditions on an id; several combine with AND (service description, "GraphQL API"). */
interface IdOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: string | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: string | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly (string | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly (string | null)[] | null | undefined;
}

/** Conditions on a value of ApplicationState; several combine with AND (service description, "GraphQL API"). */
interface ApplicationStateOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: ApplicationState | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: ApplicationState | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly (ApplicationState | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly (ApplicationState | null)[] | null | undefined;
}

/**
 * What a workspace has decided about an application (service description, "Application state"). There may be values that
 * the description does not show.
 */
export type ApplicationState =
  /** Found by discovery; not decided yet. */
  | "DISCOVERED"
  /** Being decided. */
  | "IN_REVIEW"
  /** May be used. */
  | "SANCTIONED"
  /** May not be used. */
  | "DISQUALIFIED"
  /** No longer considered. */
  | "ARCHIVED";

/** Conditions on a string, case-sensitive; several combine with AND (service description, "GraphQL API"). */
interface StringOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: string | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: string | null | undefined;
  /** Contains the string. */
  readonly contains?: string | null | undefined;
  /** Does not contain the string. */
  readonly ncontains?: string | null | undefined;
  /** Starts with the string. */
  readonly startsWith?: string | null | undefined;
  /** Does not start with the string. */
  readonly nstartsWith?: string | null | undefined;
  /** Ends with the string. */
  readonly endsWith?: string | null | undefined;
  /** Does not end with the string. */
  readonly nendsWith?: string | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly (string | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly (string | null)[] | null | undefined;
}

/** Conditions on a date; several combine with AND (service description, "GraphQL API"). */
interface DateOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: string | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: string | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly (string | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly (string | null)[] | null | undefined;
  /** On the day or after it. */
  readonly gte?: string | null | undefined;
  /** On the day or before it. */
  readonly lte?: string | null | undefined;
}

/**
 * Selects applications by what their vendor sells; several conditions combine with AND (service description, "GraphQL
 * API").
 */
interface ApplicationFilterInput {
  /** All of these hold. */
  readonly and?: readonly ApplicationFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly ApplicationFilterInput[] | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
  /** Conditions on the vendor's name. */
  readonly vendorName?: StringOperationFilterInput | null | undefined;
  /** Conditions on the category. */
  readonly category?: ApplicationCategoryFilterInput | null | undefined;
}

/** Selects categories; several conditions combine with AND (service description, "GraphQL API"). */
interface ApplicationCategoryFilterInput {
  /** All of these hold. */
  readonly and?: readonly ApplicationCategoryFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly ApplicationCategoryFilterInput[] | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
}

/** Selects owners; several conditions combine with AND (service description, "GraphQL API"). */
interface ApplicationOwnerFilterInput {
  /** All of these hold. */
  readonly and?: readonly ApplicationOwnerFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly ApplicationOwnerFilterInput[] | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
}

/** Selects numbers of users; several conditions combine with AND (service description, "GraphQL API"). */
interface UserCountStatFilterInput {
  /** All of these hold. */
  readonly and?: readonly UserCountStatFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly UserCountStatFilterInput[] | null | undefined;
  /** Conditions on the number of all users. */
  readonly all?: IntOperationFilterInput | null | undefined;
  /** Conditions on the number of users of the last 30 days. */
  readonly last30Days?: IntOperationFilterInput | null | undefined;
}

/** Conditions on a whole number; several combine with AND (service description, "GraphQL API"). */
interface IntOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: number | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: number | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly (number | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly (number | null)[] | null | undefined;
}

/**
 * Orders applications (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export interface ApplicationOrder {
  /** By the id. */
  readonly id?: "ASC" | "DESC" | null | undefined;
  /** By the state. */
  readonly state?: "ASC" | "DESC" | null | undefined;
  /** By the kind of portfolio. */
  readonly portfolioType?: "ASC" | "DESC" | null | undefined;
  /** By the day of the last use. */
  readonly lastUsed?: "ASC" | "DESC" | null | undefined;
  /** By the application. */
  readonly application?: ApplicationSortInput | null | undefined;
  /** By the owner. */
  readonly owner?: ApplicationOwnerSortInput | null | undefined;
  /** By the numbers of users. */
  readonly userCountStat?: UserCountStatSortInput | null | undefined;
}

/**
 * Orders applications by what their vendor sells (service description, "GraphQL API"). Of several fields in one object the
 * one that stands first here counts first.
 */
interface ApplicationSortInput {
  /** By the id. */
  readonly id?: "ASC" | "DESC" | null | undefined;
  /** By the name. */
  readonly name?: "ASC" | "DESC" | null | undefined;
  /** By the vendor's name. */
  readonly vendorName?: "ASC" | "DESC" | null | undefined;
  /** By the category. */
  readonly category?: ApplicationCategorySortInput | null | undefined;
}

/**
 * Orders categories (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface ApplicationCategorySortInput {
  /** By the name. */
  readonly name?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders owners (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface ApplicationOwnerSortInput {
  /** By the id. */
  readonly id?: "ASC" | "DESC" | null | undefined;
  /** By the name. */
  readonly name?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders numbers of users (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
interface UserCountStatSortInput {
  /** By the number of all users. */
  readonly all?: "ASC" | "DESC" | null | undefined;
  /** By the number of users of the last 30 days. */
  readonly last30Days?: "ASC" | "DESC" | null | undefined;
}

/** The state to set for vendors (service description, "Mutation input shapes"). */
export interface ChangeVendorsStateInput {
  /** The state. */
  readonly state: ApplicationState;
}

/** Selects vendors; several conditions combine with AND (service description, "Mutation input shapes"). */
export interface VendorFilter {
  /** All of these hold. */
  readonly and?: readonly VendorFilter[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly VendorFilter[] | null | undefined;
  /** Conditions on the vendor. */
  readonly vendor?: VendorFilterInput | null | undefined;
}

/** Selects vendors by what they are; several conditions combine with AND (service description, "GraphQL API"). */
interface VendorFilterInput {
  /** All of these hold. */
  readonly and?: readonly VendorFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly VendorFilterInput[] | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
}

/** A new procurement case (service description, "Mutation input shapes"). */
export interface CreateProcurementCaseInput {
  /**
   * Initial state. Assumed: PRE by default, and a case cannot start as COMPLETED.
   *
   * @experimental
   */
  readonly state?: "PRE" | "COMPLETED" | null | undefined;
  /**
   * Name of the case. Assumed: required, and not blank.
   *
   * @experimental
   */
  readonly name: string;
  /**
   * Day on which the case has to be done. Assumed: optional, and not in the past.
   *
   * @experimental
   */
  readonly deadline?: string | null | undefined;
  /**
   * What the price is compared with. Assumed: optional.
   *
   * @experimental
   */
  readonly baselineType?: "LAST_YEAR_COST" | null | undefined;
  /**
   * The price to compare with. Assumed: optional, and not negative.
   *
   * @experimental
   */
  readonly baselinePrice?: number | null | undefined;
}

/** Selects license plans; several conditions combine with AND (service description, "GraphQL API"). */
export interface LicensePlanFilter {
  /** All of these hold. */
  readonly and?: readonly LicensePlanFilter[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicensePlanFilter[] | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
  /** Conditions on the integration. */
  readonly integration?: IntegrationFilterInput | null | undefined;
  /** Conditions on the contract. */
  readonly contractDetails?: ContractDetailsFilterInput | null | undefined;
  /** Conditions on the prices. */
  readonly pricingStats?: LicensePlanPricingStatsFilterInput | null | undefined;
  /** Conditions on the use of seats. */
  readonly usageStats?: LicensePlanUsageStatsFilterInput | null | undefined;
}

/** Selects integrations; several conditions combine with AND (service description, "GraphQL API"). */
interface IntegrationFilterInput {
  /** All of these hold. */
  readonly and?: readonly IntegrationFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly IntegrationFilterInput[] | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
}

/** Selects contracts; several conditions combine with AND (service description, "GraphQL API"). */
interface ContractDetailsFilterInput {
  /** All of these hold. */
  readonly and?: readonly ContractDetailsFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly ContractDetailsFilterInput[] | null | undefined;
  /** Conditions on the kind of contract. */
  readonly type?: StringOperationFilterInput | null | undefined;
  /** Conditions on the renewal. */
  readonly renewal?: ContractRenewalFilterInput | null | undefined;
}

/** Selects renewals; several conditions combine with AND (service description, "GraphQL API"). */
interface ContractRenewalFilterInput {
  /** All of these hold. */
  readonly and?: readonly ContractRenewalFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly ContractRenewalFilterInput[] | null | undefined;
  /** Conditions on the day of the next renewal. */
  readonly upcomingDate?: RenewalDateFilterInput | null | undefined;
  /** Conditions on the termination period. */
  readonly terminationPeriod?: TerminationPeriodFilterInput | null | undefined;
}

/** Selects days of renewal; several conditions combine with AND (service description, "GraphQL API"). */
interface RenewalDateFilterInput {
  /** All of these hold. */
  readonly and?: readonly RenewalDateFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly RenewalDateFilterInput[] | null | undefined;
  /** Conditions on the day. */
  readonly value?: DateOperationFilterInput | null | undefined;
  /** Conditions on the origin. */
  readonly origin?: DataOriginOperationFilterInput | null | undefined;
}

/** Conditions on a value of DataOrigin; several combine with AND (service description, "GraphQL API"). */
interface DataOriginOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: "MANUAL" | "INTEGRATION" | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: "MANUAL" | "INTEGRATION" | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly ("MANUAL" | "INTEGRATION" | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly ("MANUAL" | "INTEGRATION" | null)[] | null | undefined;
}

/** Selects termination periods; several conditions combine with AND (service description, "GraphQL API"). */
interface TerminationPeriodFilterInput {
  /** All of these hold. */
  readonly and?: readonly TerminationPeriodFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly TerminationPeriodFilterInput[] | null | undefined;
  /** Conditions on the number of days. */
  readonly value?: IntOperationFilterInput | null | undefined;
  /** Conditions on the origin. */
  readonly origin?: DataOriginOperationFilterInput | null | undefined;
}

/** Selects prices of plans; several conditions combine with AND (service description, "GraphQL API"). */
interface LicensePlanPricingStatsFilterInput {
  /** All of these hold. */
  readonly and?: readonly LicensePlanPricingStatsFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicensePlanPricingStatsFilterInput[] | null | undefined;
  /** Conditions on the annual cost. */
  readonly annualCost?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the currency. */
  readonly currency?: StringOperationFilterInput | null | undefined;
  /** Conditions on the potential saving. */
  readonly potentialSaving?: LicensePlanPotentialSavingFilterInput | null | undefined;
}

/** Conditions on a decimal number; several combine with AND (service description, "GraphQL API"). */
interface DecimalOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: number | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: number | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly (number | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly (number | null)[] | null | undefined;
}

/** Selects potential savings of plans; several conditions combine with AND (service description, "GraphQL API"). */
interface LicensePlanPotentialSavingFilterInput {
  /** All of these hold. */
  readonly and?: readonly LicensePlanPotentialSavingFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicensePlanPotentialSavingFilterInput[] | null | undefined;
  /** Conditions on the amount. */
  readonly amount?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the percentage. */
  readonly percentage?: DecimalOperationFilterInput | null | undefined;
}

/** Selects uses of seats; several conditions combine with AND (service description, "GraphQL API"). */
interface LicensePlanUsageStatsFilterInput {
  /** All of these hold. */
  readonly and?: readonly LicensePlanUsageStatsFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicensePlanUsageStatsFilterInput[] | null | undefined;
  /** Conditions on the number of seats. */
  readonly total?: IntOperationFilterInput | null | undefined;
  /** Conditions on the seats in use. */
  readonly inUse?: SeatCountFilterInput | null | undefined;
  /** Conditions on the seats not in use. */
  readonly unused?: SeatCountFilterInput | null | undefined;
}

/** Selects numbers of seats; several conditions combine with AND (service description, "GraphQL API"). */
interface SeatCountFilterInput {
  /** All of these hold. */
  readonly and?: readonly SeatCountFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly SeatCountFilterInput[] | null | undefined;
  /** Conditions on the number of seats. */
  readonly total?: IntOperationFilterInput | null | undefined;
}

/**
 * Orders license plans (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export interface LicensePlanOrder {
  /** By the id. */
  readonly id?: "ASC" | "DESC" | null | undefined;
  /** By the name. */
  readonly name?: "ASC" | "DESC" | null | undefined;
  /** By the integration. */
  readonly integration?: IntegrationSortInput | null | undefined;
  /** By the contract. */
  readonly contractDetails?: ContractDetailsSortInput | null | undefined;
  /** By the prices. */
  readonly pricingStats?: LicensePlanPricingStatsSortInput | null | undefined;
  /** By the use of seats. */
  readonly usageStats?: LicensePlanUsageStatsSortInput | null | undefined;
}

/**
 * Orders integrations (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface IntegrationSortInput {
  /** By the id. */
  readonly id?: "ASC" | "DESC" | null | undefined;
  /** By the name. */
  readonly name?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders contracts (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface ContractDetailsSortInput {
  /** By the kind of contract. */
  readonly type?: "ASC" | "DESC" | null | undefined;
  /** By the renewal. */
  readonly renewal?: ContractRenewalSortInput | null | undefined;
}

/**
 * Orders renewals (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface ContractRenewalSortInput {
  /** By the day of the next renewal. */
  readonly upcomingDate?: RenewalDateSortInput | null | undefined;
  /** By the termination period. */
  readonly terminationPeriod?: TerminationPeriodSortInput | null | undefined;
}

/**
 * Orders days of renewal (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
interface RenewalDateSortInput {
  /** By the day. */
  readonly value?: "ASC" | "DESC" | null | undefined;
  /** By the origin. */
  readonly origin?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders termination periods (service description, "GraphQL API"). Of several fields in one object the one that stands
 * first here counts first.
 */
interface TerminationPeriodSortInput {
  /** By the number of days. */
  readonly value?: "ASC" | "DESC" | null | undefined;
  /** By the origin. */
  readonly origin?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders prices of plans (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
interface LicensePlanPricingStatsSortInput {
  /** By the annual cost. */
  readonly annualCost?: "ASC" | "DESC" | null | undefined;
  /** By the currency. */
  readonly currency?: "ASC" | "DESC" | null | undefined;
  /** By the potential saving. */
  readonly potentialSaving?: LicensePlanPotentialSavingSortInput | null | undefined;
}

/**
 * Orders potential savings of plans (service description, "GraphQL API"). Of several fields in one object the one that
 * stands first here counts first.
 */
interface LicensePlanPotentialSavingSortInput {
  /** By the amount. */
  readonly amount?: "ASC" | "DESC" | null | undefined;
  /** By the percentage. */
  readonly percentage?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders uses of seats (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
interface LicensePlanUsageStatsSortInput {
  /** By the number of seats. */
  readonly total?: "ASC" | "DESC" | null | undefined;
  /** By the seats in use. */
  readonly inUse?: SeatCountSortInput | null | undefined;
  /** By the seats not in use. */
  readonly unused?: SeatCountSortInput | null | undefined;
}

/**
 * Orders numbers of seats (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
interface SeatCountSortInput {
  /** By the number of seats. */
  readonly total?: "ASC" | "DESC" | null | undefined;
}

/** Selects licenses; several conditions combine with AND (service description, "GraphQL API"). */
export interface LicenseFilter {
  /** All of these hold. */
  readonly and?: readonly LicenseFilter[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicenseFilter[] | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the state. */
  readonly state?: LicenseStateFilterInput | null | undefined;
  /** Conditions on the holder. */
  readonly holder?: LicenseHolderFilterInput | null | undefined;
  /** Conditions on the plan. */
  readonly plan?: LicensePlanFilter | null | undefined;
  /** Conditions on the annual price. */
  readonly annualPrice?: MoneyFilterInput | null | undefined;
  /** Conditions on the potential saving. */
  readonly potentialSaving?: MoneyFilterInput | null | undefined;
}

/**
 * Selects states of licenses, whichever member of the union they are; several conditions combine with AND (service
 * description, "GraphQL API").
 */
interface LicenseStateFilterInput {
  /** All of these hold. */
  readonly and?: readonly LicenseStateFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicenseStateFilterInput[] | null | undefined;
  /** Conditions on the activity. */
  readonly activity?: LicenseActivityOperationFilterInput | null | undefined;
}

/** Conditions on a value of LicenseActivity; several combine with AND (service description, "GraphQL API"). */
interface LicenseActivityOperationFilterInput {
  /** Equal to the value; null asks for no value. */
  readonly eq?: "UNUSED" | "USED" | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: "UNUSED" | "USED" | null | undefined;
  /** Equal to one of the values. */
  readonly in?: readonly ("UNUSED" | "USED" | null)[] | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: readonly ("UNUSED" | "USED" | null)[] | null | undefined;
}

/** Selects holders; several conditions combine with AND (service description, "GraphQL API"). */
interface LicenseHolderFilterInput {
  /** All of these hold. */
  readonly and?: readonly LicenseHolderFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly LicenseHolderFilterInput[] | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
  /** Conditions on the e-mail address. */
  readonly email?: StringOperationFilterInput | null | undefined;
  /** Conditions on the id of the employee. */
  readonly employeeId?: StringOperationFilterInput | null | undefined;
}

/** Selects amounts; several conditions combine with AND (service description, "GraphQL API"). */
interface MoneyFilterInput {
  /** All of these hold. */
  readonly and?: readonly MoneyFilterInput[] | null | undefined;
  /** At least one of these holds. */
  readonly or?: readonly MoneyFilterInput[] | null | undefined;
  /** Conditions on the amount. */
  readonly amount?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the currency. */
  readonly currency?: StringOperationFilterInput | null | undefined;
}

/**
 * Orders licenses (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export interface LicenseOrder {
  /** By the id. */
  readonly id?: "ASC" | "DESC" | null | undefined;
  /** By the state. */
  readonly state?: LicenseStateSortInput | null | undefined;
  /** By the holder. */
  readonly holder?: LicenseHolderSortInput | null | undefined;
  /** By the plan. */
  readonly plan?: LicensePlanOrder | null | undefined;
  /** By the annual price. */
  readonly annualPrice?: MoneySortInput | null | undefined;
  /** By the potential saving. */
  readonly potentialSaving?: MoneySortInput | null | undefined;
}

/**
 * Orders states of licenses, whichever member of the union they are (service description, "GraphQL API"). Of several
 * fields in one object the one that stands first here counts first.
 */
interface LicenseStateSortInput {
  /** By the activity. */
  readonly activity?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders holders (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface LicenseHolderSortInput {
  /** By the name. */
  readonly name?: "ASC" | "DESC" | null | undefined;
  /** By the e-mail address. */
  readonly email?: "ASC" | "DESC" | null | undefined;
  /** By the id of the employee. */
  readonly employeeId?: "ASC" | "DESC" | null | undefined;
}

/**
 * Orders amounts (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
interface MoneySortInput {
  /** By the amount. */
  readonly amount?: "ASC" | "DESC" | null | undefined;
  /** By the currency. */
  readonly currency?: "ASC" | "DESC" | null | undefined;
}

/**
 * Changes to a procurement case (service description, "Mutation input shapes"). Assumed: the description does not show the
 * fields. A field that is left out stays as it is; null takes the value away from fields that can be without one, and is
 * refused for the others.
 *
 * @experimental
 */
export interface UpdateProcurementCaseInput {
  /**
   * Id of the case. Assumed.
   *
   * @experimental
   */
  readonly id: string;
  /**
   * New state. Assumed: COMPLETED completes the case.
   *
   * @experimental
   */
  readonly state?: "PRE" | "COMPLETED" | null | undefined;
  /**
   * New name. Assumed: not blank.
   *
   * @experimental
   */
  readonly name?: string | null | undefined;
  /**
   * New deadline. Assumed: not in the past.
   *
   * @experimental
   */
  readonly deadline?: string | null | undefined;
  /**
   * What the price is compared with. Assumed.
   *
   * @experimental
   */
  readonly baselineType?: "LAST_YEAR_COST" | null | undefined;
  /**
   * New price. Assumed: not negative.
   *
   * @experimental
   */
  readonly baselinePrice?: number | null | undefined;
}

/**
 * An application of the workspace, and what the workspace has decided about it (service description, "GraphQL object
 * shapes").
 */
export interface Application {
  /** Id of the discovery. */
  readonly id: string;
  /** What the workspace has decided about the application. */
  readonly state: ApplicationState | (string & {});
  /**
   * Kind of portfolio that the application belongs to. Assumed to be a string: no value is shown.
   *
   * @experimental
   */
  readonly portfolioType: string | null;
  /**
   * Day on which the application was last seen in use; null if no use was seen. Assumed to be a date.
   *
   * @experimental
   */
  readonly lastUsed: string | null;
  /** The application. */
  readonly application: {
    /** Id of the application. */
    readonly id: string;
    /** Name of the application. */
    readonly name: string;
    /** Name of the vendor; null if it is not known. */
    readonly vendorName: string | null;
    /** What the application is for; null if it is not known. */
    readonly category: {
      /** Name of the category. */
      readonly name: string;
    } | null;
  };
  /** Who is responsible for the application; null if nobody is. */
  readonly owner: {
    /** Id of the person. */
    readonly id: string;
    /** Name of the person; null if it is not known. */
    readonly name: string | null;
  } | null;
  /** How many people use the application. */
  readonly userCountStat: {
    /** Number of people who were ever seen using it. */
    readonly all: number;
    /** Number of people who were seen using it in the last 30 days. */
    readonly last30Days: number;
  };
}

/** A plan of an application's licenses (service description, "GraphQL object shapes"). */
export interface LicensePlan {
  /** Id of the license plan. */
  readonly id: string;
  /** Name of the plan. */
  readonly name: string;
  /** Integration that the plan comes from. */
  readonly integration: {
    /** Id of the integration. */
    readonly id: string;
    /** Name of the integration. */
    readonly name: string;
  } | null;
  /** What is known of the contract; null if nothing is. */
  readonly contractDetails: {
    /**
     * Kind of contract. Assumed to be a string: no value is shown.
     *
     * @experimental
     */
    readonly type: string | null;
    /** When and how the contract renews; null if it is not known. */
    readonly renewal: {
      /** Day of the next renewal; null if it is not known. */
      readonly upcomingDate: {
        /** The day. */
        readonly value: string | null;
        /** Where the day comes from. */
        readonly origin: "MANUAL" | "INTEGRATION" | (string & {}) | null;
      } | null;
      /** How long before the renewal the contract must be terminated; null if it is not known. */
      readonly terminationPeriod: {
        /**
         * The period, in days. Assumed to be a number of days.
         *
         * @experimental
         */
        readonly value: number | null;
        /** Where the period comes from. */
        readonly origin: "MANUAL" | "INTEGRATION" | (string & {}) | null;
      } | null;
    } | null;
  } | null;
  /** What the plan costs; null if the price is not known. */
  readonly pricingStats: {
    /** Cost of all seats a year. */
    readonly annualCost: number;
    /** ISO 4217 code of the currency of all amounts here. */
    readonly currency: string;
    /** Estimated saving a year. */
    readonly potentialSaving: {
      /** Estimated saving a year, in the currency of the plan's prices. */
      readonly amount: number;
      /**
       * The saving in percent of the annual cost; null if the cost is 0. Assumed: 25 means 25%.
       *
       * @experimental
       */
      readonly percentage: number | null;
    };
  } | null;
  /** How the plan's seats are used. */
  readonly usageStats: {
    /** Number of seats. */
    readonly total: number;
    /** Seats in use. */
    readonly inUse: {
      /** Number of seats. */
      readonly total: number;
    };
    /** Seats not in use. */
    readonly unused: {
      /** Number of seats. */
      readonly total: number;
    };
  };
}

/** An assignment of a license plan to an employee or external user (service description, "GraphQL object shapes"). */
export interface License {
  /** Id of the license. */
  readonly id: string;
  /** Whether the license is used. */
  readonly state: {
    /** Name of the object's type. */
    readonly __typename: "UnusedLicenseState" | "UsedLicenseState" | (string & {});
    /** Whether the license is used. */
    readonly activity?: "UNUSED" | "USED" | (string & {});
    /** Why the license is classified as unused. */
    readonly reason?: string | null;
  };
  /** The employee or external user it is assigned to; null if the source names no known person. */
  readonly holder: {
    /** Name; null if it is not known. */
    readonly name: string | null;
    /** E-mail address; null if it is not known. */
    readonly email: string | null;
    /** Id of the employee; null for external users. */
    readonly employeeId: string | null;
  } | null;
  /** The plan of which it is an assignment; null if the source names no known plan. */
  readonly plan: {
    /** Id of the license plan. */
    readonly id: string;
    /** Name of the plan. */
    readonly name: string;
    /** Integration that the plan comes from. */
    readonly integration: {
      /** Name of the integration. */
      readonly name: string;
    } | null;
  } | null;
  /** What it costs a year; null if the price is not known. */
  readonly annualPrice: {
    /** The amount, in units of the currency. */
    readonly amount: number;
    /** ISO 4217 code of the currency. */
    readonly currency: string;
  } | null;
  /** Estimated saving a year; null if the price is not known. */
  readonly potentialSaving: {
    /** The amount, in units of the currency. */
    readonly amount: number;
    /** ISO 4217 code of the currency. */
    readonly currency: string;
  } | null;
}

/** Where a page lies in its connection (service description, "GraphQL object shapes"). */
interface PageInfo {
  /** Whether there are items after this page. */
  readonly hasNextPage: boolean;
  /** Cursor of the last item, to continue forward with `after`; null if the page is empty. */
  readonly endCursor: string | null;
  /** Whether there are items before this page. */
  readonly hasPreviousPage: boolean;
  /** Cursor of the first item, to continue backward with `before`; null if the page is empty. */
  readonly startCursor: string | null;
}

/** A purchase or a renewal that is being negotiated (service description, "GraphQL object shapes"). */
export interface ProcurementCase {
  /** Id of the case. */
  readonly id: string;
  /** Name of the case. */
  readonly name: string;
  /** How far the case is. */
  readonly state: "PRE" | "COMPLETED" | (string & {});
  /**
   * How far the price of the case came down; null without a baseline price. Assumed: the first baseline price that the
   * case had less the one it has now.
   *
   * @experimental
   */
  readonly savingAmount: number | null;
  /**
   * The saving in percent of the first baseline price, to two places; null without a baseline price and where the first
   * one is 0. Assumed: 25 means 25%.
   *
   * @experimental
   */
  readonly savingPercentage: number | null;
}

export interface ApplicationsData {
  /** The applications of the workspace, one page at a time. */
  readonly applications: {
    /** The applications of the page. */
    readonly nodes: readonly Application[] | null;
    /** Where the page lies. */
    readonly pageInfo: PageInfo;
    /** Number of applications that match, over all pages. */
    readonly totalCount: number;
  } | null;
}

export const ApplicationsDocument: Document<ApplicationsData, never> = `
    query Applications($first: Int, $after: String, $last: Int, $before: String, $where: ApplicationDiscoveryFilterInput, $order: [ApplicationDiscoverySortInput!]) {
  applications(
    first: $first
    after: $after
    last: $last
    before: $before
    where: $where
    order: $order
  ) {
    nodes {
      ...ApplicationDiscovery
    }
    pageInfo {
      ...PageInfo
    }
    totalCount
  }
}
    fragment ApplicationDiscovery on ApplicationDiscovery {
  id
  state
  portfolioType
  lastUsed
  application {
    id
    name
    vendorName
    category {
      name
    }
  }
  owner {
    id
    name
  }
  userCountStat {
    all
    last30Days
  }
}
fragment PageInfo on PageInfo {
  hasNextPage
  endCursor
  hasPreviousPage
  startCursor
}`;

export interface ChangeVendorsStateData {
  /** Sets the state of the vendors that match `where`: of all their applications. */
  readonly changeVendorsState: {
    /**
     * Number of vendors whose state was set; null if it could not be set. Assumed: every matching vendor counts, those
     * too that were in the state already.
     *
     * @experimental
     */
    readonly updatedCount: number | null;
    /** Why the state could not be set; null if it was. */
    readonly errors: readonly ({
      /** Name of the object's type. */
      readonly __typename: "ChangeVendorsStateError" | (string & {});
      /** What went wrong. */
      readonly message: string;
    })[] | null;
  } | null;
}

export const ChangeVendorsStateDocument: Document<ChangeVendorsStateData, never> = `
    mutation ChangeVendorsState($input: ChangeVendorsStateInput!, $where: VendorDiscoveryFilterInput) {
  changeVendorsState(input: $input, where: $where) {
    updatedCount
    errors {
      __typename
      ... on Error {
        message
      }
    }
  }
}
    `;

export interface CreateProcurementCaseData {
  /** Opens a procurement case. */
  readonly createProcurementCase: {
    /** The new case; null if it could not be created. */
    readonly case: ProcurementCase | null;
    /** Why the case could not be created; null if it was. */
    readonly errors: readonly ({
      /** Name of the object's type. */
      readonly __typename: "ProcurementCaseCreationError" | (string & {});
      /** What went wrong. */
      readonly message: string;
    })[] | null;
  } | null;
}

export const CreateProcurementCaseDocument: Document<CreateProcurementCaseData, never> = `
    mutation CreateProcurementCase($input: CreateProcurementCaseInput!) {
  createProcurementCase(input: $input) {
    case {
      ...ProcurementCase
    }
    errors {
      __typename
      ... on Error {
        message
      }
    }
  }
}
    fragment ProcurementCase on ProcurementCase {
  id
  name
  state
  savingAmount
  savingPercentage
}`;

export interface LicensePlansData {
  /** The license plans of the workspace, one page at a time. */
  readonly licensePlans: {
    /** The license plans of the page. */
    readonly nodes: readonly LicensePlan[] | null;
    /** Where the page lies. */
    readonly pageInfo: PageInfo;
    /** Number of license plans that match, over all pages. */
    readonly totalCount: number;
  } | null;
}

export const LicensePlansDocument: Document<LicensePlansData, never> = `
    query LicensePlans($first: Int, $after: String, $last: Int, $before: String, $where: LicensePlanFilterInput, $order: [LicensePlanSortInput!]) {
  licensePlans(
    first: $first
    after: $after
    last: $last
    before: $before
    where: $where
    order: $order
  ) {
    nodes {
      ...LicensePlan
    }
    pageInfo {
      ...PageInfo
    }
    totalCount
  }
}
    fragment LicensePlan on LicensePlan {
  id
  name
  integration {
    id
    name
  }
  contractDetails {
    type
    renewal {
      upcomingDate {
        value
        origin
      }
      terminationPeriod {
        value
        origin
      }
    }
  }
  pricingStats {
    annualCost
    currency
    potentialSaving {
      amount
      percentage
    }
  }
  usageStats {
    total
    inUse {
      total
    }
    unused {
      total
    }
  }
}
fragment PageInfo on PageInfo {
  hasNextPage
  endCursor
  hasPreviousPage
  startCursor
}`;

export interface LicensesData {
  /** The licenses of the workspace, one page at a time. */
  readonly licenses: {
    /** The licenses of the page. */
    readonly nodes: readonly License[] | null;
    /** Where the page lies. */
    readonly pageInfo: PageInfo;
    /** Number of licenses that match, over all pages. */
    readonly totalCount: number;
  } | null;
}

export const LicensesDocument: Document<LicensesData, never> = `
    query Licenses($first: Int, $after: String, $last: Int, $before: String, $where: LicenseFilterInput, $order: [LicenseSortInput!]) {
  licenses(
    first: $first
    after: $after
    last: $last
    before: $before
    where: $where
    order: $order
  ) {
    nodes {
      ...License
    }
    pageInfo {
      ...PageInfo
    }
    totalCount
  }
}
    fragment License on License {
  id
  state {
    __typename
    ... on UnusedLicenseState {
      activity
      reason
    }
    ... on UsedLicenseState {
      activity
    }
  }
  holder {
    name
    email
    employeeId
  }
  plan {
    id
    name
    integration {
      name
    }
  }
  annualPrice {
    amount
    currency
  }
  potentialSaving {
    amount
    currency
  }
}
fragment PageInfo on PageInfo {
  hasNextPage
  endCursor
  hasPreviousPage
  startCursor
}`;

export interface UpdateProcurementCaseData {
  /** Changes a procurement case that is not completed. */
  readonly updateProcurementCase: {
    /** The changed case; null if it could not be changed. */
    readonly case: ProcurementCase | null;
    /** Why the case could not be changed; null if it was. */
    readonly errors: readonly ({
      /** Name of the object's type. */
      readonly __typename: "ProcurementCaseCompletedError" | "ProcurementCaseNotFoundError" | (string & {});
      /** What went wrong. */
      readonly message: string;
    })[] | null;
  } | null;
}

export const UpdateProcurementCaseDocument: Document<UpdateProcurementCaseData, never> = `
    mutation UpdateProcurementCase($input: UpdateProcurementCaseInput!) {
  updateProcurementCase(input: $input) {
    case {
      ...ProcurementCase
    }
    errors {
      __typename
      ... on Error {
        message
      }
    }
  }
}
    fragment ProcurementCase on ProcurementCase {
  id
  name
  state
  savingAmount
  savingPercentage
}`;

/** The typed errors of each mutation (service description, "Typed mutation errors"). */
export interface MutationErrors {
  /**
   * Why the state of vendors could not be set. Name assumed: the usual one is that of the error.
   *
   * @experimental
   */
  readonly changeVendorsState: {
    /** Name of the object's type. */
    readonly __typename: "ChangeVendorsStateError" | (string & {});
    /** What went wrong. */
    readonly message: string;
  };
  /** Why a procurement case could not be created. */
  readonly createProcurementCase: {
    /** Name of the object's type. */
    readonly __typename: "ProcurementCaseCreationError" | (string & {});
    /** What went wrong. */
    readonly message: string;
  };
  /** Why a procurement case could not be changed. */
  readonly updateProcurementCase: {
    /** Name of the object's type. */
    readonly __typename: "ProcurementCaseCompletedError" | "ProcurementCaseNotFoundError" | (string & {});
    /** What went wrong. */
    readonly message: string;
  };
}

/** The documents of the client's methods. */
export const METHODS = {
  applications: ApplicationsDocument,
  changeVendorsState: ChangeVendorsStateDocument,
  createProcurementCase: CreateProcurementCaseDocument,
  licensePlans: LicensePlansDocument,
  licenses: LicensesDocument,
  updateProcurementCase: UpdateProcurementCaseDocument,
};
