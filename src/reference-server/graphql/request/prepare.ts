import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
} from "graphql";
import type { RequestParams } from "graphql-http";
import type { RequestContext } from "../context.js";
import { ErrorCode, requestError } from "../request-error.js";
import { checkCost } from "./cost.js";
import { checkDepth } from "./depth.js";
import { validateDocument } from "./validate.js";
import { checkVariables } from "./variables.js";

/** Enough for every query of this schema, and too few to keep the parser busy. */
const MAXIMUM_TOKENS = 10_000;

/** The document of a request, or what is wrong with its text. */
export function parseDocument(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens: MAXIMUM_TOKENS });
  } catch (error) {
    if (error instanceof GraphQLError)
      return requestError(ErrorCode.syntax, error.message, { nodes: error.nodes });
    // The parser is recursive; what else it throws means that the text is nested too deeply for it.
    return requestError(ErrorCode.syntax, "The document cannot be parsed: it is nested too deeply.");
  }
}

/** Name of the requested operation, or where it has none of its first field. */
export function operationName(
  document: DocumentNode,
  requested: string | null | undefined,
): string | undefined {
  const operation = getOperationAST(document, requested);
  return operation?.name?.value ?? firstField(document, requested)?.name;
}

/** The first field of the requested operation: its name, and the name that it is answered under. */
export function firstField(
  document: DocumentNode,
  requested: string | null | undefined,
): { readonly name: string; readonly responseName: string } | undefined {
  const selections = getOperationAST(document, requested)?.selectionSet.selections ?? [];
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD) continue;
    const name = selection.name.value;
    return { name, responseName: selection.alias?.value ?? name };
  }
  return undefined;
}

/** What is to be executed, or what is wrong with the request. */
export function prepare(
  schema: GraphQLSchema,
  document: DocumentNode,
  params: RequestParams,
  contextValue: RequestContext,
): (ExecutionArgs & { readonly contextValue: RequestContext }) | readonly GraphQLError[] {
  const tooDeep = checkDepth(document, params.variables);
  if (tooDeep !== undefined) return [tooDeep];
  const tooCostly = checkCost(document);
  if (tooCostly !== undefined) return [tooCostly];
  const invalid = validateDocument(schema, document);
  if (invalid.length > 0) return invalid;
  const operation = getOperationAST(document, params.operationName);
  const variableValues = params.variables ?? {};
  if (operation) {
    const unfit = checkVariables(schema, document, operation, variableValues);
    if (unfit.length > 0) return unfit;
  }
  return { schema, document, operationName: params.operationName, variableValues, contextValue };
}
