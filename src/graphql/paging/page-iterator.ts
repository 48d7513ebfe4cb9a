import { follow } from "../../core/abort.js";
import { noteCallSite, withWalkSite } from "../../core/call-site.js";
import { annotate, TimeoutError } from "../../core/errors/index.js";
import { turnLoop } from "./event-loop.js";
import type { ConnectionData, Page, PageRequest } from "./page.js";
import { PageWalk, type WalkPlan } from "./page-walk.js";
import { Turns } from "./turns.js";

/** How a connection is walked. */
export interface ConnectionPlan<Node> extends WalkPlan {
  /** Whether the next page is asked for while the current one is consumed. */
  readonly prefetch: boolean;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** Asks for one page; resolves with the connection as the response holds it. */
  readonly fetchPage: (
    request: PageRequest,
    signal: AbortSignal | undefined,
  ) => Promise<ConnectionData<Node> | null | undefined>;
}

/** A page that was asked for. */
type Fetch<Node> = Promise<ConnectionData<Node> | null | undefined>;

/**
 * Walks the pages of a connection.
 *
 * - A `next()` that rejects leaves the iterator where it was: another `next()` asks for the same page again. The error
 *   tells where that is.
 * - With prefetch one page, never more, is on its way while the current one is consumed. One that fails is reported
 *   when its turn comes; one whose time ran out meanwhile is asked for once more, with a time of its own.
 * - `return()` aborts what is on its way: no request outlives its iterator.
 */
export class PageIterator<Node> implements AsyncIterableIterator<Page<Node>, undefined, undefined> {
  readonly #plan: ConnectionPlan<Node>;
  readonly #walk: PageWalk;
  readonly #turns = new Turns();
  /** Ends what is on its way when the iteration is left. One for all pages: making one is not cheap. */
  readonly #abort = new AbortController();
  readonly #begun = noteCallSite(PageIterator);
  #underWay: Fetch<Node> | undefined;
  #returned = false;

  constructor(plan: ConnectionPlan<Node>) {
    this.#plan = plan;
    this.#walk = new PageWalk(plan);
  }

  next(): Promise<IteratorResult<Page<Node>, undefined>> {
    return withWalkSite(this.#plan.signal, this.#begun, () => this.advance());
  }

  /** `next()` for what is built on this iterator. */
  advance(): Promise<IteratorResult<Page<Node>, undefined>> {
    return this.#turns.run(() => this.#step());
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#returned = true;
    const left = this.#underWay;
    this.#underWay = undefined;
    this.#abort.abort(new Error("The iteration was left."));
    await left?.catch(() => {});
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<Page<Node>, undefined>> {
    const { signal } = this.#plan;
    signal?.throwIfAborted();
    const request = this.#walk.next;
    if (this.#returned || request === undefined) return { done: true, value: undefined };
    let page: Page<Node>;
    try {
      page = this.#walk.accept(await this.#arrival(request));
    } catch (error) {
      // What was left while it was under way ends quietly: nobody waits for its failure.
      if (this.#returned) return { done: true, value: undefined };
      if (signal?.aborted !== true) annotate(error, { position: this.#walk.position });
      throw error;
    }
    const ahead = this.#plan.prefetch && !this.#returned ? this.#walk.next : undefined;
    if (ahead !== undefined) {
      this.#fetch(ahead);
      await turnLoop();
    }
    return { done: false, value: page };
  }

  /** The page that was asked for ahead, else one that is asked for now. */
  async #arrival(request: PageRequest): Fetch<Node> {
    const ahead = this.#underWay;
    const fetch = ahead === undefined || (await this.#lapsed(ahead)) ? this.#fetch(request) : ahead;
    try {
      return await fetch;
    } finally {
      if (this.#underWay === fetch) this.#underWay = undefined;
    }
  }

  /**
   * Whether the time of a page went by while the one before was consumed: nobody waited for it, and a consumer that
   * keeps the thread lets no answer be read. The timer that has run out meanwhile fires with the next turn of the loop.
   */
  async #lapsed(ahead: Fetch<Node>): Promise<boolean> {
    const failed = ahead.then(
      () => false,
      (error: unknown) => error instanceof TimeoutError,
    );
    const lapsed = await Promise.race([failed, turnLoop().then(() => false)]);
    return lapsed && !this.#returned && this.#plan.signal?.aborted !== true;
  }

  #fetch(request: PageRequest): Fetch<Node> {
    const { signal, fetchPage } = this.#plan;
    const page = fetchPage(request, this.#abort.signal);
    // Only while a page is on its way: an iterator that is forgotten half-way must not stay on the caller's signal.
    const fetch = signal === undefined ? page : page.finally(follow(signal, this.#abort));
    // A page that was asked for ahead may fail while nobody waits for it.
    fetch.catch(() => {});
    this.#underWay = fetch;
    return fetch;
  }
}
