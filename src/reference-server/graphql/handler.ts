import type { IncomingMessage } from "node:http";
import { GraphQLError, type GraphQLSchema } from "graphql";
import { createHandler, type Handler, type HandlerOptions } from "graphql-http";
import type { Clock } from "../../core/clock.js";
import type { DueFault, Faults } from "../faults/faults.js";
import type { BodyDelivery, GraphQLFaultKind } from "../faults/graphql-kinds.js";
import type { ApiKeys } from "../keys.js";
import type { RequestContext } from "./context.js";
import { errorAnswer } from "./request/answer.js";
import { strikeRequest } from "./request/faults.js";
import { pageBreaker } from "./request/page-faults.js";
import { firstField, operationName, parseDocument, prepare } from "./request/prepare.js";
import { formatError, notAuthorized } from "./request-error.js";

/** Number of items that a page may have at most, where the server is not told. */
const DEFAULT_MAXIMUM_PAGE_SIZE = 1000;

/** What the GraphQL API needs of the reference server. */
export interface GraphQLHandlerOptions {
  readonly keys: Pick<ApiKeys, "lookUp" | "revokePresented">;
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
  /** Set by the handler: the faults that are due at the request. They strike the answer next. */
  due: readonly DueFault<GraphQLFaultKind>[];
  /** Set by the handler: how a fault that answered in the server's place has its body sent. */
  body: BodyDelivery | undefined;
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
    const key = raw.headers.authorization;
    exchange.due = faults.take({ api: "graphql", operation });
    const revokeKey = (): void => keys.revokePresented(key);
    const struck = await strikeRequest(exchange.due, { clock, signal: exchange.signal, revokeKey });
    if (struck !== null) {
      exchange.due = [];
      exchange.body = struck.body;
      return struck.answer;
    }
    const lookup = keys.lookUp(key);
    if (lookup.status !== "ok") {
      const field = isDocument ? firstField(document, params.operationName) : undefined;
      const error = notAuthorized(field === undefined ? undefined : [field.responseName]);
      if (lookup.status === "unknown") return { errors: [error], data: null };
      return errorAnswer(401, "Unauthorized", error, raw.headers.accept);
    }
    if (!isDocument) return [document];
    const { workspace, scope } = lookup.key;
    const canWrite = scope === "read-write";
    const breakPage = pageBreaker(exchange.due);
    const contextValue = { workspace, canWrite, clock, maximumPageSize: pageSize, breakPage };
    return prepare(schema, document, params, contextValue);
  };
  return createHandler({ schema, onSubscribe, formatError });
}
