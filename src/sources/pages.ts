import { checkSignal, linkAbort, raceAbort } from "../core/abort.js";
import { InvalidInputError } from "../core/errors/index.js";
import type { LocatedRecords } from "../core/record-location.js";
import { type KeysOf, readOptions } from "../core/validate.js";
import { type MutableFigures, RecordBlock, type SourceFigures } from "./located-records.js";
import {
  type CheckedPage,
  checkPage,
  isCount,
  type PageLimits,
  PageProof,
  type SourcePage,
} from "./page-proof.js";

/** The second argument of `fetchPage`. */
export interface PageRequest {
  /** Fires when the page is no longer needed; pass it to the request. */
  readonly signal: AbortSignal;
  /** Number of the page, from 1. */
  readonly page: number;
}

/** Fetches a page. The cursor is the `next` of the page before; undefined for the first. */
export type FetchPage<Item> = (cursor: string | undefined, request: PageRequest) => Promise<SourcePage<Item>>;

/** Where an item stands; the second argument of `map`. */
export interface ItemPlace {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Number of the item within the page, from 1. */
  readonly item: number;
  /** The location as errors name it, such as `page 3, item 17`. */
  readonly location: string;
}

/** What the latest iteration of `fromPages` has read. */
export interface PagesFigures extends SourceFigures {
  /** Pages that were read. */
  readonly pages: number;
}

/** Options of `fromPages`. */
export interface PagesOptions {
  /** Number of items in the listing, if the vendor tells it elsewhere than in `total`. @default not checked */
  readonly expectedCount?: number | undefined;
  /** Most pages; a longer listing is an error. @default 100000 */
  readonly maxPages?: number | undefined;
  /** Most empty pages in succession that have a next page. @default 100 */
  readonly maxEmptyPages?: number | undefined;
  /** Whether two pages may have the same items, such as events without ids. @default false */
  readonly allowRepeatedPages?: boolean | undefined;
  /**
   * Whether to fetch the next page while this one is consumed. A write consumes a page far faster than a vendor answers,
   * so this helps slow consumers only. @default false
   */
  readonly prefetch?: boolean | undefined;
  /** Ends the iteration, which then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

type MapItem<Item, R> = (item: Item, place: ItemPlace) => R | undefined;

const PAGES_KEYS = {
  expectedCount: true,
  maxPages: true,
  maxEmptyPages: true,
  allowRepeatedPages: true,
  prefetch: true,
  signal: true,
  map: true,
} satisfies KeysOf<PagesOptions & { readonly map: unknown }>;

/**
 * The records of a vendor's paged listing, read to a proven end.
 *
 * - `map` makes a record of each item, or returns undefined to leave it out; `figures` counts those. Without `map` the
 *   items are the records.
 * - The iteration throws an `InvalidInputError` that names the page for: a repeated token, a page with the same items as
 *   an earlier one, more pages than `maxPages`, a page without an `items` array (such as an error answered with HTTP
 *   200), and a number of items that differs from the vendor's total. An empty page with a next page is followed, up to
 *   `maxEmptyPages` in succession.
 * - Errors that `fetchPage` and `map` throw are rethrown unchanged.
 * - An error of a write about a record names its location, such as `page 3, item 17`.
 * @throws {InvalidInputError} an option is invalid
 * @example
 * ```ts
 * const users = fromPages(async (cursor, { signal }) => {
 *   const { users, nextCursor, total } = await vendor.listUsers({ cursor, signal });
 *   return { items: users, next: nextCursor, total };
 * }, { map: (user) => ({ generic: { id: user.id, email: user.email } }) });
 * await batch.write("accounts", users);
 * ```
 */
export function fromPages<Item, R>(
  fetchPage: FetchPage<Item>,
  options: PagesOptions & { readonly map: (item: Item, place: ItemPlace) => R | undefined },
): PageRecords<Item, R>;
/** Without `map`: the items are the records. @throws {InvalidInputError} an option is invalid */
export function fromPages<R>(fetchPage: FetchPage<R>, options?: PagesOptions): PageRecords<R, R>;
export function fromPages<Item>(
  fetchPage: FetchPage<Item>,
  options: PagesOptions & { readonly map?: MapItem<Item, unknown> } = {},
): PageRecords<Item, unknown> {
  const {
    map = (item: Item) => item,
    maxPages = 100_000,
    maxEmptyPages = 100,
    expectedCount,
    allowRepeatedPages = false,
    prefetch = false,
    signal,
  } = readOptions("fromPages", options, PAGES_KEYS);
  checkSignal(signal);
  if (typeof fetchPage !== "function") throw new InvalidInputError("fetchPage must be a function.");
  if (typeof map !== "function")
    throw new InvalidInputError("map must be a function that turns an item into a record.");
  if (!isCount(maxPages) || maxPages === 0) {
    throw new InvalidInputError("maxPages must be a positive integer.");
  }
  for (const [name, count] of Object.entries({ maxEmptyPages, expectedCount })) {
    if (count === undefined || isCount(count)) continue;
    throw new InvalidInputError(`${name} must be an integer of at least 0.`);
  }
  const limits = { maxPages, maxEmptyPages, expectedCount, allowRepeatedPages };
  return new PageRecords({ fetchPage, map, limits, prefetch, signal });
}

interface PagePlan<Item, R> {
  readonly fetchPage: FetchPage<Item>;
  readonly map: MapItem<Item, R>;
  readonly limits: PageLimits;
  readonly prefetch: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * The records of a vendor's paged listing, one array per page. It can be iterated again, each time from the first page,
 * as the restart of a run needs.
 */
export class PageRecords<Item, R> implements AsyncIterable<LocatedRecords<R>> {
  readonly #plan: PagePlan<Item, R>;
  #figures: PagesFigures = { pages: 0, read: 0, skipped: 0 };

