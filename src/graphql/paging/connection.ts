import { withCallSite } from "../../core/call-site.js";
import { annotate, InvalidInputError } from "../../core/errors/index.js";
import type { KeysOf } from "../../core/validate.js";
import { readOptions } from "../../core/validate.js";
import { checkLimit } from "./arguments.js";
import { inWalkingOrder, NodeIterator } from "./node-iterator.js";
import type { Page } from "./page.js";
import { type ConnectionPlan, PageIterator } from "./page-iterator.js";
import { PageWalk, readCount } from "./page-walk.js";

/**
 * A collection of the API, read page by page (service description, "GraphQL API").
 *
 * - Lazy: nothing is requested before it is iterated or one of its methods is called.
 * - It never changes: each iteration begins at the start again.
 * - Forward it yields nodes from the start to the end, backward from the end toward the start.
 * - Rows that come or go while it is walked may or may not be met; rows that are there throughout are met once.
 *
 * @example
 * ```ts
 * for await (const app of client.applications({ where: { state: { eq: "DISCOVERED" } } })) console.log(app.id);
 * ```
 */
export class Connection<Node> implements AsyncIterable<Node, undefined, undefined> {
  readonly #plan: ConnectionPlan<Node>;

  /** @internal Made by the client's methods. */
  constructor(plan: ConnectionPlan<Node>) {
    this.#plan = plan;
  }

  /**
   * Every node, page after page.
   *
   * Where `next()` rejects, the iterator stays where it was, and another `next()` asks for the same page again. A
   * `for await` loop ends with the error, whose `position` tells where another walk can go on.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Node, undefined, undefined> {
    return new NodeIterator(this.#plan);
  }

  /**
   * Every page, empty ones too. What is said of the nodes' iterator goes for this one.
   * @throws {PaginationError} from `next()`, as every error of a request
   */
  pages(): AsyncIterableIterator<Page<Node>, undefined, undefined> {
    return new PageIterator(this.#plan);
  }

  /** The first page; paging backward, the last one. @throws every error of a request, such as {@link TransportError} */
  async firstPage(): Promise<Page<Node>> {
    const { fetchPage, pageSize, limit, start, signal } = this.#plan;
    const size = Math.max(1, Math.min(pageSize, limit));
    return withCallSite(signal, async () => {
      const connection = await fetchPage({ size, cursor: start }, signal);
      return new PageWalk(this.#plan).accept(connection);
    });
  }

  /**
   * All nodes, in the order in which they are iterated. Where a page fails there are none: the error's `position` is
   * where this walk began.
   * @throws {InvalidInputError} `limit` is no whole number of 0 or more; also every error of a request
   * @param options.limit Most nodes to read; where the connection has a limit too, the smaller holds
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<Node[]> {
    const own = readOptions("The options of toArray", options, TO_ARRAY_NAMES);
    const limit = Math.min(checkLimit(own.limit), this.#plan.limit);
    return withCallSite(this.#plan.signal, () => this.#collect(limit));
  }

  /**
   * Number of nodes over all pages, whatever the limit and the cursor. Asks for a page of one node.
   * @throws {InvalidInputError} the document does not select `totalCount`
   */
  async totalCount(): Promise<number> {
    const { fetchPage, signal } = this.#plan;
    return withCallSite(signal, async () => {
      const connection = await fetchPage({ size: 1, cursor: undefined }, signal);
      const count = readCount(connection?.totalCount);
      if (count !== undefined) return count;
      throw new InvalidInputError("The response has no totalCount: the document must select it.");
    });
  }

  async #collect(limit: number): Promise<Node[]> {
    const { direction, signal, start } = this.#plan;
    // Nothing is done between two pages, so there is nothing to do meanwhile.
    const pages = new PageIterator({ ...this.#plan, limit, prefetch: false });
    const nodes: Node[] = [];
    try {
      for (let page = await pages.advance(); page.done !== true; page = await pages.advance()) {
        for (const node of inWalkingOrder(page.value.nodes, direction)) nodes.push(node);
      }
    } catch (error) {
      // The nodes of the pages before are lost with it: going on after them would leave them out.
      if (signal?.aborted !== true) annotate(error, { position: { cursor: start, nodesYielded: 0 } });
      throw error;
    }
    return nodes;
  }
}

type ToArrayOptions = NonNullable<Parameters<Connection<unknown>["toArray"]>[0]>;

const TO_ARRAY_NAMES = { limit: true } satisfies KeysOf<ToArrayOptions>;
