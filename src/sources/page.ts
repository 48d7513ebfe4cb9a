/** A page of a vendor's listing, and how one is asked for. */
import type { InvalidInputError } from "../core/errors/index.js";
import { problemAt } from "./problem.js";

/** One page of a vendor's listing. */
export interface Page<Item> {
  /** The items, in the vendor's order; empty where the page has none. */
  readonly items: readonly Item[];
  /** Token of the next page; null, undefined or an empty string on the last one. */
  readonly next?: string | null | undefined;
  /** How many items the vendor says there are in all, where it does. It must not shrink from one page to the next. */
  readonly total?: number | undefined;
}

/** What a page is asked for with. */
export interface PageRequest {
  /** Fires when nobody wants the page any more: for the request to the vendor. */
  readonly signal: AbortSignal;
  /** Number of the page, from 1. */
  readonly page: number;
}

/** Asks the vendor for a page. The cursor is the `next` of the page before; undefined for the first. */
export type FetchPage<Item> = (cursor: string | undefined, request: PageRequest) => Promise<Page<Item>>;

/** A page whose shape was checked. */
export interface CheckedPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
  readonly total: number | undefined;
}

/**
 * Checks the shape of a page: a vendor that answers 200 with an error page has no items.
 * @throws {InvalidInputError}
 */
export function checkPage<Item>(page: Page<Item>, number: number): CheckedPage<Item> {
  const location = `page ${number}`;
  const given: unknown = page;
  if (typeof given !== "object" || given === null) throw problemAt(location, "is not an object with items");
  const { items, next, total } = partsOf(page, location);
  if (!Array.isArray(items)) {
    const advice = "The vendor may have answered with an error page: an empty page is items: [].";
    throw problemAt(location, "has no array of items", advice);
  }
  if (next !== undefined && next !== null && typeof next !== "string") {
    throw problemAt(location, "has a next that is neither a string nor null");
  }
  if (total !== undefined && !isCount(total)) {
    throw problemAt(location, "has a total that is not a whole number");
  }
  return { items: copyOf(items, location), next: next === null || next === "" ? undefined : next, total };
}

/** The items as they are now: whoever fetches the next page meanwhile may fill the same array with it. */
function copyOf<Item>(items: readonly Item[], location: string): readonly Item[] {
  try {
    return items.slice();
  } catch {
    throw unreadable(location);
  }
}

/** What a page holds, each part read once. */
function partsOf<Item>(
  page: Page<Item>,
  location: string,
): { readonly items: readonly Item[]; readonly next: unknown; readonly total: unknown } {
  try {
    const { items, next, total } = page;
    return { items, next, total };
  } catch {
    throw unreadable(location);
  }
}

function unreadable(location: string): InvalidInputError {
  return problemAt(location, "cannot be read", "Reading it threw an exception.");
}

/** Whether a value can be a number of items. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
