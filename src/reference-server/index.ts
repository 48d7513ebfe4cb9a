/**
 * A server of both APIs, in memory, to test integrations against.
 *
 * @packageDocumentation
 */

import { checkOptions, type ReferenceServerOptions } from "./options.js";
import { type ReferenceServer, startServer } from "./server.js";

export { type Clock, TestClock, type TimerOptions } from "../core/clock.js";
export type { EventCollection, SnapshotCollection } from "../sync/generated/collections.js";
export type * from "./faults/fault.js";
export type * from "./faults/kinds.js";
export { type FaultScheduleOptions, faultSchedule } from "./faults/schedule.js";
export type { KeyPermission, KeyScope } from "./keys.js";
export type { ReferenceServerOptions, TlsIdentity } from "./options.js";
export type * from "./portfolio.js";
export type { NewApiKey, NewInstallation, ReferenceServer, WorkspaceHandle } from "./server.js";
export type { BatchState as InspectedBatchState } from "./sync/batch.js";
export type { InspectedBatch, InspectedSnapshotRecord, Inspection, PlainRecord } from "./sync/inspect.js";

/**
 * Starts both APIs of the service in this process, in memory and with the service's semantics, with a clock that can
 * be advanced and faults that can be injected.
 *
 * ```ts
 * await using server = await startReferenceServer();
 * const { baseUrl, syncUrl, apiKey, installationId } = server;
 * const client = new SaasManagementClient({ baseUrl, syncUrl, apiKey });
 * const batch = await client.sync.startBatch({ installationId });
 * server.clock.advance(15 * 60_000);     // the lease expires
 * server.inspect(installationId).lock;   // null
 * ```
 *
 * @throws {TypeError} an option is invalid
 * @throws {Error} the operating system's error if an address or port cannot be used
 */
export async function startReferenceServer(options: ReferenceServerOptions = {}): Promise<ReferenceServer> {
  return startServer(checkOptions(options));
}
