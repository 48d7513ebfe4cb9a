import type { IncomingMessage } from "node:http";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
  type SelectionSetNode,
} from "graphql";
import {
  createHandler,
  type HandlerOptions,
  type Request,
  type RequestParams,
  type Response,
} from "graphql-http";
import type { Clock } from "../../core/clock.js";
import type { FaultInjector } from "../faults/injector.js";
import { reportDefect } from "../network.js";
import { lazy } from "../values.js";
import type { ApiKeys } from "../workspace.js";
import {
  ErrorCode,
  errorAnswer,
  formatError,
  invalidAnswer,
  notAuthorized,
  requestError,
  unexpectedError,
} from "./errors.js";
import { ConnectionFault, type Exchange, fireAtRequest, pageBreaker } from "./faults.js";
import { executableSchema, type RequestContext } from "./schema.js";
import { checkVariables, validateDocument } from "./validate.js";

export interface GraphQLHandlerOptions {
  readonly keys: Pick<ApiKeys, "find" | "revoke">;
  readonly faults: Pick<FaultInjector, "take">;
  readonly clock: Clock;
  readonly pageSize: number;
}

export type GraphQLHandler = (request: Request<IncomingMessage, Exchange>) => Promise<Response>;

/** All servers in the process share one schema, because building it takes longer than starting a server. */
const schemaOfProcess = lazy(executableSchema);

/**
 * Answers GraphQL requests. After the faults, the key is checked, so that a caller without a key learns nothing about
 * the schema, and then the request is validated and executed.
 */
export function graphQLHandler({ keys, faults, clock, pageSize }: GraphQLHandlerOptions): GraphQLHandler {
  const schema = schemaOfProcess();
  const onSubscribe: HandlerOptions<IncomingMessage, Exchange, RequestContext>["onSubscribe"] = async (
    { raw, context: exchange },
    params,
  ) => {
    const document = parseDocument(params.query);
    const isDocument = !(document instanceof GraphQLError);
    const operation = isDocument ? operationName(document, params.operationName) : undefined;
    exchange.due = faults.take("graphql", operation);
    const replaced = await fireAtRequest(exchange);
    if (replaced !== null) {
      exchange.isReplaced = true;
      return replaced;
    }
    const key = keys.find(raw.headers.authorization);
    if (key === undefined || key.revoked) {
      const result = refusedResult(isDocument ? rootFields(document, params.operationName) : []);
      return key === undefined ? result : errorAnswer(401, "Unauthorized", result, raw.headers.accept);
    }
    const { accept } = raw.headers;
    if (!isDocument) return invalidAnswer([document], accept);
    const { workspace, scope } = key;
    const breakPage = pageBreaker(exchange.due);
    const contextValue = { workspace, canWrite: scope === "read-write", clock, pageSize, breakPage };
    const argsOrErrors = validated(schema, document, params, contextValue);
    return "schema" in argsOrErrors ? argsOrErrors : invalidAnswer(argsOrErrors, accept);
  };
  // Without `execute`, graphql-http would load the project's own graphql, which may be another major version.
  const handler = createHandler({ schema, onSubscribe, formatError, execute });
  return (request) =>
    handler(request).catch((error: unknown) => {
      if (request.context.signal.aborted || error instanceof ConnectionFault) throw error;
      reportDefect(error);
      return errorAnswer(500, "Internal Server Error", { errors: [unexpectedError()], data: null });
    });
}

function parseDocument(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError)
      return requestError(ErrorCode.syntax, error.message, { nodes: error.nodes });
    // The parser is recursive: a stack overflow means that the document is nested too deeply.
    return requestError(ErrorCode.syntax, "The document is nested too deeply.");
  }
}

/** Name of the requested operation or, if it has none, of its first field. */
function operationName(document: DocumentNode, requested: string | null | undefined): string | undefined {
  const name = getOperationAST(document, requested)?.name ?? rootFields(document, requested)[0]?.name;
  return name?.value;
}

/** The root fields of the requested operation, including those in fragments; none if there is no such operation. */
function rootFields(document: DocumentNode, requested: string | null | undefined): readonly FieldNode[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const fieldsOf = (node: { readonly selectionSet: SelectionSetNode } | undefined): readonly FieldNode[] =>
    (node?.selectionSet.selections ?? []).flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection);
      const fragment = fragments.get(selection.name.value);
      // Each fragment is read once, because a fragment may contain itself.
      fragments.delete(selection.name.value);
      return fieldsOf(fragment);
    });
  return fieldsOf(getOperationAST(document, requested) ?? undefined);
}

/** Refuses every field or, if the request has no fields, the whole request. */
function refusedResult(fields: readonly FieldNode[]): ExecutionResult {
  const names = [...new Set(fields.map(({ alias, name }) => (alias ?? name).value))];
  if (names.length === 0) return { errors: [notAuthorized()], data: null };
  return {
    errors: names.map((name) => notAuthorized([name])),
    data: Object.fromEntries(names.map((name) => [name, null])),
  };
}

function validated(
  schema: GraphQLSchema,
  document: DocumentNode,
  params: RequestParams,
  contextValue: RequestContext,
): (ExecutionArgs & { readonly contextValue: RequestContext }) | readonly GraphQLError[] {
  const invalid = validateDocument(schema, document);
  if (invalid.length > 0) return invalid;
  const operation = getOperationAST(document, params.operationName);
  const variableValues = params.variables ?? {};
  if (operation) {
    const errors = checkVariables(schema, document, operation, variableValues);
    if (errors.length > 0) return errors;
  }
  return { schema, document, operationName: params.operationName, variableValues, contextValue };
}
