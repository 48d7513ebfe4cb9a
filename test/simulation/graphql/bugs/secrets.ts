import type { Bug } from "../../bug.js";

/** Secrets and contents that come out. */
export const SECRET_BUGS: readonly Bug[] = [
  {
    name: "the key stands in what the network says",
    file: "graphql/request/failures.ts",
    right: "cause: copyError(error, this.redact),",
    wrong: "cause: copyError(error, (text) => text),",
  },
  {
    name: "the key stands in the declared type of an answer",
    file: "graphql/request/failures.ts",
    right: "escapeControls(this.redact(contentType))",
    wrong: "escapeControls(contentType)",
  },
  {
    name: "the key stands in the id of a request",
    file: "core/operation.ts",
    right: " && redact(value) === value",
    wrong: "",
  },
  {
    name: "what the service said stands in a message",
    file: "graphql/request/failures.ts",
    right: "See errors and data.`,",
    wrong: "See errors and data.`.concat(errors[0]?.message),",
  },
  {
    name: "the cursor stands in the JSON of an error",
    file: "core/errors/base.ts",
    right: "const nodesYielded = this.position?.nodesYielded;",
    wrong: "const nodesYielded = this.position?.cursor;",
  },
];
