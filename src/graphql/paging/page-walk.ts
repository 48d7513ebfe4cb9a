import { PaginationError, type WalkPosition } from "../../core/errors/index.js";
import type { ConnectionData, Direction, Page, PageRequest } from "./page.js";

/** Where a walk begins, in which direction it goes, and where it ends at the latest. */
export interface WalkPlan {
  readonly direction: Direction;
  /** Nodes per page. */
  readonly pageSize: number;
  /** Cursor to begin at; undefined for the very start, or the very end. */
  readonly start: string | undefined;
  /** Most nodes to hand out. */
  readonly limit: number;
}

/** Empty pages in a row that are followed: filters on a server may leave some, but this many is a server that turns. */
const MAX_EMPTY_PAGES = 100;

const FIELDS = {
  forward: { more: "hasNextPage", cursor: "endCursor" },
  backward: { more: "hasPreviousPage", cursor: "startCursor" },
} as const;

/**
 * A walk over the pages of a connection: which page comes next, and whether the one that came is sound.
 *
 * - A page moves the walk on only when it is accepted. One that failed, or was refused here, can be asked for again.
 * - Every cursor is remembered, so that a circle of any length is found at its first repetition.
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

  /** The page to ask for; undefined where the walk is over. */
  get next(): PageRequest | undefined {
    if (this.#ended || this.#left <= 0) return undefined;
    return { size: Math.min(this.#plan.pageSize, this.#left), cursor: this.#cursor };
  }

  /** How far the walk came: going on from here repeats nothing and loses nothing. */
  get position(): WalkPosition {
    return { cursor: this.#cursor, nodesYielded: this.#nodesYielded };
  }

  /**
   * Takes the page that was asked for and moves on.
   * @throws {PaginationError} the page is none, or the walk cannot go on from it; its nodes are not handed out
   */
  accept<Node>(connection: ConnectionData<Node> | null | undefined): Page<Node> {
    const page = this.#read(connection);
    const nodes = this.#withinLimit(page.nodes);
    const { more, cursor: cursorField } = FIELDS[this.#plan.direction];
    const goesOn = page.pageInfo[more] && nodes.length < this.#left;
    if (goesOn) this.#moveTo(page.pageInfo[cursorField], nodes.length === 0);
    else this.#ended = true;
    this.#left -= nodes.length;
    this.#nodesYielded += nodes.length;
    if (nodes.length === page.nodes.length) return page;
    // No cursor of the server's lies where the page was cut: to go on after its last node would leave some out.
    return { ...page, nodes, pageInfo: { ...page.pageInfo, [more]: true, [cursorField]: null } };
  }

  #read<Node>(connection: ConnectionData<Node> | null | undefined): Page<Node> {
    const { more, cursor } = FIELDS[this.#plan.direction];
    const { nodes, pageInfo, totalCount } = connection ?? {};
    if (nodes === undefined || !isList(nodes) || typeof pageInfo?.[more] !== "boolean") {
      throw this.#error(
        `The response has no page. The document must select nodes and pageInfo { ${more} ${cursor} }, and select must return the connection.`,
      );
    }
    return {
      nodes: nodes ?? [],
      pageInfo: {
        hasNextPage: pageInfo.hasNextPage ?? false,
        endCursor: pageInfo.endCursor ?? null,
        hasPreviousPage: pageInfo.hasPreviousPage ?? false,
        startCursor: pageInfo.startCursor ?? null,
      },
      totalCount: readCount(totalCount),
    };
  }

  /** The nodes that may still be handed out: those nearest to where the walk comes from. */
  #withinLimit<Node>(nodes: readonly Node[]): readonly Node[] {
    if (nodes.length <= this.#left) return nodes;
    return this.#plan.direction === "forward"
      ? nodes.slice(0, this.#left)
      : nodes.slice(nodes.length - this.#left);
  }

  #moveTo(cursor: string | null, empty: boolean): void {
    const { more, cursor: field } = FIELDS[this.#plan.direction];
    if (typeof cursor !== "string" || cursor === "") {
      throw this.#error(`The page says ${more} but has no ${field}, so it is not known where to go on.`);
    }
    if (this.#seen.has(cursor)) {
      throw this.#error(`The page's ${field} was met before: going on would repeat pages for ever.`);
    }
    const emptyPages = empty ? this.#emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES) {
      throw this.#error(`More than ${MAX_EMPTY_PAGES} pages in a row were empty, and still ${more} is true.`);
    }
    this.#emptyPages = emptyPages;
    this.#seen.add(cursor);
    this.#cursor = cursor;
  }

  #error(message: string): PaginationError {
    return new PaginationError(`${message} The error's position tells where to go on.`, this.position);
  }
}

/** A number of nodes; undefined for what is none, such as a number too large to be exact. */
export function readCount(count: unknown): number | undefined {
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The types say so already; the server may not. */
function isList(nodes: unknown): boolean {
  return nodes === null || Array.isArray(nodes);
}
