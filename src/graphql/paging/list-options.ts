import { checkSignal } from "../../core/abort.js";
import { InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { REQUEST_KEYS, type RequestOptions } from "../options.js";
import type { WalkPlan } from "./page-walk.js";

/**
 * What to read of a collection, how much of it, and how (service description, "GraphQL API"). Request options apply to
 * every page.
 */
export interface ListOptions<Where, Order> extends RequestOptions {
  /** Which nodes; conditions in one object combine with AND. @default all of them */
  readonly where?: Where | undefined;
  /** The order, as one object or several; later ones break ties of earlier ones. @default the server's own */
  readonly order?: Order | readonly Order[] | undefined;
  /** Most nodes to read in all; 0 or more. @default no limit */
  readonly limit?: number | undefined;
  /** Most nodes of one request; 1 or more. It does not change which nodes are read. @default 100 */
  readonly pageSize?: number | undefined;
  /**
   * Where reading begins. From `"end"` the nodes come in reverse: the last one of `order` first. The nodes within a
   * `Page` keep the server's order. @default "start"
   */
  readonly from?: "start" | "end" | undefined;
  /**
   * Continues behind this cursor: the `endCursor` of a page, or with `from: "end"` its `startCursor`.
   * @default the very start, or the very end
   */
  readonly cursor?: string | undefined;
  /** Whether the next page is requested while the current one is consumed. @default true */
  readonly prefetch?: boolean | undefined;
}

export type PagingOptions = Omit<ListOptions<never, never>, "where" | "order">;

export const PAGING_KEYS = {
  ...REQUEST_KEYS,
  limit: true,
  pageSize: true,
  from: true,
  cursor: true,
  prefetch: true,
} satisfies KeysOf<PagingOptions>;

export const LIST_KEYS = { ...PAGING_KEYS, where: true, order: true } satisfies KeysOf<
  ListOptions<unknown, unknown>
>;

const DEFAULT_PAGE_SIZE = 100;

export function readWalk(options: { readonly [Name in keyof PagingOptions]?: unknown }): WalkPlan {
  const { cursor, from = "start", limit = Number.POSITIVE_INFINITY, pageSize = DEFAULT_PAGE_SIZE } = options;
  checkSignal(options.signal);
  if (from !== "start" && from !== "end") throw invalidValue("from", '"start" or "end"');
  if (cursor !== undefined && (typeof cursor !== "string" || cursor === ""))
    throw invalidValue("cursor", "a string that is not empty");
  if (!isCount(pageSize) || pageSize < 1) throw invalidValue("pageSize", "a whole number, 1 or more");
  if (!isCount(limit) && limit !== Number.POSITIVE_INFINITY)
    throw invalidValue("limit", "a whole number, 0 or more");
  return {
    direction: from === "end" ? "backward" : "forward",
    pageSize,
    start: cursor,
    limit: Number(limit),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function invalidValue(path: string, expected: string): InvalidInputError {
  return new InvalidInputError(`${path} must be ${expected}.`, { issues: [{ path, expected }] });
}
