/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { CalendarDate } from '../scalars.js';
import type { UnknownTypename } from '../scalars.js';
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/**
 * What a workspace has decided about an application (service description, "Application state"). There may be values that
 * the description does not show.
 */
export type ApplicationState =
  /** Found by discovery; not decided yet. */
  | 'DISCOVERED'
  /** Being decided. */
  | 'IN_REVIEW'
  /** May be used. */
  | 'SANCTIONED'
  /** May not be used. */
  | 'DISQUALIFIED'
  /** No longer considered. */
  | 'ARCHIVED'
  /** A value that this version does not know. */
  | (string & {});

/**
 * Whether a license is used (service description, "License activity"). There may be values that the description does not
 * show.
 */
export type LicenseActivity =
  /** No use was seen lately, or its account cannot be used. */
  | 'UNUSED'
  /** A use was seen lately. Assumed: only UNUSED is shown. */
  | 'USED'
  /** A value that this version does not know. */
  | (string & {});

/**
 * Where a value comes from. The names of the values are assumed: the description says "manual entry or an
 * integration".
 *
 * @experimental
 */
export type DataOrigin =
  /** Entered by a person. Name assumed. */
  | 'MANUAL'
  /** An integration delivered it. Name assumed. */
  | 'INTEGRATION'
  /** A value that this version does not know. */
  | (string & {});

/**
 * How far a procurement case is (service description, "Procurement case state"). There may be values that the description
 * does not show.
 */
export type ProcurementCaseState =
  /** Being prepared. */
  | 'PRE'
  /** Done: the case cannot be changed any more. Name assumed: the description shows only that there is such a state. */
  | 'COMPLETED'
  /** A value that this version does not know. */
  | (string & {});

/**
 * What a procurement case's price is compared with (service description, "Mutation input shapes"). There may be values
 * that the description does not show.
 */
export type ProcurementCaseBaselineType =
  /** What was paid last year. */
  | 'LAST_YEAR_COST'
  /** A value that this version does not know. */
  | (string & {});

/** A new procurement case (service description, "Mutation input shapes"). */
export type CreateProcurementCaseInput = {
  /**
   * Initial state. Assumed: PRE by default, and a case cannot start as COMPLETED.
   *
   * @experimental
   */
  readonly state?: ProcurementCaseState | null | undefined;
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
  readonly deadline?: CalendarDate | null | undefined;
  /**
   * What the price is compared with. Assumed: optional.
   *
   * @experimental
   */
  readonly baselineType?: ProcurementCaseBaselineType | null | undefined;
  /**
   * The price to compare with. Assumed: optional, and not negative.
   *
   * @experimental
   */
  readonly baselinePrice?: number | null | undefined;
};

/**
 * Changes to a procurement case (service description, "Mutation input shapes"). Assumed: the description does not show the
 * fields. A field that is left out stays as it is; null takes the value away from fields that can be without one, and is
 * refused for the others.
 *
 * @experimental
 */
export type UpdateProcurementCaseInput = {
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
  readonly state?: ProcurementCaseState | null | undefined;
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
  readonly deadline?: CalendarDate | null | undefined;
  /**
   * What the price is compared with. Assumed.
   *
   * @experimental
   */
  readonly baselineType?: ProcurementCaseBaselineType | null | undefined;
  /**
   * New price. Assumed: not negative.
   *
   * @experimental
   */
  readonly baselinePrice?: number | null | undefined;
};

/** The state to set for vendors (service description, "Mutation input shapes"). */
export type ChangeVendorsStateInput = {
  /**
   * The state. Assumed: every state but DISCOVERED, which only discovery sets.
   *
   * @experimental
   */
  readonly state: ApplicationState;
};

/** The direction of an order (service description, "GraphQL API"). */
export type SortEnumType =
  /** Lowest first; null before everything else. */
  | 'ASC'
  /** Highest first; null after everything else. */
  | 'DESC';

