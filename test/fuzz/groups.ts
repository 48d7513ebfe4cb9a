/** What is fuzzed, and the test file that does it. A full run looks at its number of cases for each. */
export const FUZZ_GROUPS = {
  "client options and environment": "options",
  endpoints: "endpoints",
  "options of calls and sources": "call-options",
  records: "records",
  "GraphQL responses": "graphql-responses",
  "gRPC answers": "grpc-answers",
  "CSV and JSONL bytes": "files",
  "ledger and journal files": "ledger",
  "cursors, filters and documents at the reference server": "reference-graphql",
} as const;

export type FuzzGroup = keyof typeof FUZZ_GROUPS;
