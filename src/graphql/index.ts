/**
 * The GraphQL API alone. Runs in Node, Bun, Deno, browsers and edge runtimes, because it uses no Node modules.
 *
 * @packageDocumentation
 */

export * from "../core/errors/common.js";
export { SaasManagementError } from "../core/errors/index.js";
export type { GraphQLOptions } from "../core/options.js";
export { GraphQLClient } from "./client.js";
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
export { createGraphQLHandler } from "./handler.js";
export { sumByCurrency } from "./money.js";
export { isMutationError, type MutationErrorOf } from "./mutations.js";
export type { ListOptions, MutationOptions, RequestOptions } from "./options.js";
export type { Connection } from "./paging/connection.js";
export type { Page, PageInfo } from "./paging/page-walk.js";
export type { Document } from "./request/document.js";
export { calendarDate } from "./request/variables.js";
