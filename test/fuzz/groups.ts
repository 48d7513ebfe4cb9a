/** Groups of inputs, and the file in `test/` that fuzzes each. A full run tries the same number of cases per group. */
export const FUZZ_GROUPS = {
  "client options and environment": "fuzz/options",
  "options of calls and sources": "fuzz/call-options",
  records: "fuzz/records",
  "encoders beside the codec and the schemas": "sync/encoders",
  "blocks of records": "sync/blocks",
  "GraphQL responses": "fuzz/graphql-responses",
  "gRPC answers": "fuzz/grpc-answers",
  "CSV and JSONL bytes": "fuzz/files",
  "ledger and journal files": "fuzz/ledger",
} as const;

export type FuzzGroup = keyof typeof FUZZ_GROUPS;
