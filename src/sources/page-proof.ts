/** Checks the pages of a listing, and throws unless the listing is provably complete. */
import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import { wholeNumber } from "../core/validate.js";
import { problemAt } from "./source.js";

const TOTAL = wholeNumber(0);
const RETRYABLE = { retryable: true };

/** One page of a vendor's listing. */
export interface SourcePage<Item> {
  /** The items in the vendor's order; an empty array for an empty page. */
  readonly items: readonly Item[];
  /** Token of the next page; null, undefined or an empty string on the last page. */
  readonly next?: string | null | undefined;
  /** Number of items in the whole listing, if the vendor sends one; it must not shrink from page to page. */
  readonly total?: number | undefined;
}

export interface CheckedPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
  readonly total: number | undefined;
}

/** Checks the shape of a page. @throws {InvalidInputError} the value isn't a page: it may be an error with HTTP 200 */
export function checkPage<Item>(page: SourcePage<Item>, number: number): CheckedPage<Item> {
  const location = `page ${number}`;
  const given: unknown = page;
  if (typeof given !== "object" || given === null) throw problemAt(location, "is not an object with items");
  const items: unknown = page.items;
  const next: unknown = page.next;
  const { total } = page;
  if (!Array.isArray(items)) {
    const advice = "The vendor may have answered with an error page. For an empty page, return items: [].";
    throw problemAt(location, "has no array of items", advice);
  }
  if (next !== undefined && next !== null && typeof next !== "string") {
    throw problemAt(location, "has a next token that is neither a string nor null");
  }
  if (total !== undefined && !TOTAL.fits(total)) {
    throw problemAt(location, "has a total that is not an integer of at least 0");
  }
  return { items: page.items, next: page.next || undefined, total };
}

export interface PageLimits {
  readonly maxPages: number;
  readonly maxEmptyPages: number;
  readonly allowRepeatedPages: boolean;
}

export class PageProof {
  readonly #limits: PageLimits;
  /** Maps the digest of a token to the number of the page that the token led to. */
  readonly #tokens = new Map<string, number>();
  readonly #pages = new Map<string, number>();
  #itemsAreComparable = true;
  #emptyInSuccession = 0;
  #items = 0;
  #total: number | undefined;

  constructor(limits: PageLimits) {
    this.#limits = limits;
  }

  /** @throws {InvalidInputError} the listing loops, doesn't end, or lacks items */
  addPage({ items, next, total }: CheckedPage<unknown>, number: number): void {
    const location = `page ${number}`;
    const { maxPages, maxEmptyPages } = this.#limits;
    this.#items += items.length;
    this.#refuseShrunkTotal(total, location);
    this.#itemsAreComparable = this.#refuseRepeated(items, number, "items");
    this.#emptyInSuccession = items.length === 0 ? this.#emptyInSuccession + 1 : 0;
    if (next === undefined) {
      this.#checkTotal(location);
      return;
    }
    const token = digestOf(next);
    const before = this.#tokens.get(token);
    if (before !== undefined) {
      throw problemAt(location, `has the token that led to page ${before}`, "The listing loops.");
    }
    this.#tokens.set(token, number + 1);
    if (this.#emptyInSuccession > maxEmptyPages) {
      const problem = `is empty, like the ${maxEmptyPages} before it, but has a next page`;
      throw problemAt(location, problem, "If the vendor sends that many empty pages, raise maxEmptyPages.");
    }
    if (number >= maxPages) {
      const problem = `is not the last one, but maxPages is ${maxPages}`;
      throw problemAt(location, problem, "If the listing has more pages, raise maxPages.");
    }
  }

  /**
   * Compares a page's records with those of earlier pages if its items contain functions, which can't be compared.
   * @throws {InvalidInputError} an earlier page had the same records
   */
  addRecords(records: readonly unknown[], number: number): void {
    if (!this.#itemsAreComparable) this.#refuseRepeated(records, number, "records");
  }

  /** If items are deleted during the read, later items move to earlier pages, and some of them aren't read. */
  #refuseShrunkTotal(total: number | undefined, location: string): void {
    if (total !== undefined && this.#total !== undefined && total < this.#total) {
      throw problemAt(
        location,
        `has the total ${total}, but an earlier page had ${this.#total}`,
        "The data changed during the read and items may be missing: read the listing again. Omit total if it does not count the whole listing.",
        RETRYABLE,
      );
    }
    this.#total = total ?? this.#total;
  }

  #checkTotal(location: string): void {
    if (this.#total === undefined || this.#total === this.#items) return;
    throw problemAt(
      location,
      `is the last one, with ${this.#items} items in all, but the total is ${this.#total}`,
      "Pages may be missing, or the data changed during the read: read the listing again.",
      RETRYABLE,
    );
  }

  /** Returns false if the content can't be compared. */
  #refuseRepeated(content: readonly unknown[], number: number, what: "items" | "records"): boolean {
    if (this.#limits.allowRepeatedPages || content.length === 0) return true;
    const digest = digestOfContent(content);
    if (digest === undefined) return false;
    const before = this.#pages.get(`${what} ${digest}`);
    if (before !== undefined) {
      const advice =
        "Read the listing again; if that does not help, the vendor ignores the token. If equal pages are valid, set allowRepeatedPages.";
      throw problemAt(`page ${number}`, `has the same ${what} as page ${before}`, advice, RETRYABLE);
    }
    this.#pages.set(`${what} ${digest}`, number);
    return true;
  }
}

function digestOfContent(content: readonly unknown[]): string | undefined {
  try {
    return digestOf(serialize(content));
  } catch {
    return undefined;
  }
}

function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64");
}
