/**
 * The reference server, a server of both APIs in memory, and what stands in for time and stores in tests.
 *
 * @packageDocumentation
 */

export { type Clock, TestClock, type TimerOptions } from "../core/clock.js";
export type { Fault, Faults, SyncOperation } from "../reference-server/faults/fault.js";
export type { KeyPermission, KeyScope } from "../reference-server/keys.js";
export type { ReferenceServerOptions, TlsIdentity } from "../reference-server/options.js";
export type * from "../reference-server/portfolio.js";
export {
  type NewApiKey,
  type NewInstallation,
  type ReferenceServer,
  startReferenceServer,
  type WorkspaceHandle,
} from "../reference-server/server.js";
export type { BatchState as InspectedBatchState } from "../reference-server/sync/batch.js";
export type {
  InspectedBatch,
  InspectedSnapshotRecord,
  Inspection,
  PlainRecord,
} from "../reference-server/sync/inspect.js";
export { memoryLedger } from "../sync/ledger/memory-ledger.js";
