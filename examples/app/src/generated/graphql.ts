/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Selects contracts; several conditions combine with AND (service description, "GraphQL API"). */
export type ContractDetailsFilterInput = {
  /** All of these hold. */
  and?: Array<ContractDetailsFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<ContractDetailsFilterInput> | null | undefined;
  /** Conditions on the renewal. */
  renewal?: ContractRenewalFilterInput | null | undefined;
  /** Conditions on the kind of contract. */
  type?: StringOperationFilterInput | null | undefined;
};

/**
 * Orders contracts (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ContractDetailsSortInput = {
  /** By the renewal. */
  renewal?: ContractRenewalSortInput | null | undefined;
  /** By the kind of contract. */
  type?: SortEnumType | null | undefined;
};

/** Selects renewals; several conditions combine with AND (service description, "GraphQL API"). */
export type ContractRenewalFilterInput = {
  /** All of these hold. */
  and?: Array<ContractRenewalFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<ContractRenewalFilterInput> | null | undefined;
  /** Conditions on the termination period. */
  terminationPeriod?: TerminationPeriodFilterInput | null | undefined;
  /** Conditions on the day of the next renewal. */
  upcomingDate?: RenewalDateFilterInput | null | undefined;
};

/**
 * Orders renewals (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type ContractRenewalSortInput = {
  /** By the termination period. */
  terminationPeriod?: TerminationPeriodSortInput | null | undefined;
  /** By the day of the next renewal. */
  upcomingDate?: RenewalDateSortInput | null | undefined;
};

/**
 * Where a value comes from. The names of the values are assumed: the description says "manual entry or an
 * integration".
 */
export type DataOrigin =
  /** An integration delivered it. Name assumed. */
  | 'INTEGRATION'
  /** Entered by a person. Name assumed. */
  | 'MANUAL';

/** Conditions on a value of DataOrigin; several combine with AND (service description, "GraphQL API"). */
export type DataOriginOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  eq?: DataOrigin | null | undefined;
  /** Equal to one of the values. */
  in?: Array<DataOrigin | null | undefined> | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: DataOrigin | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<DataOrigin | null | undefined> | null | undefined;
};

/** Conditions on a date; several combine with AND (service description, "GraphQL API"). */
export type DateOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  eq?: string | null | undefined;
  /** On the day or after it. */
  gte?: string | null | undefined;
  /** Equal to one of the values. */
  in?: Array<string | null | undefined> | null | undefined;
  /** On the day or before it. */
  lte?: string | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: string | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<string | null | undefined> | null | undefined;
};

/** Conditions on a decimal number; several combine with AND (service description, "GraphQL API"). */
export type DecimalOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  eq?: number | null | undefined;
  /** Equal to one of the values. */
  in?: Array<number | null | undefined> | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: number | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<number | null | undefined> | null | undefined;
};

/** Conditions on an id; several combine with AND (service description, "GraphQL API"). */
export type IdOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  eq?: string | null | undefined;
  /** Equal to one of the values. */
  in?: Array<string | null | undefined> | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: string | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<string | null | undefined> | null | undefined;
};

/** Conditions on a whole number; several combine with AND (service description, "GraphQL API"). */
export type IntOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  eq?: number | null | undefined;
  /** Equal to one of the values. */
  in?: Array<number | null | undefined> | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: number | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<number | null | undefined> | null | undefined;
};

/** Selects integrations; several conditions combine with AND (service description, "GraphQL API"). */
export type IntegrationFilterInput = {
  /** All of these hold. */
  and?: Array<IntegrationFilterInput> | null | undefined;
  /** Conditions on the id. */
  id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  name?: StringOperationFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<IntegrationFilterInput> | null | undefined;
};

/**
 * Orders integrations (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type IntegrationSortInput = {
  /** By the id. */
  id?: SortEnumType | null | undefined;
  /** By the name. */
  name?: SortEnumType | null | undefined;
};

/**
 * Whether a license is used (service description, "License activity"). There may be values that the description does not
 * show.
 */
export type LicenseActivity =
  /** No use was seen lately, or its account cannot be used. */
  | 'UNUSED'
  /** A use was seen lately. Assumed: only UNUSED is shown. */
  | 'USED';