/** Conditions on a string, case-sensitive; several combine with AND (service description, "GraphQL API"). */
export type StringOperationFilterInput = {
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
  readonly in?: ReadonlyArray<string | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<string | null | undefined> | null | undefined;
};

/** Conditions on an id; several combine with AND (service description, "GraphQL API"). */
export type IdOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: string | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: string | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<string | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<string | null | undefined> | null | undefined;
};

/** Conditions on a whole number; several combine with AND (service description, "GraphQL API"). */
export type IntOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: number | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: number | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<number | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<number | null | undefined> | null | undefined;
};

/** Conditions on a decimal number; several combine with AND (service description, "GraphQL API"). */
export type DecimalOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: number | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: number | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<number | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<number | null | undefined> | null | undefined;
};

/** Conditions on a date; several combine with AND (service description, "GraphQL API"). */
export type DateOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: CalendarDate | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: CalendarDate | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<CalendarDate | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<CalendarDate | null | undefined> | null | undefined;
  /** On the day or after it. */
  readonly gte?: CalendarDate | null | undefined;
  /** On the day or before it. */
  readonly lte?: CalendarDate | null | undefined;
};

/** Conditions on a value of ApplicationState; several combine with AND (service description, "GraphQL API"). */
export type ApplicationStateOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: ApplicationState | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: ApplicationState | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<ApplicationState | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<ApplicationState | null | undefined> | null | undefined;
};

/** Conditions on a value of LicenseActivity; several combine with AND (service description, "GraphQL API"). */
export type LicenseActivityOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: LicenseActivity | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: LicenseActivity | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<LicenseActivity | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<LicenseActivity | null | undefined> | null | undefined;
};

/** Conditions on a value of DataOrigin; several combine with AND (service description, "GraphQL API"). */
export type DataOriginOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  readonly eq?: DataOrigin | null | undefined;
  /** Not equal to the value; null asks for any value. */
  readonly neq?: DataOrigin | null | undefined;
  /** Equal to one of the values. */
  readonly in?: ReadonlyArray<DataOrigin | null | undefined> | null | undefined;
  /** Equal to none of the values. */
  readonly nin?: ReadonlyArray<DataOrigin | null | undefined> | null | undefined;
};

/** Selects applications; several conditions combine with AND (service description, "GraphQL API"). */
export type ApplicationDiscoveryFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<ApplicationDiscoveryFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<ApplicationDiscoveryFilterInput> | null | undefined;
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
};

/**
 * Selects applications by what their vendor sells; several conditions combine with AND (service description, "GraphQL
 * API").
 */
export type ApplicationFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<ApplicationFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<ApplicationFilterInput> | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
  /** Conditions on the vendor's name. */
  readonly vendorName?: StringOperationFilterInput | null | undefined;
  /** Conditions on the category. */
  readonly category?: ApplicationCategoryFilterInput | null | undefined;
};

/** Selects categories; several conditions combine with AND (service description, "GraphQL API"). */
export type ApplicationCategoryFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<ApplicationCategoryFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<ApplicationCategoryFilterInput> | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
};

/** Selects owners; several conditions combine with AND (service description, "GraphQL API"). */
export type ApplicationOwnerFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<ApplicationOwnerFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<ApplicationOwnerFilterInput> | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
};

/** Selects numbers of users; several conditions combine with AND (service description, "GraphQL API"). */
export type UserCountStatFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<UserCountStatFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<UserCountStatFilterInput> | null | undefined;
  /** Conditions on the number of all users. */
  readonly all?: IntOperationFilterInput | null | undefined;
  /** Conditions on the number of users of the last 30 days. */
  readonly last30Days?: IntOperationFilterInput | null | undefined;
};

/** Selects licenses; several conditions combine with AND (service description, "GraphQL API"). */
export type LicenseFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicenseFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicenseFilterInput> | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the state. */
  readonly state?: LicenseStateFilterInput | null | undefined;
  /** Conditions on the holder. */
  readonly holder?: LicenseHolderFilterInput | null | undefined;
  /** Conditions on the plan. */
  readonly plan?: LicensePlanFilterInput | null | undefined;
  /** Conditions on the annual price. */
  readonly annualPrice?: MoneyFilterInput | null | undefined;
  /** Conditions on the potential saving. */
  readonly potentialSaving?: MoneyFilterInput | null | undefined;
};