  /** @internal */
  constructor(plan: PagePlan<Item, R>) {
    this.#plan = plan;
  }

  /** What the latest iteration has read so far. */
  get stats(): PagesFigures {
    return { ...this.#figures };
  }

  /** Starts from the first page. */
  [Symbol.asyncIterator](): AsyncIterator<LocatedRecords<R>, void, undefined> {
    const { controller, unlink } = linkAbort(this.#plan.signal);
    const figures = { pages: 0, read: 0, skipped: 0 };
    this.#figures = figures;
    const end = () => {
      unlink();
      controller.abort();
    };
    const records = walk(this.#plan, controller.signal, figures, end);
    return {
      next: () => records.next(),
      return: () => {
        // First, because a generator returns only when the page that it waits for has arrived.
        end();
        return records.return();
      },
    };
  }
}

async function* walk<Item, R>(
  { fetchPage, map, limits, prefetch }: PagePlan<Item, R>,
  signal: AbortSignal,
  figures: MutableFigures & { pages: number },
  end: () => void,
): AsyncGenerator<LocatedRecords<R>, void, undefined> {
  const proof = new PageProof(limits);
  const fetch = async (cursor: string | undefined, number: number): Promise<CheckedPage<Item>> => {
    signal.throwIfAborted();
    return checkPage(await fetchPage(cursor, { signal, page: number }), number);
  };
  try {
    let pending = fetch(undefined, 1);
    for (let number = 1; ; number += 1) {
      const page = await raceAbort(pending, signal);
      // A page that arrives after the signal fired may be incomplete.
      signal.throwIfAborted();
      proof.addPage(page, number);
      figures.pages += 1;
      if (prefetch && page.next !== undefined) {
        pending = fetch(page.next, number + 1);
        pending.catch(() => {});
      }
      const records = recordsOf(page.items, number, map, figures);
      proof.addRecords(records, number);
      if (records.length > 0) yield records;
      if (page.next === undefined) return;
      if (!prefetch) pending = fetch(page.next, number + 1);
    }
  } finally {
    end();
  }
}

function recordsOf<Item, R>(
  items: readonly Item[],
  page: number,
  map: MapItem<Item, R>,
  figures: MutableFigures,
): LocatedRecords<R> {
  const placeOf = (item: number): ItemPlace => ({
    page,
    item,
    get location() {
      return `page ${page}, item ${item}`;
    },
  });
  const records = new RecordBlock<R>(figures, (item) => placeOf(item).location);
  for (const [index, item] of items.entries()) records.add(map(item, placeOf(index + 1)), index + 1);
  return records.located();
}
