/**
 * The Sync API half of the SDK: pushes the data of custom connectors.
 *
 * @packageDocumentation
 */

// For users: the client, its batches, and what their methods take and return.

export type { NetworkOptions, TlsOptions } from "../core/endpoint.js";
export {
  AuthenticationError,
  BatchInProgressError,
  BatchOutcomeUnknownError,
  type BatchState,
  BatchStateError,
  type BatchStateReason,
  ClosedError,
  ConfigurationError,
  type ErrorCode,
  type HeldSnapshot,
  type InputIssue,
  InvalidInputError,
  PermissionDeniedError,
  RateLimitError,
  type RecordOutcome,
  RunHeldError,
  SaasManagementError,
  type StopReason,
  SyncProtocolError,
  TimeoutError,
  TransportError,
  type WalkPosition,
} from "../core/errors/index.js";
export type { RetryOptions } from "../core/retry.js";
export type { KeepAliveOptions } from "./batch/keep-alive.js";
export type { BatchOptions, StartBatchOptions } from "./batch/start.js";
export type { CompleteOptions, SyncBatch } from "./batch/sync-batch.js";
export { SyncClient } from "./client.js";
export type { Collection, EventCollection, RecordOf, SnapshotCollection } from "./collections.js";
export type * from "./generated/records.js";
export type { GuardOptions, GuardRules, SafetyOptions } from "./guard/rules.js";
export type { Lease } from "./lease.js";
export { fileLedger, type Ledger, type Store, storeLedger } from "./ledger/ledger.js";
export { memoryLedger } from "./ledger/memory-ledger.js";
export type { ChannelOptions, SyncClientOptions } from "./options.js";
export type { PreviewOptions } from "./preview/options.js";
export { previewSync } from "./preview/preview.js";
export {
  type CollectionPreview,
  type DanglingReference,
  type DuplicateId,
  type DuplicateIds,
  formatPreview,
  type ReferencePreview,
  type RunPreview,
  type SnapshotChanges,
} from "./preview/report.js";
export type {
  AbortFailed,
  Baseline,
  BatchCompleted,
  LeaseWarning,
  OnProgress,
  RemovalsChecked,
  Retrying,
  SnapshotFigures,
  SyncProgress,
  WaitingForLock,
  WindowAccepted,
} from "./progress.js";
export type { RunBatch } from "./run/declared-batch.js";
export type { RunContext, RunFunction, RunOptions } from "./run/options.js";
export type { CollectionReceipt, RunReceipt } from "./run/receipt.js";
export type { CompletionCounts, SnapshotCounts } from "./transport.js";
export type { CollectionWriter } from "./write/collection-writer.js";
export type { SealOptions, WriteOptions } from "./write/options.js";
export type { WriteFigures, WriteReport, WriteResult } from "./write/outcomes.js";
export type { RecordSource } from "./write/source.js";

// For other libraries: what wraps the client, or stands in for its clock, logger or ledger.

export { type Clock, systemClock, TestClock, type TimerOptions } from "../core/clock.js";
export type { CredentialOptions } from "../core/credential.js";
export type { ErrorDetails } from "../core/errors/index.js";
export type { HookOptions, OperationInfo, RequestEvent, ResponseEvent, RetryEvent } from "../core/hooks.js";
export type { Logger } from "../core/logger.js";
export type { CommonOptions } from "../core/options.js";
export type { HoldReason } from "./ledger/entry.js";
export type { SyncTuning } from "./options.js";
