import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { REQUEST_KEYS, type RequestOptions } from "../options.js";

/**
 * From the start with `first` and `after`, or from the end with `last` and `before`; never mixed (service description,
 * "GraphQL API").
 */
export type PagingArguments =
  | {
      /** Nodes per page, from the start. The number of nodes in all is `limit`. @default 100 */
      readonly first?: number | null | undefined;
      /** Start after this cursor: a `pageInfo.endCursor`. */
      readonly after?: string | null | undefined;
      readonly last?: undefined;
      readonly before?: undefined;
    }
  | {
      readonly first?: undefined;
      readonly after?: undefined;
      /** Nodes per page, from the end. The number of nodes in all is `limit`. @default 100 */
      readonly last?: number | null | undefined;
      /** Start before this cursor: a `pageInfo.startCursor`. */
      readonly before?: string | null | undefined;
    };

/** What a collection is asked for (service description, "GraphQL API"). */
export type ListArguments<Where, Order> = PagingArguments & {
  /** Which items; conditions in one object combine with AND. @default all of them */
  readonly where?: Where | null | undefined;
  /** The order, as one object or several; later ones break ties of earlier ones. @default the server's own */
  readonly order?: Order | readonly Order[] | null | undefined;
};

/** How a connection is read. Request options apply to every page. */
export interface ConnectionOptions extends RequestOptions {
  /** Most nodes to read in all; 0 or more. @default no limit */
  readonly limit?: number | undefined;
  /** Whether the next page is requested while the current one is consumed. @default true */
  readonly prefetch?: boolean | undefined;
}

export const LIST_KEYS = {
  where: true,
  order: true,
  first: true,
  after: true,
  last: true,
  before: true,
} satisfies KeysOf<ListArguments<unknown, unknown>>;

export const CONNECTION_KEYS = {
  ...REQUEST_KEYS,
  limit: true,
  prefetch: true,
} satisfies KeysOf<ConnectionOptions>;

const DEFAULT_PAGE_SIZE = 100;

/** Checks a number of nodes per page. */
export function checkPageSize(name: string, size: unknown): number {
  if (size === undefined || size === null) return DEFAULT_PAGE_SIZE;
  if (typeof size === "number" && Number.isInteger(size) && size >= 1) return size;
  throw invalidArgument(name, "a whole number, 1 or more");
}

/** Checks a cursor to start from. */
export function checkCursor(name: string, cursor: unknown): string | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor === "string" && cursor !== "") return cursor;
  throw invalidArgument(name, "a cursor: a string that is not empty");
}

/** Checks a number of nodes in all. */
export function checkLimit(limit: unknown = Number.POSITIVE_INFINITY): number {
  const isCount = typeof limit === "number" && Number.isInteger(limit) && limit >= 0;
  if (isCount || limit === Number.POSITIVE_INFINITY) return Number(limit);
  throw invalidArgument("limit", "a whole number, 0 or more");
}

/** Reports that both directions of paging are given. */
export function mixedDirections(): InvalidInputError {
  return new InvalidInputError(
    "first and after page forward, last and before page backward: give one pair only.",
    { issues: [{ path: "first, after, last, before", expected: "first and after, or last and before" }] },
  );
}

function invalidArgument(name: string, expected: string): InvalidInputError {
  return new InvalidInputError(`${name} must be ${expected}.`, { issues: [{ path: name, expected }] });
}