/**
 * Selects states of licenses, whichever member of the union they are; several conditions combine with AND (service
 * description, "GraphQL API").
 */
export type LicenseStateFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicenseStateFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicenseStateFilterInput> | null | undefined;
  /** Conditions on the activity. */
  readonly activity?: LicenseActivityOperationFilterInput | null | undefined;
};

/** Selects holders; several conditions combine with AND (service description, "GraphQL API"). */
export type LicenseHolderFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicenseHolderFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicenseHolderFilterInput> | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
  /** Conditions on the e-mail address. */
  readonly email?: StringOperationFilterInput | null | undefined;
  /** Conditions on the id of the employee. */
  readonly employeeId?: StringOperationFilterInput | null | undefined;
};

/** Selects amounts; several conditions combine with AND (service description, "GraphQL API"). */
export type MoneyFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<MoneyFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<MoneyFilterInput> | null | undefined;
  /** Conditions on the amount. */
  readonly amount?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the currency. */
  readonly currency?: StringOperationFilterInput | null | undefined;
};

/** Selects license plans; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicensePlanFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicensePlanFilterInput> | null | undefined;
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
};

/** Selects integrations; several conditions combine with AND (service description, "GraphQL API"). */
export type IntegrationFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<IntegrationFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<IntegrationFilterInput> | null | undefined;
  /** Conditions on the id. */
  readonly id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
};

/** Selects contracts; several conditions combine with AND (service description, "GraphQL API"). */
export type ContractDetailsFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<ContractDetailsFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<ContractDetailsFilterInput> | null | undefined;
  /** Conditions on the kind of contract. */
  readonly type?: StringOperationFilterInput | null | undefined;
  /** Conditions on the renewal. */
  readonly renewal?: ContractRenewalFilterInput | null | undefined;
};

/** Selects renewals; several conditions combine with AND (service description, "GraphQL API"). */
export type ContractRenewalFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<ContractRenewalFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<ContractRenewalFilterInput> | null | undefined;
  /** Conditions on the day of the next renewal. */
  readonly upcomingDate?: RenewalDateFilterInput | null | undefined;
  /** Conditions on the termination period. */
  readonly terminationPeriod?: TerminationPeriodFilterInput | null | undefined;
};

/** Selects days of renewal; several conditions combine with AND (service description, "GraphQL API"). */
export type RenewalDateFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<RenewalDateFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<RenewalDateFilterInput> | null | undefined;
  /** Conditions on the day. */
  readonly value?: DateOperationFilterInput | null | undefined;
  /** Conditions on the origin. */
  readonly origin?: DataOriginOperationFilterInput | null | undefined;
};

/** Selects termination periods; several conditions combine with AND (service description, "GraphQL API"). */
export type TerminationPeriodFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<TerminationPeriodFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<TerminationPeriodFilterInput> | null | undefined;
  /** Conditions on the number of days. */
  readonly value?: IntOperationFilterInput | null | undefined;
  /** Conditions on the origin. */
  readonly origin?: DataOriginOperationFilterInput | null | undefined;
};

/** Selects prices of plans; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanPricingStatsFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicensePlanPricingStatsFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicensePlanPricingStatsFilterInput> | null | undefined;
  /** Conditions on the annual cost. */
  readonly annualCost?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the currency. */
  readonly currency?: StringOperationFilterInput | null | undefined;
  /** Conditions on the potential saving. */
  readonly potentialSaving?: LicensePlanPotentialSavingFilterInput | null | undefined;
};

/** Selects potential savings of plans; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanPotentialSavingFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicensePlanPotentialSavingFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicensePlanPotentialSavingFilterInput> | null | undefined;
  /** Conditions on the amount. */
  readonly amount?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the percentage. */
  readonly percentage?: DecimalOperationFilterInput | null | undefined;
};

