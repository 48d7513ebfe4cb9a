import { checkSignal } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { type KeysOf, readOptions } from "../../core/validate.js";
import type { GraphQLDocument, Operation } from "../request/document.js";
import type { Transport } from "../request/transport.js";
import { copyVariables, type JsonObject } from "../request/variables.js";
import {
  CONNECTION_KEYS,
  type ConnectionOptions,
  checkCursor,
  checkLimit,
  checkPageSize,
  LIST_KEYS,
  type ListArguments,
  mixedDirections,
} from "./arguments.js";
import { Connection } from "./connection.js";
import type { ConnectionData, PageRequest, WalkPlan } from "./page-walk.js";

/** How a connection of a document of your own is found and paged. Request options apply to every page. */
export interface PaginateOptions<Result, Variable extends string, Node> extends ConnectionOptions {
  /** Finds the connection in the result; it may be nested. */
  readonly select: (data: Result) => ConnectionData<Node> | null | undefined;
  /** Variable of the cursor, paging forward. Its value in `variables` is where to start. @default "after" */
  readonly after?: Variable | undefined;
  /** Variable of the page size, paging forward. @default "first" */
  readonly first?: Variable | undefined;
  /** Variable of the cursor, paging backward: naming it, or `last`, turns the direction. @default "before" */
  readonly before?: Variable | undefined;
  /** Variable of the page size, paging backward. @default "last" */
  readonly last?: Variable | undefined;
  /** Nodes per page. @default its value in `variables`, or 100 */
  readonly pageSize?: number | undefined;
}

const PAGINATE_KEYS = {
  ...CONNECTION_KEYS,
  select: true,
  after: true,
  first: true,
  before: true,
  last: true,
  pageSize: true,
} satisfies KeysOf<PaginateOptions<unknown, string, unknown>>;

/** What a connection is made of. */
interface ConnectionSource<Data, Node> {
  readonly document: GraphQLDocument<Data, never>;
  /** Variables apart from those of paging. */
  readonly variables: JsonObject;
  /** Variables of page size and cursor. */
  readonly names: { readonly size: string; readonly cursor: string };
  /** Whether the caller gave a page size, or named its variable: it must then have an effect. */
  readonly sizeGiven: boolean;
  readonly walk: WalkPlan;
  readonly select: (data: Data) => ConnectionData<Node> | null | undefined;
  readonly options: ConnectionOptions;
}

/** Makes the connection of one of the SDK's own documents, which all take the same arguments. */
export function listConnection<Name extends string, Where, Order, Node>(
  transport: Transport,
  name: Name,
  document: GraphQLDocument<{ readonly [N in Name]: ConnectionData<Node> | null }, never>,
  args: ListArguments<Where, Order>,
  options: ConnectionOptions,
): Connection<Node> {
  const { where, order, first, after, last, before } = readOptions(`${name} arguments`, args, LIST_KEYS);
  const own = readOptions(name, options, CONNECTION_KEYS);
  const forward = (first ?? after ?? undefined) !== undefined;
  const backward = (last ?? before ?? undefined) !== undefined;
  if (forward && backward) throw mixedDirections();
  const names = backward ? { size: "last", cursor: "before" } : { size: "first", cursor: "after" };
  return connect(transport, {
    document,
    variables: copyVariables({ where, order }, { allowDates: false }),
    names,
    sizeGiven: true,
    walk: {
      direction: backward ? "backward" : "forward",
      pageSize: checkPageSize(names.size, backward ? last : first),
      start: checkCursor(names.cursor, backward ? before : after),
      limit: checkLimit(own.limit),
    },
    select: (data) => data[name],
    options: own,
  });
}

/** Makes the connection of a document of the caller. */
export function paginate<Data, Variables extends object, Node>(
  transport: Transport,
  document: GraphQLDocument<Data, Variables>,
  variables: Variables,
  options: PaginateOptions<Data, Extract<keyof Variables, string>, Node>,
): Connection<Node> {
  const own = readOptions("paginate", options, PAGINATE_KEYS);
  const { after, first, before, last, pageSize, limit, select } = own;
  if (typeof select !== "function")
    throw new InvalidInputError("select must be a function that returns the connection in the result.");
  if ([after, first, before, last].some((name) => name !== undefined && typeof name !== "string"))
    throw new InvalidInputError("after, first, before and last must be names of variables of the document.");
  const backward = before !== undefined || last !== undefined;
  if (backward && (after !== undefined || first !== undefined)) throw mixedDirections();
  const names = backward
    ? { size: last ?? "last", cursor: before ?? "before" }
    : { size: first ?? "first", cursor: after ?? "after" };
  const copy = copyVariables(variables, { allowDates: true });
  const { [names.size]: size, [names.cursor]: start, ...others } = copy;
  if (pageSize !== undefined && size !== undefined && size !== null)
    throw new InvalidInputError(`pageSize and variables.${names.size} are both set. Set one of them.`);
  return connect(transport, {
    document,
    variables: others,
    names,
    sizeGiven: [pageSize, first, last, size ?? undefined].some((given) => given !== undefined),
    walk: {
      direction: backward ? "backward" : "forward",
      pageSize: checkPageSize(pageSize === undefined ? names.size : "pageSize", pageSize ?? size),
      start: checkCursor(names.cursor, start),
      limit: checkLimit(limit),
    },
    select,
    options: own,
  });
}

function connect<Data, Node>(transport: Transport, source: ConnectionSource<Data, Node>): Connection<Node> {
  const { document, names, select, sizeGiven, variables } = source;
  const { headers, prefetch = true, retry, signal, timeoutMs } = source.options;
  checkSignal(signal);
  const variablesFor = (operation: Operation, { size, cursor }: PageRequest): JsonObject => {
    // Undefined if the document could not be parsed: the server decides.
    const declares = (name: string) => operation.variables?.has(name) !== false;
    if (!declares(names.cursor) || (operation.variables !== undefined && !operation.readOnly))
      throw new InvalidInputError(
        `The document must be a query that declares the variable $${names.cursor}.`,
      );
    if (!declares(names.size) && sizeGiven)
      throw new InvalidInputError(
        `The document does not declare $${names.size}, so the page size would have no effect.`,
      );
    return {
      ...variables,
      ...(declares(names.size) && { [names.size]: size }),
      [names.cursor]: cursor,
    };
  };
  return new Connection({
    ...source.walk,
    prefetch,
    signal,
    fetchPage: async (page, pageSignal) => {
      const variablesOfPage = (operation: Operation) => variablesFor(operation, page);
      const options = { headers, retry, timeoutMs, signal: pageSignal };
      return select((await transport.request(document, variablesOfPage, options)).data);
    },
  });
}
