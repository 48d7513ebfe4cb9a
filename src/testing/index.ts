/**
 * The reference server, which serves both APIs from memory, plus a test clock, a test for stores and the connector kit.
 *
 * @packageDocumentation
 */

export type { Fault, Faults } from "../reference-server/faults/fault.js";
export type { Portfolio } from "../reference-server/portfolio.js";
export { type ReferenceServer, startReferenceServer } from "../reference-server/server.js";
export type { Inspection } from "../reference-server/sync/inspect.js";
export { TestClock } from "../reference-server/test-clock.js";
export { memoryLedger } from "../runs/ledger/ledger.js";
export type { RecordTypes } from "../sync/generated/records.js";
export { captureRecords } from "./kit/capture-records.js";
export { connectorTests } from "./kit/connector-tests.js";
export { recordVendor } from "./kit/record-vendor.js";
export type { ConnectorReport } from "./kit/report.js";
export { testConnector } from "./kit/test-connector.js";
export type { KitOptions } from "./kit/verdict/options.js";
export { testStore } from "./test-store.js";
