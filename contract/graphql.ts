import type { GraphQLOverlay } from "./types.js";

/** The SDK's own names for types of the schema, and what the schema's scalars are. */
export const GRAPHQL: GraphQLOverlay = {
  assumed: true,
  types: {
    ApplicationDiscovery: "Application",
    License: "License",
    LicensePlan: "LicensePlan",
    ProcurementCase: "ProcurementCase",
    ApplicationState: "ApplicationState",
    ApplicationDiscoveryFilterInput: "ApplicationFilter",
    ApplicationDiscoverySortInput: "ApplicationOrder",
    LicenseFilterInput: "LicenseFilter",
    LicenseSortInput: "LicenseOrder",
    LicensePlanFilterInput: "LicensePlanFilter",
    LicensePlanSortInput: "LicensePlanOrder",
    VendorDiscoveryFilterInput: "VendorFilter",
    CreateProcurementCaseInput: "CreateProcurementCaseInput",
    UpdateProcurementCaseInput: "UpdateProcurementCaseInput",
    ChangeVendorsStateInput: "ChangeVendorsStateInput",
  },
  scalars: {
    ID: "string",
    String: "string",
    Boolean: "boolean",
    Int: "number",
    Float: "number",
    Date: "date",
    Decimal: "number",
  },
};