/** Selects uses of seats; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanUsageStatsFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<LicensePlanUsageStatsFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<LicensePlanUsageStatsFilterInput> | null | undefined;
  /** Conditions on the number of seats. */
  readonly total?: IntOperationFilterInput | null | undefined;
  /** Conditions on the seats in use. */
  readonly inUse?: SeatCountFilterInput | null | undefined;
  /** Conditions on the seats not in use. */
  readonly unused?: SeatCountFilterInput | null | undefined;
};

/** Selects numbers of seats; several conditions combine with AND (service description, "GraphQL API"). */
export type SeatCountFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<SeatCountFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<SeatCountFilterInput> | null | undefined;
  /** Conditions on the number of seats. */
  readonly total?: IntOperationFilterInput | null | undefined;
};

/** Selects vendors; several conditions combine with AND (service description, "Mutation input shapes"). */
export type VendorDiscoveryFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<VendorDiscoveryFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<VendorDiscoveryFilterInput> | null | undefined;
  /** Conditions on the vendor. */
  readonly vendor?: VendorFilterInput | null | undefined;
};

/** Selects vendors by what they are; several conditions combine with AND (service description, "GraphQL API"). */
export type VendorFilterInput = {
  /** All of these hold. */
  readonly and?: ReadonlyArray<VendorFilterInput> | null | undefined;
  /** At least one of these holds. */
  readonly or?: ReadonlyArray<VendorFilterInput> | null | undefined;
  /** Conditions on the name. */
  readonly name?: StringOperationFilterInput | null | undefined;
};

/**
 * Orders applications (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ApplicationDiscoverySortInput = {
  /** By the id. */
  readonly id?: SortEnumType | null | undefined;
  /** By the state. */
  readonly state?: SortEnumType | null | undefined;
  /** By the kind of portfolio. */
  readonly portfolioType?: SortEnumType | null | undefined;
  /** By the day of the last use. */
  readonly lastUsed?: SortEnumType | null | undefined;
  /** By the application. */
  readonly application?: ApplicationSortInput | null | undefined;
  /** By the owner. */
  readonly owner?: ApplicationOwnerSortInput | null | undefined;
  /** By the numbers of users. */
  readonly userCountStat?: UserCountStatSortInput | null | undefined;
};

/**
 * Orders applications by what their vendor sells (service description, "GraphQL API"). Of several fields in one object the
 * one that stands first here counts first.
 */
export type ApplicationSortInput = {
  /** By the id. */
  readonly id?: SortEnumType | null | undefined;
  /** By the name. */
  readonly name?: SortEnumType | null | undefined;
  /** By the vendor's name. */
  readonly vendorName?: SortEnumType | null | undefined;
  /** By the category. */
  readonly category?: ApplicationCategorySortInput | null | undefined;
};

/**
 * Orders categories (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ApplicationCategorySortInput = {
  /** By the name. */
  readonly name?: SortEnumType | null | undefined;
};

/**
 * Orders owners (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ApplicationOwnerSortInput = {
  /** By the id. */
  readonly id?: SortEnumType | null | undefined;
  /** By the name. */
  readonly name?: SortEnumType | null | undefined;
};

/**
 * Orders numbers of users (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type UserCountStatSortInput = {
  /** By the number of all users. */
  readonly all?: SortEnumType | null | undefined;
  /** By the number of users of the last 30 days. */
  readonly last30Days?: SortEnumType | null | undefined;
};

/**
 * Orders licenses (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type LicenseSortInput = {
  /** By the id. */
  readonly id?: SortEnumType | null | undefined;
  /** By the state. */
  readonly state?: LicenseStateSortInput | null | undefined;
  /** By the holder. */
  readonly holder?: LicenseHolderSortInput | null | undefined;
  /** By the plan. */
  readonly plan?: LicensePlanSortInput | null | undefined;
  /** By the annual price. */
  readonly annualPrice?: MoneySortInput | null | undefined;
  /** By the potential saving. */
  readonly potentialSaving?: MoneySortInput | null | undefined;
};

