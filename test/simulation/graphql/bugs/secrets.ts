import type { Bug } from "../../bug.js";

/** Leaks of secrets and contents. */
export const SECRET_BUGS: readonly Bug[] = [
  {
    name: "a network error contains the key",
    file: "graphql/request/failures.ts",
    right: "cause: copyError(error, this.redact),",
    wrong: "cause: copyError(error, (text) => text),",
  },
  {
    name: "the content type contains the key",
    file: "graphql/request/failures.ts",
    right: "escapeControls(this.redact(contentType))",
    wrong: "escapeControls(contentType)",
  },
  {
    name: "a request id contains the key",
    file: "core/operation.ts",
    right: " && redact(value) === value",
    wrong: "",
  },
  {
    name: "a message contains the service's text",
    file: "graphql/request/failures.ts",
    right: "See errors and data.`,",
    wrong: "See errors and data.`.concat(errors[0]?.message),",
  },
  {
    name: "the JSON of an error contains the cursor",
    file: "core/errors/base.ts",
    right: "const nodesYielded = this.position?.nodesYielded;",
    wrong: "const nodesYielded = this.position?.cursor;",
  },
];
