/**
 * The Sync API half of the SDK: pushes the data of custom connectors.
 *
 * @packageDocumentation
 */

// For other libraries: what wraps the client or keeps time in its place.
export { type Clock, systemClock, TestClock } from "../clock.js";
export type { CredentialOptions } from "../credential.js";
// For users: the client, its batches, and what their methods take and return.
export {
  AuthenticationError,
  BatchAlreadyInProgressError,
  BatchOutcomeUnknownError,
  BatchStateError,
  type BatchStateReason,
  ClosedError,
  ConfigurationError,
  type ErrorCode,
  type ErrorDetails,
  type InputIssue,
  InvalidInputError,
  PermissionDeniedError,
  RateLimitError,
  type RecordOutcome,
  SaasManagementError,
  SyncProtocolError,
  TimeoutError,
  TransportError,
} from "../errors.js";
export type { CommonOptions, Logger, NetworkOptions, TlsOptions } from "../options.js";
export type { RetryOptions } from "../retry.js";
export type { CompleteOptions, SyncBatch, WriteOptions } from "./batch.js";
export type { BatchState } from "./batch-state.js";
export { type BatchOptions, type StartBatchOptions, SyncClient } from "./client.js";
export type { CollectionWriter } from "./collection-writer.js";
export type { CollectionName, EventCollection, RecordOf, SnapshotCollection } from "./collections.js";
export type { SyncClientOptions, SyncTuning } from "./configuration.js";
export type * from "./generated/records.js";
export type { KeepAliveOptions } from "./keep-alive.js";
export type { Lease } from "./lease.js";
export type { WriteFigures, WriteReport, WriteResult } from "./outcomes.js";
export type * from "./progress.js";
export type { CollectionReceipt, SyncReceipt } from "./receipt.js";
export type { RunAttempt, RunFunction, RunOptions } from "./run.js";
export type { RunBatch } from "./run-batch.js";
export type { RecordSource } from "./source.js";
export type { CompletionCounts, SnapshotCounts } from "./transport.js";
