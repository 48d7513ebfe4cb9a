/**
 * What needs graphql and graphql-request, and what judges their answers. Loaded with the first request: importing the
 * SDK stays cheap, and a bundler takes in only what is named here.
 */

export { exchange } from "./attempt.js";
export { readDocument } from "./document.js";
export { Failures } from "./failures.js";
