import { checkSignal } from "../core/abort.js";
import { InvalidInputError } from "../core/errors/index.js";
import type { KeysOf } from "../core/validate.js";
import { readOptions } from "../core/validate.js";
import { type FetchPage, isCount } from "./page.js";
import { type ItemPlace, PageRecords } from "./page-records.js";

/** Options of `fromPages`. */
export interface PagesOptions {
  /** How many items the vendor says there are, where its pages have no `total`. @default not checked */
  readonly expectedTotal?: number | undefined;
  /** Most pages: a listing that goes on is an error. @default 100000 */
  readonly maxPages?: number | undefined;
  /** Most empty pages in succession that tell of a next one. @default 100 */
  readonly maxEmptyPages?: number | undefined;
  /** Whether two pages may have the same items, as may be with events that have no id. @default false */
  readonly allowRepeatedPages?: boolean | undefined;
  /**
   * Whether the next page is asked for while this one is consumed. A write takes a page in far less time than a vendor
   * needs for one, so it gains something only with a slow consumer. @default false
   */
  readonly prefetch?: boolean | undefined;
  /** Ends the reading, which then throws the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
}

const PAGES_NAMES = {
  expectedTotal: true,
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
 * - A token that comes a second time, a page with the same items as one before, more pages than `maxPages`, a page
 *   without items (a vendor that answers 200 with an error page), and a number of items that is not the vendor's total
 *   end in an `InvalidInputError` with the page, for whoever iterates. An empty page that tells of a next one is
 *   followed, up to `maxEmptyPages` in succession.
 * - What `fetchPage` and `map` throw comes back unchanged.
 * - An error of a write about one of the records names its place, such as `page 3, item 17`.
 * @throws {InvalidInputError} an option is wrong
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
/** The same without a `map`: the items are the records. @throws {InvalidInputError} an option is wrong */
export function fromPages<R>(fetchPage: FetchPage<R>, options?: PagesOptions): PageRecords<R, R>;
export function fromPages<Item>(
  fetchPage: FetchPage<Item>,
  given: PagesOptions & { readonly map?: (item: Item, place: ItemPlace) => unknown } = {},
): PageRecords<Item, unknown> {
  const options = readOptions("The options of fromPages", given, PAGES_NAMES);
  checkSignal(options.signal);
  const { maxPages = 100_000, maxEmptyPages = 100, expectedTotal, map = (item) => item } = options;
  if (typeof fetchPage !== "function")
    throw new InvalidInputError("fetchPage must be a function that asks for a page.");
  if (typeof map !== "function")
    throw new InvalidInputError("map must be a function that makes a record of an item.");
  if (!isCount(maxPages) || maxPages === 0)
    throw new InvalidInputError("maxPages must be a positive whole number.");
  if (!isCount(maxEmptyPages))
    throw new InvalidInputError("maxEmptyPages must be a whole number, 0 or more.");
  if (expectedTotal !== undefined && !isCount(expectedTotal)) {
    throw new InvalidInputError("expectedTotal must be a whole number, 0 or more.");
  }
  return new PageRecords({
    fetchPage,
    map,
    maxPages,
    maxEmptyPages,
    expectedTotal,
    allowRepeatedPages: options.allowRepeatedPages ?? false,
    prefetch: options.prefetch ?? false,
    signal: options.signal,
  });
}
