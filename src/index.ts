/**
 * The SDK of the SaaS Management Service.
 *
 * @packageDocumentation
 */

// For users.
export { SaasManagementClient, type SaasManagementClientOptions } from "./client.js";
// For other libraries.
export { type Clock, systemClock, TestClock } from "./clock.js";
export type { CredentialOptions } from "./credential.js";
export * from "./graphql/index.js";
export * from "./sync/index.js";
