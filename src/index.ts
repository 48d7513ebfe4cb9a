/**
 * The SDK of the SaaS Management Service: the client of both APIs, and everything that the subpaths `./graphql` and
 * `./sync` export. Importing it loads neither gRPC nor GraphQL; each is loaded when it is first used.
 *
 * @packageDocumentation
 */

// For users.
export { SaasManagementClient, type SaasManagementClientOptions } from "./client.js";
// For other libraries.
export { type Clock, systemClock, TestClock, type TimerOptions } from "./clock.js";
export type { CredentialOptions } from "./credential.js";
export * from "./graphql/index.js";
export * from "./sync/index.js";