/**
 * Orders states of licenses, whichever member of the union they are (service description, "GraphQL API"). Of several
 * fields in one object the one that stands first here counts first.
 */
export type LicenseStateSortInput = {
  /** By the activity. */
  readonly activity?: SortEnumType | null | undefined;
};

/**
 * Orders holders (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type LicenseHolderSortInput = {
  /** By the name. */
  readonly name?: SortEnumType | null | undefined;
  /** By the e-mail address. */
  readonly email?: SortEnumType | null | undefined;
  /** By the id of the employee. */
  readonly employeeId?: SortEnumType | null | undefined;
};

/**
 * Orders amounts (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type MoneySortInput = {
  /** By the amount. */
  readonly amount?: SortEnumType | null | undefined;
  /** By the currency. */
  readonly currency?: SortEnumType | null | undefined;
};

/**
 * Orders license plans (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type LicensePlanSortInput = {
  /** By the id. */
  readonly id?: SortEnumType | null | undefined;
  /** By the name. */
  readonly name?: SortEnumType | null | undefined;
  /** By the integration. */
  readonly integration?: IntegrationSortInput | null | undefined;
  /** By the contract. */
  readonly contractDetails?: ContractDetailsSortInput | null | undefined;
  /** By the prices. */
  readonly pricingStats?: LicensePlanPricingStatsSortInput | null | undefined;
  /** By the use of seats. */
  readonly usageStats?: LicensePlanUsageStatsSortInput | null | undefined;
};

/**
 * Orders integrations (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type IntegrationSortInput = {
  /** By the id. */
  readonly id?: SortEnumType | null | undefined;
  /** By the name. */
  readonly name?: SortEnumType | null | undefined;
};

/**
 * Orders contracts (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ContractDetailsSortInput = {
  /** By the kind of contract. */
  readonly type?: SortEnumType | null | undefined;
  /** By the renewal. */
  readonly renewal?: ContractRenewalSortInput | null | undefined;
};

/**
 * Orders renewals (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ContractRenewalSortInput = {
  /** By the day of the next renewal. */
  readonly upcomingDate?: RenewalDateSortInput | null | undefined;
  /** By the termination period. */
  readonly terminationPeriod?: TerminationPeriodSortInput | null | undefined;
};

/**
 * Orders days of renewal (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type RenewalDateSortInput = {
  /** By the day. */
  readonly value?: SortEnumType | null | undefined;
  /** By the origin. */
  readonly origin?: SortEnumType | null | undefined;
};

/**
 * Orders termination periods (service description, "GraphQL API"). Of several fields in one object the one that stands
 * first here counts first.
 */
export type TerminationPeriodSortInput = {
  /** By the number of days. */
  readonly value?: SortEnumType | null | undefined;
  /** By the origin. */
  readonly origin?: SortEnumType | null | undefined;
};

/**
 * Orders prices of plans (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type LicensePlanPricingStatsSortInput = {
  /** By the annual cost. */
  readonly annualCost?: SortEnumType | null | undefined;
  /** By the currency. */
  readonly currency?: SortEnumType | null | undefined;
  /** By the potential saving. */
  readonly potentialSaving?: LicensePlanPotentialSavingSortInput | null | undefined;
};

/**
 * Orders potential savings of plans (service description, "GraphQL API"). Of several fields in one object the one that
 * stands first here counts first.
 */
export type LicensePlanPotentialSavingSortInput = {
  /** By the amount. */
  readonly amount?: SortEnumType | null | undefined;
  /** By the percentage. */
  readonly percentage?: SortEnumType | null | undefined;
};

/**
 * Orders uses of seats (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type LicensePlanUsageStatsSortInput = {
  /** By the number of seats. */
  readonly total?: SortEnumType | null | undefined;
  /** By the seats in use. */
  readonly inUse?: SeatCountSortInput | null | undefined;
  /** By the seats not in use. */
  readonly unused?: SeatCountSortInput | null | undefined;
};

