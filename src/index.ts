/**
 * The SDK of the SaaS Management Service: one client for both APIs, the records and runs of connectors, the ledger and
 * the errors. Importing the package loads neither gRPC nor GraphQL; each is loaded on first use.
 *
 * @packageDocumentation
 */

export type { CliConfig } from "./cli/cli-config.js";
export { type ClientOptions, SaasManagementClient } from "./client.js";
export type { TlsOptions } from "./core/endpoint.js";
export * from "./core/errors/common.js";
export { disposition } from "./core/errors/disposition.js";
export { type ErrorCode, SaasManagementError } from "./core/errors/index.js";
export * from "./core/errors/sync.js";
export type { ClientEvent, Logger } from "./core/hooks.js";
export type { RetryOptions } from "./core/retry.js";
export type { ContractReport } from "./graphql/contract-check.js";
export type {
  Application,
  ApplicationFilter,
  ApplicationState,
  License,
  LicenseFilter,
  LicensePlan,
  LicensePlanFilter,
  ProcurementCase,
  VendorFilter,
} from "./graphql/generated/operations.js";
export { sumByCurrency } from "./graphql/money.js";
export { isMutationError, type MutationErrorOf } from "./graphql/mutations.js";
export type { ListOptions } from "./graphql/options.js";
export type { Connection } from "./graphql/paging/connection.js";
export type { Page } from "./graphql/paging/page-walk.js";
export { calendarDate } from "./graphql/request/variables.js";
export { type Connector, defineConnector, type RunBatch, type RunContext } from "./runs/connector.js";
export type { FirstRun, GuardOptions, GuardRules, JudgeOptions } from "./runs/guard/rules.js";
export type { RunHistory } from "./runs/history.js";
export { fileLedger, type Ledger, storeLedger } from "./runs/ledger/ledger.js";
export type { Store } from "./runs/ledger/store.js";
export type { PreviewOptions, RunOptions } from "./runs/options.js";
export type { RunPreview } from "./runs/preview/report.js";
export type { RunReceipt } from "./runs/receipt.js";
export type { SpoolOptions } from "./runs/spool.js";
export type { SyncClient, SyncDefaults } from "./runs/sync-client.js";
export type { BatchOptions } from "./sync/batch/start.js";
export type { SyncBatch } from "./sync/batch/sync-batch.js";
export type { Collection, EventCollection, RecordOf, SnapshotCollection } from "./sync/collections.js";
export type * from "./sync/generated/records.js";
export type { SyncProgress } from "./sync/progress.js";
export type { CompletionCounts } from "./sync/transport.js";
export type { CollectionWriter } from "./sync/write/collection-writer.js";
export type { WriteOptions, WriteStats } from "./sync/write/options.js";
export type { RecordSource } from "./sync/write/source.js";