/** Conditions on a value of LicenseActivity; several combine with AND (service description, "GraphQL API"). */
export type LicenseActivityOperationFilterInput = {
  /** Equal to the value; null asks for no value. */
  eq?: LicenseActivity | null | undefined;
  /** Equal to one of the values. */
  in?: Array<LicenseActivity | null | undefined> | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: LicenseActivity | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<LicenseActivity | null | undefined> | null | undefined;
};

/** Selects licenses; several conditions combine with AND (service description, "GraphQL API"). */
export type LicenseFilterInput = {
  /** All of these hold. */
  and?: Array<LicenseFilterInput> | null | undefined;
  /** Conditions on the annual price. */
  annualPrice?: MoneyFilterInput | null | undefined;
  /** Conditions on the holder. */
  holder?: LicenseHolderFilterInput | null | undefined;
  /** Conditions on the id. */
  id?: IdOperationFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicenseFilterInput> | null | undefined;
  /** Conditions on the plan. */
  plan?: LicensePlanFilterInput | null | undefined;
  /** Conditions on the potential saving. */
  potentialSaving?: MoneyFilterInput | null | undefined;
  /** Conditions on the state. */
  state?: LicenseStateFilterInput | null | undefined;
};

/** Selects holders; several conditions combine with AND (service description, "GraphQL API"). */
export type LicenseHolderFilterInput = {
  /** All of these hold. */
  and?: Array<LicenseHolderFilterInput> | null | undefined;
  /** Conditions on the e-mail address. */
  email?: StringOperationFilterInput | null | undefined;
  /** Conditions on the id of the employee. */
  employeeId?: StringOperationFilterInput | null | undefined;
  /** Conditions on the name. */
  name?: StringOperationFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicenseHolderFilterInput> | null | undefined;
};

/**
 * Orders holders (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type LicenseHolderSortInput = {
  /** By the e-mail address. */
  email?: SortEnumType | null | undefined;
  /** By the id of the employee. */
  employeeId?: SortEnumType | null | undefined;
  /** By the name. */
  name?: SortEnumType | null | undefined;
};

/** Selects license plans; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanFilterInput = {
  /** All of these hold. */
  and?: Array<LicensePlanFilterInput> | null | undefined;
  /** Conditions on the contract. */
  contractDetails?: ContractDetailsFilterInput | null | undefined;
  /** Conditions on the id. */
  id?: IdOperationFilterInput | null | undefined;
  /** Conditions on the integration. */
  integration?: IntegrationFilterInput | null | undefined;
  /** Conditions on the name. */
  name?: StringOperationFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicensePlanFilterInput> | null | undefined;
  /** Conditions on the prices. */
  pricingStats?: LicensePlanPricingStatsFilterInput | null | undefined;
  /** Conditions on the use of seats. */
  usageStats?: LicensePlanUsageStatsFilterInput | null | undefined;
};

/** Selects potential savings of plans; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanPotentialSavingFilterInput = {
  /** Conditions on the amount. */
  amount?: DecimalOperationFilterInput | null | undefined;
  /** All of these hold. */
  and?: Array<LicensePlanPotentialSavingFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicensePlanPotentialSavingFilterInput> | null | undefined;
  /** Conditions on the percentage. */
  percentage?: DecimalOperationFilterInput | null | undefined;
};

/**
 * Orders potential savings of plans (service description, "GraphQL API"). Of several fields in one object the one that
 * stands first here counts first.
 */
export type LicensePlanPotentialSavingSortInput = {
  /** By the amount. */
  amount?: SortEnumType | null | undefined;
  /** By the percentage. */
  percentage?: SortEnumType | null | undefined;
};

/** Selects prices of plans; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanPricingStatsFilterInput = {
  /** All of these hold. */
  and?: Array<LicensePlanPricingStatsFilterInput> | null | undefined;
  /** Conditions on the annual cost. */
  annualCost?: DecimalOperationFilterInput | null | undefined;
  /** Conditions on the currency. */
  currency?: StringOperationFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicensePlanPricingStatsFilterInput> | null | undefined;
  /** Conditions on the potential saving. */
  potentialSaving?: LicensePlanPotentialSavingFilterInput | null | undefined;
};

/**
 * Orders prices of plans (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type LicensePlanPricingStatsSortInput = {
  /** By the annual cost. */
  annualCost?: SortEnumType | null | undefined;
  /** By the currency. */
  currency?: SortEnumType | null | undefined;
  /** By the potential saving. */
  potentialSaving?: LicensePlanPotentialSavingSortInput | null | undefined;
};