/**
 * Orders numbers of seats (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type SeatCountSortInput = {
  /** By the number of seats. */
  readonly total?: SortEnumType | null | undefined;
};

export type ApplicationsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  where?: ApplicationDiscoveryFilterInput | null | undefined;
  order?: ReadonlyArray<ApplicationDiscoverySortInput> | ApplicationDiscoverySortInput | null | undefined;
}>;


export type ApplicationsQuery = { readonly applications: { readonly totalCount: number, readonly nodes: ReadonlyArray<ApplicationDiscoveryFragment> | null, readonly pageInfo: PageInfoFragment } | null };

/** An application of the workspace, and what the workspace has decided about it (service description, "GraphQL object shapes"). */
export type ApplicationDiscoveryFragment = { readonly id: string, readonly state: ApplicationState, readonly portfolioType: string | null, readonly lastUsed: CalendarDate | null, readonly application: { readonly id: string, readonly name: string, readonly vendorName: string | null, readonly category: { readonly name: string } | null }, readonly owner: { readonly id: string, readonly name: string | null } | null, readonly userCountStat: { readonly all: number, readonly last30Days: number } };

export type ChangeVendorsStateMutationVariables = Exact<{
  input: ChangeVendorsStateInput;
  where?: VendorDiscoveryFilterInput | null | undefined;
}>;


export type ChangeVendorsStateMutation = { readonly changeVendorsState: { readonly updatedCount: number | null, readonly errors: ReadonlyArray<
      | { readonly __typename: 'ChangeVendorsStateError', readonly message: string }
      | { readonly __typename: UnknownTypename, readonly message: string }
    > | null } | null };

export type CreateProcurementCaseMutationVariables = Exact<{
  input: CreateProcurementCaseInput;
}>;


export type CreateProcurementCaseMutation = { readonly createProcurementCase: { readonly case: ProcurementCaseFragment | null, readonly errors: ReadonlyArray<
      | { readonly __typename: 'ProcurementCaseCreationError', readonly message: string }
      | { readonly __typename: UnknownTypename, readonly message: string }
    > | null } | null };

export type LicensePlansQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  where?: LicensePlanFilterInput | null | undefined;
  order?: ReadonlyArray<LicensePlanSortInput> | LicensePlanSortInput | null | undefined;
}>;


export type LicensePlansQuery = { readonly licensePlans: { readonly totalCount: number, readonly nodes: ReadonlyArray<LicensePlanFragment> | null, readonly pageInfo: PageInfoFragment } | null };

/** A plan of an application's licenses (service description, "GraphQL object shapes"). */
export type LicensePlanFragment = { readonly id: string, readonly name: string, readonly integration: { readonly id: string, readonly name: string } | null, readonly contractDetails: { readonly type: string | null, readonly renewal: { readonly upcomingDate: { readonly value: CalendarDate | null, readonly origin: DataOrigin | null } | null, readonly terminationPeriod: { readonly value: number | null, readonly origin: DataOrigin | null } | null } | null } | null, readonly pricingStats: { readonly annualCost: number, readonly currency: string, readonly potentialSaving: { readonly amount: number, readonly percentage: number | null } } | null, readonly usageStats: { readonly total: number, readonly inUse: { readonly total: number }, readonly unused: { readonly total: number } } };

export type LicensesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  where?: LicenseFilterInput | null | undefined;
  order?: ReadonlyArray<LicenseSortInput> | LicenseSortInput | null | undefined;
}>;


export type LicensesQuery = { readonly licenses: { readonly totalCount: number, readonly nodes: ReadonlyArray<LicenseFragment> | null, readonly pageInfo: PageInfoFragment } | null };

