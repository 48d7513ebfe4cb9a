import { PaginationError, type WalkPosition } from "../../core/errors/index.js";

/** Where a page lies in its connection (service description, "GraphQL object shapes"). */
export interface PageInfo {
  /** Whether nodes follow the page's last one. */
  readonly hasNextPage: boolean;
  /** Cursor to continue from; null if a `limit` cut the page, which the server sent larger than requested. */
  readonly endCursor: string | null;
  /** Whether nodes precede the page's first one. */
  readonly hasPreviousPage: boolean;
  /** Cursor to continue from with `from: "end"`; null if a `limit` cut the page. */
  readonly startCursor: string | null;
}

/** One page of a connection. */
export interface Page<Node> {
  /** The nodes in the server's order, also with `from: "end"`. */
  readonly nodes: readonly Node[];
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
  /** Number of nodes over all pages; undefined if a document of your own does not select it. */
  readonly totalCount: number | undefined;
  /** The server's own id of the request that read the page, if it sent one. */
  readonly requestId: string | undefined;
}

/** A connection as a response contains it: `nodes`, and of `pageInfo` what the direction of paging needs. */
export interface ConnectionData<Node> {
  readonly nodes: readonly Node[] | null | undefined;
  /** Forward `hasNextPage` and `endCursor`, backward `hasPreviousPage` and `startCursor`. */
  readonly pageInfo: Partial<PageInfo>;
  readonly totalCount?: number | null | undefined;
}

/** A connection, and the id of the request that read it. */
export interface FetchedPage<Node> {
  readonly connection: ConnectionData<Node> | null | undefined;
  readonly requestId: string | undefined;
}

/** From the start with `first` and `after`, or from the end with `last` and `before`. */
export type Direction = "forward" | "backward";

export interface PageRequest {
  /** At most; it may be infinite. */
  readonly size: number;
  /** `after` or `before`; undefined for the first page. */
  readonly cursor: string | undefined;
}

/** Where a walk starts, its direction, and where it ends at the latest. */
export interface WalkPlan {
  readonly direction: Direction;
  /** Infinity for pages as large as the client's. */
  readonly pageSize: number;
  /** Cursor to start from; undefined for the very start, or the very end. */
  readonly start: string | undefined;
  readonly limit: number;
}

/** Filters on a server may leave some pages empty; a server that sends more in a row does not make progress. */
const MAX_EMPTY_PAGES = 100;

const FIELDS = {
  forward: { more: "hasNextPage", cursor: "endCursor" },
  backward: { more: "hasPreviousPage", cursor: "startCursor" },
} as const;

/**
 * The state of a walk over the pages of a connection: which page is next, and whether the one that arrived is sound.
 *
 * - Only a page that is accepted moves the walk on; one that failed or was refused can be requested again.
 * - Every cursor is remembered, so that a cycle of any length is found at its first repetition.
 */
export class PageWalk {
  readonly #plan: WalkPlan;
  readonly #seen = new Set<string>();
  #cursor: string | undefined;
  #left: number;
  #nodesYielded = 0;
  #emptyPages = 0;
  #ended = false;

  constructor(plan: WalkPlan) {
    this.#plan = plan;
    this.#left = plan.limit;
    this.#cursor = plan.start;
    if (plan.start !== undefined) this.#seen.add(plan.start);
  }

  /** The page to request; undefined if the walk has ended. */
  get next(): PageRequest | undefined {
    if (this.#ended || this.#left <= 0) return undefined;
    return { size: Math.min(this.#plan.pageSize, this.#left), cursor: this.#cursor };
  }

  /** Continuing from here repeats no node and loses none. */
  get position(): WalkPosition {
    return { cursor: this.#cursor, nodesYielded: this.#nodesYielded };
  }

  /**
   * Takes the page that was requested and moves on.
   * @throws {PaginationError} it is not a page, or the walk cannot continue from it; its nodes are not yielded
   */
  accept<Node>(fetched: FetchedPage<Node>): Page<Node> {
    const page = this.#read(fetched);
    const nodes = this.#withinLimit(page.nodes);
    const { more, cursor: cursorField } = FIELDS[this.#plan.direction];
    const continues = page.pageInfo[more] && nodes.length < this.#left;
    if (continues) this.#moveTo(page.pageInfo[cursorField], nodes.length === 0);
    else this.#ended = true;
    this.#left -= nodes.length;
    this.#nodesYielded += nodes.length;
    if (nodes.length === page.nodes.length) return page;
    // The server has no cursor at the cut: continuing after the page's last node would skip some.
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

  /** The nodes nearest to where the walk comes from. */
  #withinLimit<Node>(nodes: readonly Node[]): readonly Node[] {
    if (nodes.length <= this.#left) return nodes;
    return this.#plan.direction === "forward"
      ? nodes.slice(0, this.#left)
      : nodes.slice(nodes.length - this.#left);
  }

  #moveTo(cursor: string | null, empty: boolean): void {
    const { more, cursor: field } = FIELDS[this.#plan.direction];
    if (typeof cursor !== "string" || cursor === "")
      throw this.#error(`The page has ${more} but no ${field}, so the next page is not known.`);
    if (this.#seen.has(cursor))
      throw this.#error(`The page repeats an earlier ${field}: the walk would never end.`);
    const emptyPages = empty ? this.#emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES)
      throw this.#error(`More than ${MAX_EMPTY_PAGES} pages in a row were empty, and ${more} is still true.`);
    this.#emptyPages = emptyPages;
    this.#seen.add(cursor);
    this.#cursor = cursor;
  }

  #error(message: string): PaginationError {
    return new PaginationError(`${message} Continue from the error's position.`, this.position);
  }
}

/** Returns a number of nodes, or undefined if it is not one, such as a number too large to be exact. */
export function readCount(count: unknown): number | undefined {
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
