import { noteCallSite, withWalkSite } from "../../core/call-site.js";
import type { Direction } from "./page.js";
import { type ConnectionPlan, PageIterator } from "./page-iterator.js";
import { Turns } from "./turns.js";

/**
 * Walks the nodes of a connection, page after page; backward from the end toward the start. As with the pages, a
 * `next()` that rejects can be followed by another.
 */
export class NodeIterator<Node> implements AsyncIterableIterator<Node, undefined, undefined> {
  readonly #pages: PageIterator<Node>;
  readonly #direction: Direction;
  readonly #signal: AbortSignal | undefined;
  readonly #turns = new Turns();
  readonly #begun = noteCallSite(NodeIterator);
  #nodes: Iterator<Node, undefined> = none();
  #returned = false;

  constructor(plan: ConnectionPlan<Node>) {
    this.#pages = new PageIterator(plan);
    this.#direction = plan.direction;
    this.#signal = plan.signal;
  }

  next(): Promise<IteratorResult<Node, undefined>> {
    // Most nodes are here already and need no turn of their own.
    if (this.#turns.idle && this.#signal?.aborted !== true) {
      const node = this.#nodes.next();
      if (node.done !== true) return Promise.resolve(node);
    }
    return withWalkSite(this.#signal, this.#begun, () => this.#turns.run(() => this.#step()));
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#returned = true;
    this.#nodes = none();
    return this.#pages.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<Node, undefined>> {
    for (;;) {
      this.#signal?.throwIfAborted();
      const node = this.#nodes.next();
      if (node.done !== true) return node;
      const page = await this.#pages.advance();
      if (page.done === true) return page;
      // Left while the page was on its last way here.
      if (this.#returned) return { done: true, value: undefined };
      this.#nodes = inWalkingOrder(page.value.nodes, this.#direction)[Symbol.iterator]();
    }
  }
}

/** A page's nodes in the order in which a walk meets them. */
export function inWalkingOrder<Node>(nodes: readonly Node[], direction: Direction): readonly Node[] {
  return direction === "forward" ? nodes : [...nodes].reverse();
}

function none(): Iterator<never, undefined> {
  return [][Symbol.iterator]();
}
