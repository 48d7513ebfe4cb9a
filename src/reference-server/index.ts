/**
 * A server of both APIs, in memory, to test integrations against.
 *
 * @packageDocumentation
 */

import { checkOptions, type ReferenceServerOptions } from "./options.js";
import { runServer } from "./run-server.js";
import type { ReferenceServer } from "./running-server.js";

export { type Clock, TestClock, type TimerOptions } from "../core/clock.js";
export type { EventCollection, SnapshotCollection } from "../sync/generated/collections.js";
export type * from "./faults/fault.js";
export type * from "./faults/graphql-kinds.js";
export { type FaultScheduleOptions, faultSchedule } from "./faults/schedule.js";
export type * from "./faults/shared-kinds.js";
export type * from "./faults/sync-kinds.js";
export type { KeyPermission, KeyScope } from "./keys.js";
export type { ReferenceServerOptions, TlsIdentity } from "./options.js";
export type * from "./portfolio.js";
export type { NewApiKey, NewInstallation, ReferenceServer, WorkspaceHandle } from "./running-server.js";
export type { BatchState as InspectedBatchState } from "./sync/batch.js";
export type { InspectedBatch, InspectedSnapshotRecord, Inspection } from "./sync/inspect.js";
export type { PlainRecord } from "./sync/plain.js";

/**
 * Starts both APIs of the service in this process: the GraphQL API and the Sync API, in memory, with the service's
 * semantics, a clock that can be moved and faults that can be injected. Made for testing integrations.
 *
 * ```ts
 * await using server = await startReferenceServer();
 * const { baseUrl, syncUrl, apiKey, installationId } = server;
 * const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
 * const batch = await client.sync.startBatch({ installationId });
 * server.clock.advance(15 * 60_000);     // the lease runs out
 * server.inspect(installationId).lock;   // null
 * ```
 *
 * @throws TypeError where an option is wrong.
 * @throws Error of the operating system where an address or port cannot be used.
 */
export async function startReferenceServer(options: ReferenceServerOptions = {}): Promise<ReferenceServer> {
  return runServer(checkOptions(options));
}
