import type { IncomingMessage } from "node:http";
import { GraphQLError, type GraphQLSchema } from "graphql";
import { createHandler, type Handler, type HandlerOptions } from "graphql-http";
import type { Clock } from "../../clock.js";
import type { Faults } from "../faults.js";
import type { ApiKeys } from "../keys.js";
import type { RequestContext } from "./context.js";
import { errorAnswer } from "./request/answer.js";
import { applyFaults } from "./request/faults.js";
import { firstField, operationName, parseDocument, prepare } from "./request/prepare.js";
import { formatError, notAuthorized } from "./request-error.js";

/** Number of items that a page may have at most, where the server is not told. */
const DEFAULT_MAXIMUM_PAGE_SIZE = 1000;

/** What the GraphQL API needs of the reference server. */
export interface GraphQLHandlerOptions {
  readonly keys: Pick<ApiKeys, "lookUp">;
  readonly faults: Pick<Faults, "take">;
  readonly clock: Clock;
  /**
   * Number of items that a page may have at most.
   * @default 1000
   */
  readonly pageSize?: number | undefined;
}

/** One HTTP request, for the handler to remember things about. */
export interface Exchange {
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal;
  /** Set by the handler: the connection is to be destroyed instead of the answer being sent. */
  drop: boolean;
}

/**
 * Answers GraphQL requests. Faults strike first; then the key is checked, so that a caller without one learns nothing
 * of the schema; then the request is checked and executed.
 */
export function graphQLHandler(
  schema: GraphQLSchema,
  { keys, faults, clock, pageSize = DEFAULT_MAXIMUM_PAGE_SIZE }: GraphQLHandlerOptions,
): Handler<IncomingMessage, Exchange> {
  const onSubscribe: HandlerOptions<IncomingMessage, Exchange, RequestContext>["onSubscribe"] = async (
    { raw, context: exchange },
    params,
  ) => {
    const document = parseDocument(params.query);
    const isDocument = !(document instanceof GraphQLError);
    const operation = isDocument ? operationName(document, params.operationName) : undefined;
    const stricken = await applyFaults(faults.take({ api: "graphql", operation }), clock, exchange.signal);
    exchange.drop = stricken.drop;
    if (stricken.answer !== null) return stricken.answer;
    const lookup = keys.lookUp(raw.headers.authorization);
    if (lookup.status !== "ok") {
      const field = isDocument ? firstField(document, params.operationName) : undefined;
      const error = notAuthorized(field === undefined ? undefined : [field.responseName]);
      if (lookup.status === "unknown") return { errors: [error], data: null };
      return errorAnswer(401, "Unauthorized", error, raw.headers.accept);
    }
    if (!isDocument) return [document];
    const { workspace, scope } = lookup.key;
    const canWrite = scope === "read-write";
    return prepare(schema, document, params, { workspace, canWrite, clock, maximumPageSize: pageSize });
  };
  return createHandler({ schema, onSubscribe, formatError });
}
