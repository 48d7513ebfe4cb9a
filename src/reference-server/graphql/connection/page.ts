import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from "graphql";
import { ErrorCode, requestError } from "../errors.js";
import {
  comparePositions,
  compileFilter,
  compileOrder,
  type IdentifiedRow,
  type InputObject,
  type Position,
  positionOf,
  type SortKey,
  type SortValue,
  sortRows,
} from "./filter.js";

const DEFAULT_PAGE_SIZE = 10;

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

export interface Page<R> {
  readonly nodes: readonly R[];
  /** A function, so edges are created only if the caller asks for them. */
  readonly edges: () => readonly { readonly cursor: string; readonly node: R }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

/**
 * Cuts a page out of sorted rows as in the Relay specification: first the rows between the cursors, then the first or
 * last of these.
 *
 * @throws GraphQLError the arguments contradict each other, a size is negative or above `maximum`, or a cursor is
 *   invalid
 */
function pageOf<R extends IdentifiedRow>(
  rows: readonly R[],
  keys: readonly SortKey[],
  connection: string,
  args: PageArguments,
  maximum: number,
): Page<R> {
  const { size, fromEnd } = sizeOf(args, maximum);
  const indexOf = (position: Position, isBehind: (difference: number) => boolean): number =>
    lowerBound(rows.length, (index) => {
      const row = rows[index];
      return row !== undefined && isBehind(comparePositions(positionOf(row, keys), position, keys));
    });
  const order = JSON.stringify([connection, keys]);
  const from = args.after == null ? 0 : indexOf(decodeCursor(order, keys, args.after, "after"), (d) => d > 0);
  const to =
    args.before == null
      ? rows.length
      : indexOf(decodeCursor(order, keys, args.before, "before"), (d) => d >= 0);
  const start = fromEnd ? Math.max(from, to - size) : from;
  const end = fromEnd ? to : Math.min(to, from + size);
  const nodes = rows.slice(start, end);
  const cursorOf = (row: R): string => encodeCursor(order, positionOf(row, keys));
  const [firstNode, lastNode] = [nodes.at(0), nodes.at(-1)];
  return {
    nodes,
    edges: () => nodes.map((node) => ({ cursor: cursorOf(node), node })),
    pageInfo: {
      hasNextPage: end < rows.length,
      hasPreviousPage: start > 0,
      startCursor: firstNode === undefined ? null : cursorOf(firstNode),
      endCursor: lastNode === undefined ? null : cursorOf(lastNode),
    },
    totalCount: rows.length,
  };
}

function sizeOf(args: PageArguments, maximum: number): { readonly size: number; readonly fromEnd: boolean } {
  if (args.first != null && args.last != null) {
    throw requestError(ErrorCode.pagingArguments, "Use either `first` or `last`, not both.", {
      argument: "last",
    });
  }
  const size = args.first ?? args.last ?? Math.min(DEFAULT_PAGE_SIZE, maximum);
  const argument = args.last == null ? "first" : "last";
  if (size < 0) {
    throw requestError(ErrorCode.negativePageSize, `\`${argument}\` must not be negative.`, { argument });
  }
  if (size > maximum) {
    const message = `\`${argument}\` is ${size}, but a page has at most ${maximum} items.`;
    const limit = { requestedItems: size, maxAllowedItems: maximum };
    throw requestError(ErrorCode.pageTooLarge, message, { argument, ...limit });
  }
  const backward = args.first == null && args.after == null && args.before != null;
  return { size, fromEnd: args.last != null || backward };
}

/** Binary search for the first index for which `isBehind` is true; it must be true for all later indexes too. */
function lowerBound(length: number, isBehind: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * A cursor stores its row's position rather than an index, so it stays valid when rows, even its own, come and go.
 *
 * @param order names the connection and its sort keys
 */
function encodeCursor(order: string, { id, values }: Position): string {
  return Buffer.from(JSON.stringify([order, id, ...values])).toString("base64url");
}

function decodeCursor(
  order: string,
  keys: readonly SortKey[],
  cursor: string,
  argument: "after" | "before",
): Position {
  const [given, id, ...values] = parseList(cursor);
  if (typeof given !== "string" || typeof id !== "string" || !values.every(isSortValue)) {
    throw invalid(argument, "is not from this server");
  }
  if (given !== order || values.length !== keys.length) {
    throw invalid(argument, "belongs to another `order` or another field");
  }
  return { id, values };
}

function parseList(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isSortValue(value: unknown): value is SortValue {
  return value === null || typeof value === "string" || typeof value === "number";
}

function invalid(argument: string, what: string): Error {
  const message = `The cursor in \`${argument}\` ${what}. Use a cursor from a page with the same \`order\`.`;
  return requestError(ErrorCode.invalidCursor, message, { argument });
}

export interface ConnectionArguments extends PageArguments {
  readonly where?: InputObject | null;
  readonly order?: readonly InputObject[] | null;
}

/** All rows of a connection by id. Keeps the last filtered and sorted list, so later pages need no sorting. */
export class RowSet<R extends IdentifiedRow> {
  #last: { readonly key: string; readonly list: readonly R[] } | undefined;

  constructor(readonly rows: readonly R[]) {}

  list(key: string, make: () => readonly R[]): readonly R[] {
    if (this.#last?.key !== key) this.#last = { key, list: make() };
    return this.#last.list;
  }
}

export function sortedById<R extends IdentifiedRow>(rows: readonly R[]): readonly R[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

type Field = Pick<GraphQLField<unknown, unknown>, "name" | "args">;

export function pagerOf(field: Field) {
  const [whereType, orderType] = [inputType(field, "where"), inputType(field, "order")];
  return <R extends IdentifiedRow>(
    rowSet: RowSet<R>,
    args: ConnectionArguments,
    pageSize: number,
  ): Page<R> => {
    const { where, order } = args;
    const keys = compileOrder(orderType, order ?? []);
    const rows = rowSet.list(JSON.stringify([where ?? null, keys]), () => {
      const matching = where == null ? rowSet.rows : rowSet.rows.filter(compileFilter(whereType, where));
      return keys.length === 0 ? matching : sortRows(matching, keys);
    });
    return pageOf(rows, keys, field.name, args, pageSize);
  };
}

export function inputType(field: Field, argument: string): GraphQLInputObjectType {
  const found = field.args.find(({ name }) => name === argument);
  const type = found === undefined ? undefined : getNamedType(found.type);
  if (isInputObjectType(type)) return type;
  throw new TypeError(`The schema's ${field.name} has no input object as ${argument}.`);
}
