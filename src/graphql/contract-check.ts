import {
  type ASTNode,
  assertValidSchema,
  buildClientSchema,
  type GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isRequiredInputField,
  Kind,
  parse,
  validate,
} from "graphql";
import { TransportError } from "../core/errors/index.js";
import type { GraphQLClient } from "./client.js";
import * as generated from "./generated/operations.js";
import { ENUM_VALUES, INPUT_FIELDS } from "./generated/operations.js";
import { fieldsOf } from "./request/input-fields.js";

/** Which of the SDK's GraphQL operations, inputs and enums the service would refuse. */
export interface ContractReport {
  /** Whether everything is valid. */
  readonly ok: boolean;
  /** What is wrong, by operation. */
  readonly problems: readonly {
    /** Name of the operation, such as `Licenses`, or of the input or enum. */
    readonly operation: string;
    /** The field, variable, type or value that the service does not know so. */
    readonly field: string;
    /** What is wrong, with the nearest name if there is one. */
    readonly message: string;
  }[];
  /** One line for each problem. */
  toString(): string;
}

/** Validates the SDK's operations, inputs and enums against the schema that the service tells by introspection. */
export async function checkOperations(client: GraphQLClient): Promise<ContractReport> {
  const introspection = await client.request<IntrospectionQuery>(
    getIntrospectionQuery({ descriptions: false }),
    {},
  );
  const schema = readSchema(introspection);
  const documents = Object.entries(generated).flatMap(([name, text]) =>
    typeof text === "string" ? [{ operation: name.replace(/Document$/, ""), document: parse(text) }] : [],
  );
  const ofOperations = documents.flatMap(({ operation, document }) =>
    validate(schema, document).map((error) => ({ operation, field: fieldOf(error), message: error.message })),
  );
  const problems = [...ofOperations, ...inputProblems(schema), ...enumProblems(schema)];
  return {
    ok: problems.length === 0,
    problems,
    toString: () =>
      problems.length === 0
        ? "Every GraphQL operation is valid."
        : problems.map(({ operation, message }) => `${operation}: ${message}`).join("\n"),
  };
}

/** Of the inputs that the service knows: a missing one is a problem of its operation. */
function inputProblems(schema: GraphQLSchema): ContractReport["problems"] {
  return Object.keys(INPUT_FIELDS).flatMap((operation) => {
    const type = schema.getType(operation);
    if (!isInputObjectType(type)) return [];
    const problem = (field: string, told: string) => ({ operation, field, message: `${field} ${told}.` });
    const fields = type.getFields();
    const known = fieldsOf(operation);
    const required = Object.values(fields)
      .filter((field) => isRequiredInputField(field) && !known.has(field.name))
      .map(({ name }) => problem(name, "is new and required"));
    const others = [...known].flatMap(([name, { type: expected }]) => {
      const named = getNamedType(fields[name]?.type)?.name;
      if (named === undefined) return [problem(name, "is gone")];
      // Scalars are not compared.
      const isSame = expected === undefined || expected === named;
      return isSame ? [] : [problem(name, `is of type ${named} now`)];
    });
    return [...required, ...others];
  });
}

function enumProblems(schema: GraphQLSchema): ContractReport["problems"] {
  return Object.entries(ENUM_VALUES).flatMap(([operation, values]) => {
    const type = schema.getType(operation);
    if (!isEnumType(type)) return [];
    const gone = values.split(", ").filter((value) => type.getValue(value) === undefined);
    return gone.map((field) => ({ operation, field, message: `${field} is gone.` }));
  });
}

function readSchema(introspection: IntrospectionQuery): GraphQLSchema {
  try {
    const schema = buildClientSchema(introspection);
    assertValidSchema(schema);
    return schema;
  } catch {
    throw new TransportError("The service answered introspection with something that is not a schema.");
  }
}

function fieldOf({ nodes: [node] = [] }: GraphQLError): string {
  return node === undefined ? "" : nameOf(node);
}

function nameOf(node: ASTNode): string {
  if (node.kind === Kind.NAME) return node.value;
  if (node.kind === Kind.VARIABLE) return `$${node.name.value}`;
  return "name" in node && node.name !== undefined ? node.name.value : node.kind;
}