/**
 * Orders license plans (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type LicensePlanSortInput = {
  /** By the contract. */
  contractDetails?: ContractDetailsSortInput | null | undefined;
  /** By the id. */
  id?: SortEnumType | null | undefined;
  /** By the integration. */
  integration?: IntegrationSortInput | null | undefined;
  /** By the name. */
  name?: SortEnumType | null | undefined;
  /** By the prices. */
  pricingStats?: LicensePlanPricingStatsSortInput | null | undefined;
  /** By the use of seats. */
  usageStats?: LicensePlanUsageStatsSortInput | null | undefined;
};

/** Selects uses of seats; several conditions combine with AND (service description, "GraphQL API"). */
export type LicensePlanUsageStatsFilterInput = {
  /** All of these hold. */
  and?: Array<LicensePlanUsageStatsFilterInput> | null | undefined;
  /** Conditions on the seats in use. */
  inUse?: SeatCountFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicensePlanUsageStatsFilterInput> | null | undefined;
  /** Conditions on the number of seats. */
  total?: IntOperationFilterInput | null | undefined;
  /** Conditions on the seats not in use. */
  unused?: SeatCountFilterInput | null | undefined;
};

/**
 * Orders uses of seats (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type LicensePlanUsageStatsSortInput = {
  /** By the seats in use. */
  inUse?: SeatCountSortInput | null | undefined;
  /** By the number of seats. */
  total?: SortEnumType | null | undefined;
  /** By the seats not in use. */
  unused?: SeatCountSortInput | null | undefined;
};

/**
 * Orders licenses (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type LicenseSortInput = {
  /** By the annual price. */
  annualPrice?: MoneySortInput | null | undefined;
  /** By the holder. */
  holder?: LicenseHolderSortInput | null | undefined;
  /** By the id. */
  id?: SortEnumType | null | undefined;
  /** By the plan. */
  plan?: LicensePlanSortInput | null | undefined;
  /** By the potential saving. */
  potentialSaving?: MoneySortInput | null | undefined;
  /** By the state. */
  state?: LicenseStateSortInput | null | undefined;
};

/**
 * Selects states of licenses, whichever member of the union they are; several conditions combine with AND (service
 * description, "GraphQL API").
 */
export type LicenseStateFilterInput = {
  /** Conditions on the activity. */
  activity?: LicenseActivityOperationFilterInput | null | undefined;
  /** All of these hold. */
  and?: Array<LicenseStateFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<LicenseStateFilterInput> | null | undefined;
};

/**
 * Orders states of licenses, whichever member of the union they are (service description, "GraphQL API"). Of several
 * fields in one object the one that stands first here counts first.
 */
export type LicenseStateSortInput = {
  /** By the activity. */
  activity?: SortEnumType | null | undefined;
};

/** Selects amounts; several conditions combine with AND (service description, "GraphQL API"). */
export type MoneyFilterInput = {
  /** Conditions on the amount. */
  amount?: DecimalOperationFilterInput | null | undefined;
  /** All of these hold. */
  and?: Array<MoneyFilterInput> | null | undefined;
  /** Conditions on the currency. */
  currency?: StringOperationFilterInput | null | undefined;
  /** At least one of these holds. */
  or?: Array<MoneyFilterInput> | null | undefined;
};

/**
 * Orders amounts (service description, "GraphQL API"). Of several fields in one object the one that stands first here
 * counts first.
 */
export type MoneySortInput = {
  /** By the amount. */
  amount?: SortEnumType | null | undefined;
  /** By the currency. */
  currency?: SortEnumType | null | undefined;
};

/** Selects days of renewal; several conditions combine with AND (service description, "GraphQL API"). */
export type RenewalDateFilterInput = {
  /** All of these hold. */
  and?: Array<RenewalDateFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<RenewalDateFilterInput> | null | undefined;
  /** Conditions on the origin. */
  origin?: DataOriginOperationFilterInput | null | undefined;
  /** Conditions on the day. */
  value?: DateOperationFilterInput | null | undefined;
};

/**
 * Orders days of renewal (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type RenewalDateSortInput = {
  /** By the origin. */
  origin?: SortEnumType | null | undefined;
  /** By the day. */
  value?: SortEnumType | null | undefined;
};

