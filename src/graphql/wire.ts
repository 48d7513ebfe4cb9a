/**
 * What needs graphql and graphql-request, and what judges their answers. Loaded with the first request: importing the
 * SDK stays cheap, and a bundler takes in only what is named here.
 */
export { readDocument } from "./document.js";
export { exchange } from "./exchange.js";
export { Failures } from "./failures.js";
