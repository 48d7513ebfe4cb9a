import { annotate, InvalidInputError } from "../../core/errors/index.js";
import { withCallSite } from "../../core/operation.js";
import { type ConnectionPlan, PageIterator, SerialQueue } from "./page-iterator.js";
import { type Direction, type Page, PageWalk, readCount } from "./page-walk.js";

/**
 * A collection of the API, read page by page (service description, "GraphQL API").
 *
 * - Lazy: nothing is requested until you iterate the connection or call one of its methods.
 * - Immutable: each iteration starts over.
 * - With `from: "end"`, iteration yields nodes from the end to the start.
 * - Rows that are added or removed while you iterate may or may not show up; all others show up exactly once.
 * - If `next()` rejects, the iterator stays where it was, so calling `next()` again requests the same page. A `for
 *   await` loop ends with the error.
 *
 * @example
 * ```ts
 * const where = { state: { eq: "DISCOVERED" } } as const;
 * for await (const app of client.applications({ where })) console.log(app.id);
 * ```
 */
export interface Connection<Node> extends AsyncIterable<Node> {
  /**
   * The first page, or the last one with `from: "end"`.
   * @throws any error of a request, such as {@link TransportError}
   */
  firstPage(): Promise<Page<Node>>;
  /**
   * Every page, including empty ones.
   * @throws {PaginationError} from `next()`, which also throws any error of a request
   */
  pages(): AsyncIterable<Page<Node>>;
  /**
   * All nodes up to `limit`, in iteration order. If one page fails, the promise rejects and you get no nodes.
   * @throws any error of a request, such as {@link TransportError}
   */
  toArray(): Promise<Node[]>;
  /**
   * Number of nodes on all pages, ignoring `limit` and `cursor`. Requests a page of one node.
   * @throws {InvalidInputError} the document doesn't select `totalCount`
   */
  totalCount(): Promise<number>;
}

export class PagedConnection<Node> implements Connection<Node> {
  readonly #plan: ConnectionPlan<Node>;

  constructor(plan: ConnectionPlan<Node>) {
    this.#plan = plan;
  }

  [Symbol.asyncIterator](): AsyncIterator<Node, undefined> {
    return new NodeIterator(this.#plan);
  }

  pages(): AsyncIterable<Page<Node>> {
    return { [Symbol.asyncIterator]: () => new PageIterator(this.#plan) };
  }

  async firstPage(): Promise<Page<Node>> {
    const { fetchPage, pageSize, limit, start, signal } = this.#plan;
    const size = Math.max(1, Math.min(pageSize, limit));
    return withCallSite(signal, async () =>
      new PageWalk(this.#plan).accept(await fetchPage({ size, cursor: start }, signal)),
    );
  }

  async toArray(...further: readonly unknown[]): Promise<Node[]> {
    if (further.length > 0)
      throw new InvalidInputError(
        "toArray takes no options: pass limit with the connection's other options.",
      );
    return withCallSite(this.#plan.signal, () => this.#collect());
  }

  async totalCount(): Promise<number> {
    const { fetchPage, signal } = this.#plan;
    return withCallSite(signal, async () => {
      const { connection } = await fetchPage({ size: 1, cursor: undefined }, signal);
      const count = readCount(connection?.totalCount);
      if (count !== undefined) return count;
      throw new InvalidInputError("The response has no totalCount. Select it in the document.");
    });
  }

  async #collect(): Promise<Node[]> {
    const { direction, signal, start } = this.#plan;
    const nodes: Node[] = [];
    try {
      // Nothing is consumed between two pages, so prefetching wouldn't help.
      for await (const page of new PageIterator({ ...this.#plan, prefetch: false }))
        for (const node of inWalkOrder(page.nodes, direction)) nodes.push(node);
    } catch (error) {
      // The nodes of earlier pages are lost, so continuing from here would skip them.
      if (signal?.aborted !== true) annotate(error, { position: { cursor: start, nodesYielded: 0 } });
      throw error;
    }
    return nodes;
  }
}

/** Iterates the nodes of a connection, from the end to the start if its direction is `backward`. */
class NodeIterator<Node> implements AsyncIterator<Node, undefined> {
  readonly #plan: ConnectionPlan<Node>;
  readonly #pages: PageIterator<Node>;
  readonly #queue = new SerialQueue();
  #nodes: Iterator<Node, undefined> = [][Symbol.iterator]();
  #returned = false;

  constructor(plan: ConnectionPlan<Node>) {
    this.#plan = plan;
    this.#pages = new PageIterator(plan);
  }

  next(): Promise<IteratorResult<Node, undefined>> {
    // Most nodes are already here and need no asynchronous step.
    if (this.#queue.idle && this.#plan.signal?.aborted !== true && !this.#returned) {
      const node = this.#nodes.next();
      if (node.done !== true) return Promise.resolve(node);
    }
    return this.#queue.run(() => this.#step());
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#returned = true;
    return this.#pages.return();
  }

  async #step(): Promise<IteratorResult<Node, undefined>> {
    for (;;) {
      this.#plan.signal?.throwIfAborted();
      if (this.#returned) return { done: true, value: undefined };
      const node = this.#nodes.next();
      if (node.done !== true) return node;
      const page = await this.#pages.next();
      if (page.done === true) return page;
      this.#nodes = inWalkOrder(page.value.nodes, this.#plan.direction)[Symbol.iterator]();
    }
  }
}

function inWalkOrder<Node>(nodes: readonly Node[], direction: Direction): readonly Node[] {
  return direction === "forward" ? nodes : [...nodes].reverse();
}