/** An assignment of a license plan to an employee or external user (service description, "GraphQL object shapes"). */
export type LicenseFragment = { readonly id: string, readonly state:
    | { readonly __typename: 'UnusedLicenseState', readonly activity: LicenseActivity, readonly reason: string | null }
    | { readonly __typename: 'UsedLicenseState', readonly activity: LicenseActivity }
    | { readonly __typename: UnknownTypename }
  , readonly holder: { readonly name: string | null, readonly email: string | null, readonly employeeId: string | null } | null, readonly plan: { readonly id: string, readonly name: string, readonly integration: { readonly name: string } | null } | null, readonly annualPrice: { readonly amount: number, readonly currency: string } | null, readonly potentialSaving: { readonly amount: number, readonly currency: string } | null };

/** Where a page lies in its connection (service description, "GraphQL object shapes"). */
export type PageInfoFragment = { readonly hasNextPage: boolean, readonly endCursor: string | null, readonly hasPreviousPage: boolean, readonly startCursor: string | null };

/** A purchase or a renewal that is being negotiated (service description, "GraphQL object shapes"). */
export type ProcurementCaseFragment = { readonly id: string, readonly name: string, readonly state: ProcurementCaseState, readonly savingAmount: number | null, readonly savingPercentage: number | null };

export type UpdateProcurementCaseMutationVariables = Exact<{
  input: UpdateProcurementCaseInput;
}>;


export type UpdateProcurementCaseMutation = { readonly updateProcurementCase: { readonly case: ProcurementCaseFragment | null, readonly errors: ReadonlyArray<
      | { readonly __typename: 'ProcurementCaseCompletedError', readonly message: string }
      | { readonly __typename: 'ProcurementCaseNotFoundError', readonly message: string }
      | { readonly __typename: UnknownTypename, readonly message: string }
    > | null } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const ApplicationDiscoveryFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`
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
    `, {"fragmentName":"ApplicationDiscovery"}) as unknown as TypedDocumentString<ApplicationDiscoveryFragment, unknown>;
export const LicensePlanFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`
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
    `, {"fragmentName":"LicensePlan"}) as unknown as TypedDocumentString<LicensePlanFragment, unknown>;
export const LicenseFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`
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
    `, {"fragmentName":"License"}) as unknown as TypedDocumentString<LicenseFragment, unknown>;
export const PageInfoFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`
    fragment PageInfo on PageInfo {
  hasNextPage
  endCursor
  hasPreviousPage
  startCursor
}
    `, {"fragmentName":"PageInfo"}) as unknown as TypedDocumentString<PageInfoFragment, unknown>;
export const ProcurementCaseFragmentDoc = /*#__PURE__*/ new TypedDocumentString(`
    fragment ProcurementCase on ProcurementCase {
  id
  name
  state
  savingAmount
  savingPercentage
}
    `, {"fragmentName":"ProcurementCase"}) as unknown as TypedDocumentString<ProcurementCaseFragment, unknown>;
export const ApplicationsDocument = /*#__PURE__*/ new TypedDocumentString(`
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
}`) as unknown as TypedDocumentString<ApplicationsQuery, ApplicationsQueryVariables>;
export const ChangeVendorsStateDocument = /*#__PURE__*/ new TypedDocumentString(`
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
    `) as unknown as TypedDocumentString<ChangeVendorsStateMutation, ChangeVendorsStateMutationVariables>;
export const CreateProcurementCaseDocument = /*#__PURE__*/ new TypedDocumentString(`
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
}`) as unknown as TypedDocumentString<CreateProcurementCaseMutation, CreateProcurementCaseMutationVariables>;
export const LicensePlansDocument = /*#__PURE__*/ new TypedDocumentString(`
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
}`) as unknown as TypedDocumentString<LicensePlansQuery, LicensePlansQueryVariables>;
export const LicensesDocument = /*#__PURE__*/ new TypedDocumentString(`
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
}`) as unknown as TypedDocumentString<LicensesQuery, LicensesQueryVariables>;
export const UpdateProcurementCaseDocument = /*#__PURE__*/ new TypedDocumentString(`
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
}`) as unknown as TypedDocumentString<UpdateProcurementCaseMutation, UpdateProcurementCaseMutationVariables>;