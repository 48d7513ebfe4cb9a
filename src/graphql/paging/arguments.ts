import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { REQUEST_NAMES, type RequestOptions } from "../request/request-options.js";
import type { Direction } from "./page.js";
import type { WalkPlan } from "./page-walk.js";

/**
 * From the start with `first` and `after`, or from the end with `last` and `before`; never mixed (service description,
 * "GraphQL API").
 */
export type PagingArguments =
  | {
      /** Nodes per page, from the start. How many are read in all is `limit`. @default 100 */
      readonly first?: number | null | undefined;
      /** Begin after this cursor: a `pageInfo.endCursor`. */
      readonly after?: string | null | undefined;
      readonly last?: undefined;
      readonly before?: undefined;
    }
  | {
      readonly first?: undefined;
      readonly after?: undefined;
      /** Nodes per page, from the end. How many are read in all is `limit`. @default 100 */
      readonly last?: number | null | undefined;
      /** Begin before this cursor: a `pageInfo.startCursor`. */
      readonly before?: string | null | undefined;
    };

/** How a connection is read. Request options apply to every page. */
export interface ConnectionOptions extends RequestOptions {
  /** Most nodes to read in all; 0 or more. @default no limit */
  readonly limit?: number | undefined;
  /** Whether the next page is asked for while the current one is consumed. @default true */
  readonly prefetch?: boolean | undefined;
}

/** The names of {@link ConnectionOptions}. */
export const CONNECTION_NAMES = {
  ...REQUEST_NAMES,
  limit: true,
  prefetch: true,
} satisfies KeysOf<ConnectionOptions>;

/** Nodes per page, where nothing else is said. */
const DEFAULT_PAGE_SIZE = 100;

/**
 * Checks paging arguments and a limit.
 * @throws {InvalidInputError} both directions are mixed, or a value is not usable
 */
export function planWalk(paging: PagingArguments, limit: number | undefined): WalkPlan {
  const { first, after, last, before } = paging;
  const forward = isGiven(first) || isGiven(after);
  const backward = isGiven(last) || isGiven(before);
  if (forward && backward) {
    throw new InvalidInputError(
      "first and after page forward, last and before page backward: give one pair only.",
      { issues: [{ path: "first, after, last, before", expected: "first and after, or last and before" }] },
    );
  }
  const direction: Direction = backward ? "backward" : "forward";
  return {
    direction,
    pageSize: checkPageSize(backward ? "last" : "first", backward ? last : first),
    start: checkCursor(backward ? "before" : "after", backward ? before : after),
    limit: checkLimit(limit),
  };
}

/** Checks a number of nodes per page. */
export function checkPageSize(name: string, size: unknown): number {
  if (!isGiven(size)) return DEFAULT_PAGE_SIZE;
  if (typeof size !== "number" || !Number.isInteger(size) || size < 1) {
    throw refusal(name, "a whole number, 1 or more");
  }
  return size;
}

/** Checks a cursor to begin at. */
export function checkCursor(name: string, cursor: unknown): string | undefined {
  if (!isGiven(cursor)) return undefined;
  if (typeof cursor !== "string" || cursor === "")
    throw refusal(name, "a cursor: a string that is not empty");
  return cursor;
}

/** Checks a number of nodes in all. */
export function checkLimit(limit: unknown): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (
    limit === Number.POSITIVE_INFINITY ||
    (typeof limit === "number" && Number.isInteger(limit) && limit >= 0)
  ) {
    return Number(limit);
  }
  throw refusal("limit", "a whole number, 0 or more");
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refusal(name: string, expected: string): InvalidInputError {
  return new InvalidInputError(`${name} must be ${expected}.`, { issues: [{ path: name, expected }] });
}
