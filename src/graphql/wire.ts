/**
 * What needs graphql and graphql-request. Loaded with the first request: importing the SDK stays cheap, and a bundler
 * takes in only what is named here.
 */
export { readDocument } from "./document.js";
export { exchange } from "./exchange.js";
