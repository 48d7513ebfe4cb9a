/**
 * The SDK of the SaaS Management Service: the client of both APIs, and everything that the subpaths `./graphql` and
 * `./sync` export. Importing it loads neither gRPC nor GraphQL; each is loaded when it is first used.
 *
 * @packageDocumentation
 */

export { type ClientOptions, SaasManagementClient } from "./client.js";
export * from "./graphql/index.js";
export * from "./sync/index.js";
