import { follow } from "../../core/abort.js";
import { annotate, TimeoutError } from "../../core/errors/index.js";
import { openTrace, type Trace } from "../../core/trace.js";
import { type FetchedPage, type Page, type PageRequest, PageWalk, type WalkPlan } from "./page-walk.js";

export interface ConnectionPlan<Node> extends WalkPlan {
  /** Name of the list for tracing, such as `licenses`. */
  readonly operation: string;
  readonly prefetch: boolean;
  readonly signal: AbortSignal | undefined;
  readonly fetchPage: (request: PageRequest, signal: AbortSignal | undefined) => Fetch<Node>;
}

type Fetch<Node> = Promise<FetchedPage<Node>>;

/** A consumer that is faster than this may finish a page before the next request reaches the socket. */
const SLOW_MS = 1;

/** Keeps the real `setImmediate`, because a test's fake one might never fire. */
const setImmediate = globalThis.setImmediate;

/**
 * Walks the pages of a connection.
 *
 * - If `next()` rejects, the iterator stays where it was, and calling `next()` again requests the same page.
 * - With prefetch, one page is requested while the current one is consumed. If the prefetch fails, the `next()` for its
 *   page rejects. If the prefetch times out before anyone waits for it, it's sent again.
 * - `return()` aborts running requests, so none outlives its iterator.
 */
export class PageIterator<Node> implements AsyncIterableIterator<Page<Node>, undefined, undefined> {
  readonly #plan: ConnectionPlan<Node>;
  readonly #walk: PageWalk;
  readonly #queue = new SerialQueue();
  /** Shared by all pages, because creating a controller isn't cheap. */
  readonly #abort = new AbortController();
  #trace: Trace | undefined;
  #pages = 0;
  #running: Fetch<Node> | undefined;
  /** The prefetched page, while nobody is waiting for it. */
  #ahead: Fetch<Node> | undefined;
  #returned = false;
  /** The time at which the latest page was returned. */
  #handedOutAt = Number.NEGATIVE_INFINITY;

  constructor(plan: ConnectionPlan<Node>) {
    this.#plan = plan;
    this.#walk = new PageWalk(plan);
  }

  next(): Promise<IteratorResult<Page<Node>, undefined>> {
    return this.#queue.run(() => this.#step());
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#returned = true;
    this.#abort.abort(new Error("The iteration was stopped early."));
    await this.#running?.catch(() => {});
    return this.#done();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<Page<Node>, undefined>> {
    const { prefetch, signal } = this.#plan;
    const isSlow = performance.now() - this.#handedOutAt >= SLOW_MS;
    signal?.throwIfAborted();
    const request = this.#walk.next;
    if (this.#returned || request === undefined) return this.#done();
    const fetch = this.#ahead ?? this.#fetch(request);
    this.#ahead = undefined;
    let page: Page<Node>;
    try {
      page = this.#walk.accept(await fetch);
    } catch (error) {
      if (this.#returned) return this.#done();
      if (signal?.aborted !== true) annotate(error, { position: this.#walk.position });
      this.#trace?.failed(error);
      // The following next() continues from here.
      this.#trace = undefined;
      throw error;
    }
    this.#pages += 1;
    const next = prefetch && !this.#returned ? this.#walk.next : undefined;
    if (next !== undefined) {
      this.#prefetch(next);
      if (isSlow) await yieldToEventLoop();
    }
    this.#handedOutAt = performance.now();
    return { done: false, value: page };
  }

  #done(): IteratorReturnResult<undefined> {
    this.#trace?.ended({ pages: this.#pages, nodes: this.#walk.position.nodesYielded });
    return { done: true, value: undefined };
  }

  #prefetch(request: PageRequest): void {
    const fetch = this.#fetch(request);
    this.#ahead = fetch;
    fetch.catch((error: unknown) => {
      if (this.#ahead === fetch && error instanceof TimeoutError) this.#ahead = undefined;
    });
  }

  #fetch(request: PageRequest): Fetch<Node> {
    const { fetchPage, operation, signal } = this.#plan;
    this.#trace ??= openTrace("graphql.walk", () => ({ operation }));
    // Linked only during the request, so that an abandoned iterator leaves no listener on the caller's signal.
    const unlink = signal === undefined ? () => {} : follow(signal, this.#abort);
    const send = () => fetchPage(request, this.#abort.signal).finally(unlink);
    const fetch = this.#trace === undefined ? send() : this.#trace.run(send);
    this.#running = fetch;
    return fetch;
  }
}

/** Runs steps one at a time, in the order of the calls. */
export class SerialQueue {
  #last: Promise<void> | undefined;

  get idle(): boolean {
    return this.#last === undefined;
  }

  run<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last === undefined ? step() : this.#last.then(step);
    const ended = () => {
      if (this.#last === last) this.#last = undefined;
    };
    const last = result.then(ended, ended);
    this.#last = last;
    return result;
  }
}

/**
 * Lets a request reach its socket before a consumer that never awaits blocks the thread. Waits for two turns of the
 * event loop, because Node's fetch needs the first one before it reuses a connection.
 */
async function yieldToEventLoop(): Promise<void> {
  for (let turn = 0; turn < 2; turn++)
    await new Promise<void>((resolve) => (setImmediate ?? setTimeout)(() => resolve()));
}