/** Selects numbers of seats; several conditions combine with AND (service description, "GraphQL API"). */
export type SeatCountFilterInput = {
  /** All of these hold. */
  and?: Array<SeatCountFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<SeatCountFilterInput> | null | undefined;
  /** Conditions on the number of seats. */
  total?: IntOperationFilterInput | null | undefined;
};

/**
 * Orders numbers of seats (service description, "GraphQL API"). Of several fields in one object the one that stands first
 * here counts first.
 */
export type SeatCountSortInput = {
  /** By the number of seats. */
  total?: SortEnumType | null | undefined;
};

/** The direction of an order (service description, "GraphQL API"). */
export type SortEnumType =
  /** Lowest first; null before everything else. */
  | 'ASC'
  /** Highest first; null after everything else. */
  | 'DESC';

/** Conditions on a string, case-sensitive; several combine with AND (service description, "GraphQL API"). */
export type StringOperationFilterInput = {
  /** Contains the string. */
  contains?: string | null | undefined;
  /** Ends with the string. */
  endsWith?: string | null | undefined;
  /** Equal to the value; null asks for no value. */
  eq?: string | null | undefined;
  /** Equal to one of the values. */
  in?: Array<string | null | undefined> | null | undefined;
  /** Does not contain the string. */
  ncontains?: string | null | undefined;
  /** Does not end with the string. */
  nendsWith?: string | null | undefined;
  /** Not equal to the value; null asks for any value. */
  neq?: string | null | undefined;
  /** Equal to none of the values. */
  nin?: Array<string | null | undefined> | null | undefined;
  /** Does not start with the string. */
  nstartsWith?: string | null | undefined;
  /** Starts with the string. */
  startsWith?: string | null | undefined;
};

/** Selects termination periods; several conditions combine with AND (service description, "GraphQL API"). */
export type TerminationPeriodFilterInput = {
  /** All of these hold. */
  and?: Array<TerminationPeriodFilterInput> | null | undefined;
  /** At least one of these holds. */
  or?: Array<TerminationPeriodFilterInput> | null | undefined;
  /** Conditions on the origin. */
  origin?: DataOriginOperationFilterInput | null | undefined;
  /** Conditions on the number of days. */
  value?: IntOperationFilterInput | null | undefined;
};

/**
 * Orders termination periods (service description, "GraphQL API"). Of several fields in one object the one that stands
 * first here counts first.
 */
export type TerminationPeriodSortInput = {
  /** By the origin. */
  origin?: SortEnumType | null | undefined;
  /** By the number of days. */
  value?: SortEnumType | null | undefined;
};

export type DeskLicensesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  where?: LicenseFilterInput | null | undefined;
  order?: Array<LicenseSortInput> | LicenseSortInput | null | undefined;
}>;


export type DeskLicensesQuery = { licenses: { totalCount: number, nodes: Array<{ id: string, state:
        | { activity: LicenseActivity, reason: string | null }
        | { activity: LicenseActivity }
      , holder: { name: string | null, email: string | null } | null, plan: { name: string, integration: { name: string } | null } | null, annualPrice: { amount: number, currency: string } | null, potentialSaving: { amount: number, currency: string } | null }> | null, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type DeskPricesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  where?: LicenseFilterInput | null | undefined;
}>;


export type DeskPricesQuery = { licenses: { nodes: Array<{ annualPrice: { amount: number, currency: string } | null, potentialSaving: { amount: number, currency: string } | null }> | null, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type DeskPlansQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type DeskPlansQuery = { licensePlans: { nodes: Array<{ integration: { name: string } | null }> | null, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };


export const DeskLicensesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DeskLicenses"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"LicenseFilterInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"order"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LicenseSortInput"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"licenses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"order"},"value":{"kind":"Variable","name":{"kind":"Name","value":"order"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UnusedLicenseState"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activity"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UsedLicenseState"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activity"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"holder"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"plan"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"integration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"annualPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"potentialSaving"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalCount"}}]}}]}}]} as unknown as DocumentNode<DeskLicensesQuery, DeskLicensesQueryVariables>;
export const DeskPricesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DeskPrices"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"LicenseFilterInput"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"licenses"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"annualPrice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"potentialSaving"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<DeskPricesQuery, DeskPricesQueryVariables>;
export const DeskPlansDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DeskPlans"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"licensePlans"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"integration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<DeskPlansQuery, DeskPlansQueryVariables>;