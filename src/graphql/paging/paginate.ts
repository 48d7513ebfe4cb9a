import { InvalidInputError } from "../../core/errors/index.js";
import { checkRules, FUNCTION, type OptionTable, readOptions } from "../../core/validate.js";
import { LIST_OPTIONS, type ListOptions, PAGING_OPTIONS, type PagingOptions, walkOf } from "../options.js";
import type { Document, Operation } from "../request/document.js";
import { answerOf, type Transport } from "../request/transport.js";
import { copyVariables, type JsonObject } from "../request/variables.js";
import { type Connection, PagedConnection } from "./connection.js";
import type { ConnectionData, PageRequest, WalkPlan } from "./page-walk.js";

/** How to find and page through a connection in a document of your own. */
export interface PaginateOptions<Data, Node, Name extends PropertyKey> extends PagingOptions {
  /** Finds the connection, which may be nested, in the result. */
  readonly select: (data: Data) => ConnectionData<Node> | null | undefined;
  /**
   * The document's names for the paging variables `first` and `after`, or `last` and `before` with `from: "end"`. If
   * you set these variables in `variables`, they act as `pageSize` and `cursor`. @default the same names
   */
  readonly variableNames?:
    | {
        readonly first?: Name | undefined;
        readonly after?: Name | undefined;
        readonly last?: Name | undefined;
        readonly before?: Name | undefined;
      }
    | undefined;
}

const PAGINATE_OPTIONS = {
  ...PAGING_OPTIONS,
  select: { ...FUNCTION, required: true },
  variableNames: true,
} satisfies OptionTable<PaginateOptions<unknown, unknown, string>>;

const NAMES = { first: true, after: true, last: true, before: true } satisfies OptionTable<
  NonNullable<PaginateOptions<unknown, unknown, string>["variableNames"]>
>;

interface ConnectionSource<Data, Node> {
  readonly document: Document<Data, never>;
  /** The client's method; undefined for the caller's own document. */
  readonly method?: string;
  /** All variables except those for paging. */
  readonly variables: JsonObject;
  readonly names: { readonly size: string; readonly cursor: string };
  /** Whether the caller set a page size or the name of its variable, which the document must then declare. */
  readonly sizeGiven: boolean;
  readonly walk: WalkPlan;
  readonly select: (data: Data) => ConnectionData<Node> | null | undefined;
  readonly options: PagingOptions;
}

/** Creates the connection of one of the SDK's own documents, which all take the same arguments. */
export function listConnection<Name extends string, Where, Order, Node>(
  transport: Transport,
  name: Name,
  document: Document<{ readonly [N in Name]: ConnectionData<Node> | null }, never>,
  given: readonly [options?: ListOptions<Where, Order>],
): Connection<Node> {
  // Paging options in a second argument would be ignored, and everything would be read.
  if (given.length > 1)
    throw new InvalidInputError(
      `${name} takes one object with all its options, got ${given.length} arguments.`,
    );
  const [options = {}] = given;
  const { where, order, ...own } = readOptions(name, options, LIST_OPTIONS);
  const walk = walkOf(own);
  return connect(transport, {
    document,
    method: name,
    variables: copyVariables({ where, order }, true),
    names:
      walk.direction === "forward" ? { size: "first", cursor: "after" } : { size: "last", cursor: "before" },
    sizeGiven: true,
    walk,
    select: (data) => data[name],
    options: own,
  });
}

/** Creates the connection of a caller's document. */
export function paginate<Data, Variables extends object, Node>(
  transport: Transport,
  document: Document<Data, Variables>,
  variables: Variables,
  options: PaginateOptions<Data, Node, keyof Variables>,
): Connection<Node> {
  const { select, variableNames = {}, ...own } = readOptions("paginate", options, PAGINATE_OPTIONS);
  const given = readOptions("variableNames", variableNames, NAMES);
  const { first = "first", after = "after", last = "last", before = "before" } = given;
  const isEnd = own.from === "end";
  const names = { size: String(isEnd ? last : first), cursor: String(isEnd ? before : after) };
  const otherEnd = String(isEnd ? first : last);
  const { [names.size]: size, [names.cursor]: start, ...others } = copyVariables(variables ?? {});
  if (isSet(size) && isSet(others[otherEnd]))
    throw new InvalidInputError(
      `variables.${names.size} and variables.${otherEnd} are both set, but pages are read from one end only. Set one of them.`,
    );
  const paging = {
    ...own,
    pageSize: onlyOne("pageSize", own.pageSize, names.size, size),
    cursor: onlyOne("cursor", own.cursor, names.cursor, start),
  };
  checkRules("paginate", paging, PAGING_OPTIONS);
  return connect(transport, {
    document,
    variables: others,
    names,
    sizeGiven: [own.pageSize, given.first, given.last, size].some(isSet),
    walk: walkOf(paging),
    select,
    options: own,
  });
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Returns an option, or the value of its variable; throws if both are set. */
function onlyOne(option: string, value: unknown, variable: string, inVariables: unknown): unknown {
  if (value !== undefined && isSet(inVariables))
    throw new InvalidInputError(`${option} and variables.${variable} are both set. Set one of them.`);
  return value ?? inVariables ?? undefined;
}

function connect<Data, Node>(transport: Transport, source: ConnectionSource<Data, Node>): Connection<Node> {
  const { document, method, names, select, sizeGiven, variables } = source;
  const { headers, prefetch = true, retry, signal, timeoutMs } = source.options;
  const variablesFor = (operation: Operation, { size, cursor }: PageRequest): JsonObject => {
    // `variables` is undefined if the document couldn't be parsed; then the server decides.
    const declares = (name: string) => operation.variables?.has(name) !== false;
    if (!declares(names.cursor) || (operation.variables !== undefined && operation.kind !== "query"))
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
  return new PagedConnection({
    ...source.walk,
    operation: method ?? "paginate",
    prefetch,
    signal,
    fetchPage: async ({ size: most, cursor }, pageSignal) => {
      const options = { headers, retry, timeoutMs, signal: pageSignal };
      const send = (size: number) => {
        const variablesOfPage = (operation: Operation) => variablesFor(operation, { size, cursor });
        return transport.send(document, variablesOfPage, options, answerOf);
      };
      // Keeps a size that the caller chose.
      const isChosen = Number.isFinite(source.walk.pageSize);
      const list = method ?? document;
      const sent = isChosen ? send(most) : transport.pageSizes.fit(list, most, names.size, send);
      const { data, requestId } = await sent;
      return { connection: select(data), requestId };
    },
  });
}
