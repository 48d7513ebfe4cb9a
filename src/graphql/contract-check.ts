import {
  assertValidSchema,
  buildClientSchema,
  type GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  Kind,
  parse,
  validate,
} from "graphql";
import { TransportError } from "../core/errors/index.js";
import type { GraphQLClient } from "./client.js";
import { METHODS } from "./generated/operations.js";
import { readDocument } from "./request/document.js";

/** The GraphQL operations of the SDK that the service would refuse. */
export interface ContractReport {
  /** Whether all operations are valid. */
  readonly ok: boolean;
  /** The problems, by operation. */
  readonly problems: readonly {
    /** Name of the operation, such as `Licenses`. */
    readonly operation: string;
    /** The field, variable or type that the service doesn't know in this form. */
    readonly field: string;
    /** What is wrong, with the closest known name if there is one. */
    readonly message: string;
  }[];
  /** One line for each problem. */
  toString(): string;
}

/** Validates the SDK's operations against the schema from the service's introspection. */
export async function checkOperations(client: GraphQLClient): Promise<ContractReport> {
  const introspection = await client.request<IntrospectionQuery>(
    getIntrospectionQuery({ descriptions: false }),
    {},
  );
  const schema = readSchema(introspection);
  const problems = Object.values(METHODS).flatMap((document) => {
    const { text, name: operation = "" } = readDocument(document);
    const errors = validate(schema, parse(text));
    return errors.map((error) => ({ operation, field: fieldOf(error), message: error.message }));
  });
  return {
    ok: problems.length === 0,
    problems,
    toString: () =>
      problems.length === 0
        ? "Every GraphQL operation is valid."
        : problems.map(({ operation, message }) => `${operation}: ${message}`).join("\n"),
  };
}

function readSchema(introspection: IntrospectionQuery): GraphQLSchema {
  try {
    const schema = buildClientSchema(introspection);
    assertValidSchema(schema);
    return schema;
  } catch {
    throw new TransportError("The service's answer to introspection isn't a schema.");
  }
}

function fieldOf({ nodes: [node] = [] }: GraphQLError): string {
  if (node?.kind === Kind.NAME) return node.value;
  if (node?.kind === Kind.VARIABLE) return `$${node.name.value}`;
  return node && "name" in node && node.name !== undefined ? node.name.value : (node?.kind ?? "");
}
