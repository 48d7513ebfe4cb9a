import { raceAbort, SIGNAL } from "../core/abort.js";
import { InvalidInputError } from "../core/errors/index.js";
import { FLAG, type OptionTable, readOptions, wholeNumber } from "../core/validate.js";
import { checkPage, type PageLimits, PageProof, type SourcePage } from "./page-proof.js";
import {
  MAP,
  type MapRecord,
  RecordBlock,
  type RecordLocation,
  RecordsSource,
  type Source,
  type SourceStats,
} from "./source.js";

type FetchPage<Item> = Parameters<typeof fromPages<Item>>[0];

/** Options of `fromPages`. */
export interface PagesOptions<Item, R> {
  /**
   * Turns an item into a record, or returns undefined to skip it; `stats` counts skipped items.
   * @default the items are the records
   */
  readonly map?: ((item: Item, at: RecordLocation) => R | undefined) | undefined;
  /** Maximum number of pages; a longer listing is an error. @default 100000 */
  readonly maxPages?: number | undefined;
  /** Maximum number of consecutive empty pages with a next page. @default 100 */
  readonly maxEmptyPages?: number | undefined;
  /** Whether two pages may have the same items, such as events without ids. @default false */
  readonly allowRepeatedPages?: boolean | undefined;
  /** Ends the iteration, which then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const PAGES_OPTIONS = {
  map: MAP,
  maxPages: wholeNumber(1),
  maxEmptyPages: wholeNumber(0),
  allowRepeatedPages: FLAG,
  signal: SIGNAL,
} satisfies OptionTable<PagesOptions<unknown, unknown>>;

/**
 * Streams the records of a vendor's paged listing, and checks that the listing is complete.
 *
 * - `fetchPage` receives the previous page's `next` as its cursor; undefined for the first page.
 * - The iteration throws an `InvalidInputError`, which names the page, if a token is repeated, a page has the same
 *   items as an earlier one, there are more than `maxPages` pages, a page has no `items` array (such as an error with
 *   HTTP 200), or the number of items differs from the vendor's total. Up to `maxEmptyPages` consecutive empty pages
 *   with a next page are accepted.
 * - The error is `retryable` if the total differs or a page is repeated, because the data may have changed meanwhile.
 * - Errors that `fetchPage` and `map` throw are rethrown unchanged. An error with `retryable: true`, for example about
 *   an expired cursor, asks for another run (`disposition`).
 * - If a write rejects a record, the error names its location, such as `page 3, item 17`.
 * @param options Must include `map` if the items aren't records.
 * @throws {InvalidInputError} an option is invalid
 * @example
 * ```ts
 * const users = fromPages(async (cursor, { signal }) => {
 *   const { list, next, total } = await vendor.users({ cursor, signal });
 *   return { items: list, next, total };
 * }, { map: (user) => ({ id: user.id, email: user.email }) });
 * await batch.write("accounts", users);
 * ```
 */
export function fromPages<Item, R = Item>(
  fetchPage: (
    cursor: string | undefined,
    request: {
      /** Number of the page, from 1. */
      readonly page: number;
      /** Fires when the page is no longer needed; pass it to the request. */
      readonly signal: AbortSignal;
    },
  ) => Promise<SourcePage<Item>>,
  ...options: [Item] extends [R]
    ? [options?: PagesOptions<Item, R>]
    : [options: PagesOptions<Item, R> & { readonly map: unknown }]
): Source<R>;
export function fromPages<Item>(
  fetchPage: FetchPage<Item>,
  options: PagesOptions<Item, unknown> = {},
): Source<unknown> {
  const {
    map = (item: Item) => item,
    maxPages = 100_000,
    maxEmptyPages = 100,
    allowRepeatedPages = false,
    signal,
  } = readOptions("fromPages", options, PAGES_OPTIONS);
  if (typeof fetchPage !== "function") throw new InvalidInputError("fetchPage must be a function.");
  const limits = { maxPages, maxEmptyPages, allowRepeatedPages };
  return new RecordsSource(signal, (stats, stop) => walk(fetchPage, map, limits, stats, stop));
}

async function* walk<Item>(
  fetchPage: FetchPage<Item>,
  map: MapRecord<Item, unknown>,
  limits: PageLimits,
  stats: SourceStats,
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[], void, undefined> {
  const proof = new PageProof(limits);
  let cursor: string | undefined;
  for (let number = 1; ; number += 1) {
    signal.throwIfAborted();
    const answer = (async () => fetchPage(cursor, { signal, page: number }))();
    const page = checkPage(await raceAbort(answer, signal), number);
    // A page that arrives after the signal fired may be incomplete.
    signal.throwIfAborted();
    proof.addPage(page, number);
    const records = new RecordBlock(map, stats);
    for (const [index, item] of page.items.entries()) records.add(item, itemOf(number, index + 1));
    const located = records.located();
    proof.addRecords(located, number);
    yield located;
    cursor = page.next;
    if (cursor === undefined) return;
  }
}

function itemOf(page: number, item: number): RecordLocation {
  return {
    page,
    item,
    get location() {
      return `page ${page}, item ${item}`;
    },
  };
}
