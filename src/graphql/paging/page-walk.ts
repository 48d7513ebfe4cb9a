import { PaginationError, type WalkPosition } from "../../core/errors/index.js";

/** Where a page lies in its connection (service description, "GraphQL object shapes"). */
export interface PageInfo {
  /** Whether nodes follow the page's last node. */
  readonly hasNextPage: boolean;
  /** Cursor to continue from; null if the server sent more nodes than requested and `limit` cut the page. */
  readonly endCursor: string | null;
  /** Whether nodes precede the page's first node. */
  readonly hasPreviousPage: boolean;
  /** Cursor to continue from with `from: "end"`; null if `limit` cut the page. */
  readonly startCursor: string | null;
}

/** One page of a connection. */
export interface Page<Node> {
  /** The nodes in the server's order, even with `from: "end"`. */
  readonly nodes: readonly Node[];
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
  /** Number of nodes on all pages; undefined if your own document doesn't select `totalCount`. */
  readonly totalCount: number | undefined;
  /** The server's own id of the request that read the page, if it sent one. */
  readonly requestId: string | undefined;
}

/** A connection in a response: `nodes`, and the part of `pageInfo` that the direction of paging needs. */
export interface ConnectionData<Node> {
  readonly nodes: readonly Node[] | null | undefined;
  /** Forward: `hasNextPage` and `endCursor`. Backward: `hasPreviousPage` and `startCursor`. */
  readonly pageInfo: Partial<PageInfo>;
  readonly totalCount?: number | null | undefined;
}

/** A connection, and the id of the request that read it. */
export interface FetchedPage<Node> {
  readonly connection: ConnectionData<Node> | null | undefined;
  readonly requestId: string | undefined;
}

/** Pages are read from the start with `first` and `after`, or from the end with `last` and `before`. */
export type Direction = "forward" | "backward";

export interface PageRequest {
  /** Maximum number of nodes; may be infinite. */
  readonly size: number;
  /** `after` or `before`; undefined for the first page. */
  readonly cursor: string | undefined;
}

/** A walk's start, its direction and its limit. */
export interface WalkPlan {
  readonly direction: Direction;
  /** Infinity stands for the client's own page size. */
  readonly pageSize: number;
  /** Cursor to start from; undefined for the very start or the very end. */
  readonly start: string | undefined;
  readonly limit: number;
}

/** Maximum number of consecutive empty pages: filters may leave some empty, but more suggest an endless walk. */
const MAX_EMPTY_PAGES = 100;

const FIELDS = {
  forward: { more: "hasNextPage", cursor: "endCursor" },
  backward: { more: "hasPreviousPage", cursor: "startCursor" },
} as const;

/**
 * The state of a walk over the pages of a connection. Decides which page is next, and whether the page that arrived is
 * valid.
 *
 * - Only an accepted page advances the walk; a failed or refused one can be requested again.
 * - The walk remembers every cursor, so a cycle of any length is found at the first repetition.
 */
export class PageWalk {
  readonly #plan: WalkPlan;
  readonly #cursors = new Set<string>();
  #cursor: string | undefined;
  #remaining: number;
  #nodesYielded = 0;
  #emptyPages = 0;
  #ended = false;

  constructor(plan: WalkPlan) {
    this.#plan = plan;
    this.#remaining = plan.limit;
    this.#cursor = plan.start;
    if (plan.start !== undefined) this.#cursors.add(plan.start);
  }

  /** The page to request; undefined if the walk has ended. */
  get next(): PageRequest | undefined {
    if (this.#ended || this.#remaining <= 0) return undefined;
    return { size: Math.min(this.#plan.pageSize, this.#remaining), cursor: this.#cursor };
  }

  /** Continuing from this position neither repeats nor skips a node. */
  get position(): WalkPosition {
    return { cursor: this.#cursor, nodesYielded: this.#nodesYielded };
  }

  /**
   * Takes the requested page and advances.
   * @throws {PaginationError} `fetched` isn't a page, or the walk can't continue from it; the page's nodes aren't
   *   yielded
   */
  accept<Node>(fetched: FetchedPage<Node>): Page<Node> {
    const page = this.#read(fetched);
    const nodes = this.#withinLimit(page.nodes);
    const { more, cursor: cursorField } = FIELDS[this.#plan.direction];
    const continues = page.pageInfo[more] && nodes.length < this.#remaining;
    if (continues) this.#moveTo(page.pageInfo[cursorField], nodes.length === 0);
    else this.#ended = true;
    this.#remaining -= nodes.length;
    this.#nodesYielded += nodes.length;
    if (nodes.length === page.nodes.length) return page;
    // There is no cursor at the cut, and continuing after the page's last node would skip nodes.
    return { ...page, nodes, pageInfo: { ...page.pageInfo, [more]: true, [cursorField]: null } };
  }

  #read<Node>({ connection, requestId }: FetchedPage<Node>): Page<Node> {
    const { more, cursor } = FIELDS[this.#plan.direction];
    const { nodes, pageInfo, totalCount } = connection ?? {};
    if (nodes === undefined || !Array.isArray(nodes ?? []) || typeof pageInfo?.[more] !== "boolean")
      throw this.#error(
        `The response has no page. The document must select nodes and pageInfo { ${more} ${cursor} }, and select must return the connection.`,
      );
    return {
      nodes: nodes ?? [],
      pageInfo: {
        hasNextPage: pageInfo.hasNextPage ?? false,
        endCursor: pageInfo.endCursor ?? null,
        hasPreviousPage: pageInfo.hasPreviousPage ?? false,
        startCursor: pageInfo.startCursor ?? null,
      },
      totalCount: readCount(totalCount),
      requestId,
    };
  }

  /** Keeps the nodes nearest to the walk's start. */
  #withinLimit<Node>(nodes: readonly Node[]): readonly Node[] {
    if (nodes.length <= this.#remaining) return nodes;
    return this.#plan.direction === "forward"
      ? nodes.slice(0, this.#remaining)
      : nodes.slice(nodes.length - this.#remaining);
  }

  #moveTo(cursor: string | null, empty: boolean): void {
    const { more, cursor: field } = FIELDS[this.#plan.direction];
    if (typeof cursor !== "string" || cursor === "")
      throw this.#error(`The page has ${more} but no ${field}, so the next page can't be requested.`);
    if (this.#cursors.has(cursor))
      throw this.#error(`The page repeats an earlier ${field}, so paging would never end.`);
    const emptyPages = empty ? this.#emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES)
      throw this.#error(`More than ${MAX_EMPTY_PAGES} pages in a row were empty, and ${more} is still true.`);
    this.#emptyPages = emptyPages;
    this.#cursors.add(cursor);
    this.#cursor = cursor;
  }

  #error(message: string): PaginationError {
    return new PaginationError(`${message} Continue from the error's position.`, this.position);
  }
}

/** Returns a valid count; undefined for anything else, including numbers too large to be exact. */
export function readCount(count: unknown): number | undefined {
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
