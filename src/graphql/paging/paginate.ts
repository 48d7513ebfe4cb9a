import { checkSignal } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import { readHeaders, resolveRetry } from "../../core/options.js";
import type { KeysOf } from "../../core/validate.js";
import { readOptions } from "../../core/validate.js";
import type { Operation } from "../request/document.js";
import type { GraphQLDocument } from "../request/document-types.js";
import { jsonCopy } from "../request/json.js";
import type { Transport } from "../request/transport.js";
import {
  CONNECTION_NAMES,
  type ConnectionOptions,
  checkCursor,
  checkLimit,
  checkPageSize,
} from "./arguments.js";
import { Connection } from "./connection.js";
import type { ConnectionData, PageRequest } from "./page.js";
import type { WalkPlan } from "./page-walk.js";

/** How a connection of a document of your own is found and paged. Options of a request apply to every page. */
export interface PaginateOptions<Result, Variable extends string, Node> extends ConnectionOptions {
  /** Finds the connection in the result; it may be nested. */
  readonly select: (data: Result) => ConnectionData<Node> | null | undefined;
  /** Variable that takes the cursor, paging forward. Its value in `variables` is where to begin. @default "after" */
  readonly after?: Variable | undefined;
  /** Variable that takes the page size, paging forward. @default "first" */
  readonly first?: Variable | undefined;
  /** Variable that takes the cursor, paging backward: naming it, or `last`, turns the direction. @default "before" */
  readonly before?: Variable | undefined;
  /** Variable that takes the page size, paging backward. @default "last" */
  readonly last?: Variable | undefined;
  /** Nodes per page. @default what `variables` holds for it, else 100 */
  readonly pageSize?: number | undefined;
}

const PAGINATE_NAMES = {
  ...CONNECTION_NAMES,
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
  readonly variables: object;
  /** Variables that take page size and cursor. */
  readonly names: { readonly size: string; readonly cursor: string };
  /** Whether the page size, or the variable that takes it, was named: it must then have an effect. */
  readonly sizeGiven: boolean;
  readonly walk: WalkPlan;
  readonly select: (data: Data) => ConnectionData<Node> | null | undefined;
  readonly options: ConnectionOptions;
}

/** Makes a connection of a query. */
export function connect<Data, Node>(
  transport: Transport,
  source: ConnectionSource<Data, Node>,
): Connection<Node> {
  const { document, names, walk, select, options } = source;
  const variables = jsonCopy(source.variables);
  // The same for every page, whatever becomes of the caller's objects meanwhile.
  const { headers, retry } = options;
  const own = {
    ...options,
    headers: headers === undefined ? undefined : readHeaders(headers, InvalidInputError),
    retry: retry === undefined ? undefined : resolveRetry(retry),
  };
  const fetchPage = async ({ size, cursor }: PageRequest, signal: AbortSignal | undefined) => {
    const variablesFor = ({ readOnly, variables: declared }: Operation) => {
      if (declared?.has(names.cursor) === false || (declared !== undefined && !readOnly)) {
        throw new InvalidInputError(
          `The document must be a query that declares the variable $${names.cursor}.`,
        );
      }
      if (declared?.has(names.size) === false && source.sizeGiven) {
        throw new InvalidInputError(
          `The document must declare the variable $${names.size}, which takes the page size that was given.`,
        );
      }
      const page = declared?.has(names.size) === false ? {} : { [names.size]: size };
      return { ...variables, ...page, [names.cursor]: cursor };
    };
    return select(await transport.describedRequest(document, variablesFor, { ...own, signal }));
  };
  return new Connection({ ...walk, fetchPage, prefetch: options.prefetch ?? true, signal: options.signal });
}

/** Makes a connection of a document of your own. */
export function paginate<Data, Variables extends object, Node>(
  transport: Transport,
  document: GraphQLDocument<Data, Variables>,
  variables: Variables,
  options: PaginateOptions<Data, Extract<keyof Variables, string>, Node>,
): Connection<Node> {
  const own = readOptions("The options of paginate", options, PAGINATE_NAMES);
  checkSignal(own.signal);
  const { after, first, before, last, pageSize, limit, select } = own;
  if (typeof select !== "function")
    throw new InvalidInputError("select must be a function that finds the connection in the result.");
  for (const variable of [after, first, before, last]) checkVariable(variable);
  const backward = before !== undefined || last !== undefined;
  if (backward && (after !== undefined || first !== undefined)) {
    throw new InvalidInputError(
      "after and first page forward, before and last page backward: name one pair.",
    );
  }
  const names = backward
    ? { size: last ?? "last", cursor: before ?? "before" }
    : { size: first ?? "first", cursor: after ?? "after" };
  const { [names.size]: size, [names.cursor]: start, ...others } = jsonCopy(variables);
  if (pageSize !== undefined && size !== undefined && size !== null) {
    throw new InvalidInputError(`pageSize and variables.${names.size} say the same thing: give one of them.`);
  }
  const walk: WalkPlan = {
    direction: backward ? "backward" : "forward",
    pageSize: checkPageSize(pageSize === undefined ? names.size : "pageSize", pageSize ?? size),
    start: checkCursor(names.cursor, start),
    limit: checkLimit(limit),
  };
  const sizeGiven = [pageSize, first, last, size ?? undefined].some((given) => given !== undefined);
  return connect(transport, { document, variables: others, names, sizeGiven, walk, select, options: own });
}

/** The types say so already; a caller without types may not. */
function checkVariable(name: unknown): void {
  if (name === undefined || (typeof name === "string" && /^[A-Za-z_]\w*$/.test(name))) return;
  throw new InvalidInputError("after, first, before and last must be names of variables of the document.");
}
