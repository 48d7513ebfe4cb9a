import { ErrorCode, requestError } from "../request-error.js";
import type { CursorCodec } from "./cursor.js";
import { comparePositions, type Position, positionOf, type SortKey } from "./order.js";
import type { IdentifiedRow } from "./row.js";

/** Number of items of a page where the caller does not say. */
const DEFAULT_PAGE_SIZE = 10;

/** Arguments of every connection that say which page. */
export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/** A page of a connection, as the schema shows it. */
export interface Page<R> {
  readonly nodes: readonly R[];
  /** Made only when the caller asks for it. */
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
 * Cuts a page out of sorted rows, as the Relay specification says: first what lies between the cursors, then the
 * first or the last of it.
 *
 * @throws GraphQLError where the arguments contradict each other, a size is negative or above `maximum`, or a cursor
 * is none.
 */
export function pageOf<R extends IdentifiedRow>(
  rows: readonly R[],
  keys: readonly SortKey[],
  cursors: CursorCodec,
  args: PageArguments,
  maximum: number,
): Page<R> {
  const { size, fromEnd } = sizeOf(args, maximum);
  const indexOf = (position: Position, isBehind: (difference: number) => boolean): number =>
    lowerBound(rows.length, (index) => {
      const row = rows[index];
      return row !== undefined && isBehind(comparePositions(positionOf(row, keys), position, keys));
    });
  const from = args.after == null ? 0 : indexOf(cursors.decode(args.after, "after"), (d) => d > 0);
  const to =
    args.before == null ? rows.length : indexOf(cursors.decode(args.before, "before"), (d) => d >= 0);
  const start = fromEnd ? Math.max(from, to - size) : from;
  const end = fromEnd ? to : Math.min(to, from + size);
  const nodes = rows.slice(start, end);
  const cursorOf = (row: R): string => cursors.encode(positionOf(row, keys));
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
    throw requestError(ErrorCode.pagingArguments, "Give either `first` or `last`, not both.", {
      argument: "last",
    });
  }
  const size = args.first ?? args.last ?? Math.min(DEFAULT_PAGE_SIZE, maximum);
  const argument = args.last == null ? "first" : "last";
  if (size < 0) {
    throw requestError(ErrorCode.negativePageSize, `\`${argument}\` must be 0 or more.`, { argument });
  }
  if (size > maximum) {
    const message = `\`${argument}\` is ${size}: a page has at most ${maximum} items.`;
    throw requestError(ErrorCode.pageTooLarge, message, { argument });
  }
  const backward = args.first == null && args.after == null && args.before != null;
  return { size, fromEnd: args.last != null || backward };
}

/** The first index for which `isBehind` is true; it is false for all before and true for all after. */
function lowerBound(length: number, isBehind: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
